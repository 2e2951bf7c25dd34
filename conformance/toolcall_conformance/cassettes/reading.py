"""Read cassettes as interactions: vcrpy's YAML and JSON, and those of VCR for Ruby.

vcrpy: https://vcrpy.readthedocs.io/ (a list ``interactions``); VCR for Ruby: https://benoittgt.github.io/vcr/ (a list
``http_interactions``, bodies with an ``encoding``, or in base64). The content of a file decides its kind.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolcall_conformance.cassettes.interactions import CassetteError, Interaction
from toolcall_conformance.cassettes.yaml_cassettes import parse_yaml

_AGAIN = "record it again, or take it out of the folder"


class NoCassetteError(CassetteError):
    """A readable file that is not a cassette."""


def read(path: Path) -> tuple[Interaction, ...]:
    """The interactions of a cassette file, in its order. Raises CassetteError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CassetteError(f"{path}: cannot be read ({error.strerror})") from None
    return tuple(_interactions(path, _parse(path, content)))


def _parse(path: Path, content: bytes) -> Any:
    """Parse JSON, else YAML; decompress a compressed file first."""
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise CassetteError(f"{path}: a truncated or damaged gzip file ({error}); {_AGAIN}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CassetteError(f"{path}: not UTF-8 text (byte {error.start}), so not a cassette") from None
    if not text.strip():
        raise CassetteError(f"{path}: the file is empty; {_AGAIN}")
    if text.lstrip()[0] in "{[":
        try:
            return json.loads(text)
        except ValueError as error:
            if path.suffix == ".json":
                raise CassetteError(f"{path}: not valid JSON ({error}); truncated or edited; {_AGAIN}") from None
    return parse_yaml(path, text)


def _interactions(path: Path, cassette: Any) -> Iterator[Interaction]:
    if isinstance(cassette, dict) and isinstance(cassette.get("interactions"), list):
        entries, one = cassette["interactions"], _of_vcrpy
    elif isinstance(cassette, dict) and isinstance(cassette.get("http_interactions"), list):
        entries, one = cassette["http_interactions"], _of_ruby
    else:
        found = f"the keys {', '.join(map(repr, list(cassette)[:6]))}" if isinstance(cassette, dict) else "no object"
        raise NoCassetteError(
            f"{path}: an unknown format of cassette ({found}); known formats are vcrpy (`interactions`) and VCR for "
            "Ruby (`http_interactions`)"
        )
    case, date = _origin(cassette)
    for number, entry in enumerate(entries, 1):
        try:
            recorded = one(number, entry)
            yield replace(recorded, case=case, recorded_at=recorded.recorded_at or date)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            missing = f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
            raise CassetteError(f"{path}: interaction {number}: {missing}; {_AGAIN}") from None


def _origin(cassette: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The case that our own recorder played, and the date."""
    about = cassette.get("toolcall")
    if not isinstance(about, dict):
        return None, None
    case, date = about.get("case"), about.get("date")
    return case if isinstance(case, str) else None, date if isinstance(date, str) else None


def _of_vcrpy(number: int, entry: Any) -> Interaction:
    asked, answered = entry["request"], entry["response"]
    status = answered.get("status", answered.get("status_code"))  # old versions recorded a number for httpx
    # `content`: the same old versions; `parsed_body`: serializers that write a JSON body as data.
    return _interaction(
        number,
        asked,
        asked.get("body", asked.get("parsed_body")),
        answered,
        answered.get("body", answered.get("parsed_body", answered.get("content"))),
        status["code"] if isinstance(status, dict) else status,
        entry.get("recorded_at"),
    )


def _of_ruby(number: int, entry: Any) -> Interaction:
    asked, answered = entry["request"], entry["response"]
    return _interaction(
        number,
        asked,
        asked.get("body"),
        answered,
        answered.get("body"),
        answered["status"]["code"],
        entry.get("recorded_at"),
    )


def _interaction(
    number: int, asked: Any, request_body: Any, answered: Any, response_body: Any, status: Any, date: Any
) -> Interaction:
    request_headers, response_headers = _headers(asked.get("headers")), _headers(answered.get("headers"))
    return Interaction(
        number,
        str(asked["method"]).upper(),
        str(asked["uri"]),
        request_headers,
        _unpacked(_bytes(request_body), request_headers, "request"),
        int(status),
        response_headers,
        _unpacked(_bytes(response_body), response_headers, "response"),
        str(date) if date is not None else None,
    )


def _headers(found: Any) -> Mapping[str, str]:
    """Headers by name in lower case; values of one name are joined, as HTTP allows."""
    pairs = found.items() if isinstance(found, dict) else found or ()
    headers: dict[str, str] = {}
    for name, value in pairs:
        said = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        key = str(name).lower()
        headers[key] = f"{headers[key]}, {said}" if key in headers else said
    return headers


def _bytes(body: Any) -> bytes:
    """The bytes of a body in any notation."""
    if body is None:
        return b""
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    if isinstance(body, str):
        return body.encode("utf-8", "surrogateescape")
    if isinstance(body, dict) and set(body) & {"string", "base64_string"} and set(body) <= _WRAPPED:
        if body.get("base64_string") is not None:
            return _from_base64(body["base64_string"])
        return _bytes(body["string"])
    return json.dumps(body, ensure_ascii=False).encode()  # a serializer wrote it as data


_WRAPPED = {"string", "base64_string", "encoding"}


def _from_base64(text: Any) -> bytes:
    try:
        return base64.b64decode(text if isinstance(text, bytes) else str(text).encode())
    except binascii.Error as error:
        raise ValueError(f"a body in base64 that cannot be decoded ({error})") from None


def _unpacked(body: bytes, headers: Mapping[str, str], which: str) -> bytes:
    """Decode content encodings, unless decoded already: many recorders decode the body and keep the header."""
    for encoding in reversed([part.strip().lower() for part in headers.get("content-encoding", "").split(",")]):
        if encoding in ("gzip", "x-gzip") and body[:2] == b"\x1f\x8b":
            try:
                body = gzip.decompress(body)
            except (OSError, EOFError, zlib.error) as error:
                raise ValueError(f"the {which}'s gzip body is damaged ({error})") from None
        elif encoding == "deflate" and body[:1] not in (b"{", b"[", b"d", b"e", b":", b""):
            body = _inflated(body, which)
    return body


def _inflated(body: bytes, which: str) -> bytes:
    """Inflate with zlib's frame as in RFC 9110, or without it as some servers send."""
    for window in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
        try:
            return zlib.decompress(body, window)
        except zlib.error:
            continue
    raise ValueError(f"the {which}'s deflate body is damaged")
