"""Read cassettes as interactions: vcrpy's YAML and JSON, and those of VCR for Ruby.

vcrpy: https://vcrpy.readthedocs.io/ (a list ``interactions``); VCR for Ruby: https://benoittgt.github.io/vcr/ (a list
``http_interactions``, bodies with an ``encoding``, or in base64). The content of a file decides its kind.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.recording.cassettes.interactions import CassetteError, Interaction
from toolcall_conformance.recording.cassettes.yaml_cassettes import parse_yaml
from toolcall_conformance.recording.compression import Unpacker

_AGAIN = "record it again, or take it out of the folder"


class NoCassetteError(CassetteError):
    """A readable file that is not a cassette."""


def read(path: Path) -> tuple[Interaction, ...]:
    """The interactions of a cassette file, in its order. Raises CassetteError."""
    try:
        content = foreign_files.read_bytes(path)
    except OSError as error:
        raise CassetteError(f"{path}: cannot be read ({error.strerror})") from None
    unpacker = Unpacker()
    return tuple(_interactions(path, _parse(path, content, unpacker), unpacker))


def _parse(path: Path, content: bytes, unpacker: Unpacker) -> Any:
    """Parse JSON, else YAML; decompress a compressed file first."""
    if content[:2] == b"\x1f\x8b":
        try:
            content = unpacker.gzip(content)
        except ValueError as error:
            raise CassetteError(
                f"{path}: a truncated or damaged gzip file, or one too large ({error}); {_AGAIN}"
            ) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CassetteError(f"{path}: not UTF-8 text (byte {error.start}), so not a cassette") from None
    if not text.strip():
        raise CassetteError(f"{path}: the file is empty; {_AGAIN}")
    if text.lstrip()[0] in "{[":
        try:
            return foreign_files.parse_json(text)
        except ValueError as error:
            if path.suffix == ".json":
                raise CassetteError(f"{path}: not valid JSON ({error}); truncated or edited; {_AGAIN}") from None
    return parse_yaml(path, text)


def _interactions(path: Path, cassette: Any, unpacker: Unpacker) -> Iterator[Interaction]:
    if isinstance(cassette, dict) and isinstance(cassette.get("interactions"), list):
        entries, reader = cassette["interactions"], _vcrpy_interaction
    elif isinstance(cassette, dict) and isinstance(cassette.get("http_interactions"), list):
        entries, reader = cassette["http_interactions"], _ruby_interaction
    else:
        keys = f"the keys {', '.join(map(repr, list(cassette)[:6]))}" if isinstance(cassette, dict) else "no object"
        raise NoCassetteError(
            f"{path}: an unknown format of cassette ({keys}); known formats are vcrpy (`interactions`) and VCR for "
            "Ruby (`http_interactions`)"
        )
    case, date = _case_and_date(cassette)
    for number, entry in enumerate(entries, 1):
        try:
            recorded = reader(number, entry, unpacker)
            yield replace(recorded, case=case, recorded_at=recorded.recorded_at or date)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            missing = f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
            raise CassetteError(f"{path}: interaction {number}: {missing}; {_AGAIN}") from None


def _case_and_date(cassette: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The case that our own recorder played, and the date."""
    about = cassette.get("toolcall")
    if not isinstance(about, dict):
        return None, None
    case, date = about.get("case"), about.get("date")
    return case if isinstance(case, str) else None, date if isinstance(date, str) else None


def _vcrpy_interaction(number: int, entry: Any, unpacker: Unpacker) -> Interaction:
    request, answered = entry["request"], entry["response"]
    status = answered.get("status", answered.get("status_code"))  # old versions recorded a number for httpx
    # `content`: the same old versions; `parsed_body`: serializers that write a JSON body as data.
    return _interaction(
        number,
        request,
        request.get("body", request.get("parsed_body")),
        answered,
        answered.get("body", answered.get("parsed_body", answered.get("content"))),
        status["code"] if isinstance(status, dict) else status,
        entry.get("recorded_at"),
        unpacker,
    )


def _ruby_interaction(number: int, entry: Any, unpacker: Unpacker) -> Interaction:
    request, answered = entry["request"], entry["response"]
    return _interaction(
        number,
        request,
        request.get("body"),
        answered,
        answered.get("body"),
        answered["status"]["code"],
        entry.get("recorded_at"),
        unpacker,
    )


def _interaction(
    number: int,
    request: Any,
    request_body: Any,
    answered: Any,
    response_body: Any,
    status: Any,
    date: Any,
    unpacker: Unpacker,
) -> Interaction:
    request_headers, response_headers = _headers(request.get("headers")), _headers(answered.get("headers"))
    url = str(request["uri"])
    urlsplit(url)  # raises ValueError, as for a bracket that nothing closes
    return Interaction(
        number,
        str(request["method"]).upper(),
        url,
        request_headers,
        _unpack(_bytes(request_body), request_headers, "request", unpacker),
        int(status),
        response_headers,
        _unpack(_bytes(response_body), response_headers, "response", unpacker),
        str(date) if date is not None else None,
    )


def _headers(raw_headers: Any) -> Mapping[str, str]:
    """Headers by name in lower case; values of one name are joined, as HTTP allows."""
    pairs = raw_headers.items() if isinstance(raw_headers, dict) else raw_headers or ()
    headers: dict[str, str] = {}
    for name, value in pairs:
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        key = str(name).lower()
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _bytes(body: Any) -> bytes:
    """The bytes of a body in any notation."""
    if body is None:
        return b""
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    if isinstance(body, str):
        return body.encode("utf-8", "surrogateescape")
    if isinstance(body, dict) and set(body) & {"string", "base64_string"} and set(body) <= _BODY_KEYS:
        if body.get("base64_string") is not None:
            return _from_base64(body["base64_string"])
        return _bytes(body["string"])
    return json.dumps(body, ensure_ascii=False).encode()  # a serializer wrote it as data


_BODY_KEYS = {"string", "base64_string", "encoding"}


def _from_base64(text: Any) -> bytes:
    try:
        return base64.b64decode(text if isinstance(text, bytes) else str(text).encode())
    except binascii.Error as error:
        raise ValueError(f"a body in base64 that cannot be decoded ({error})") from None


def _unpack(body: bytes, headers: Mapping[str, str], message_name: str, unpacker: Unpacker) -> bytes:
    """Decode content encodings, unless decoded already: many recorders decode the body and keep the header."""
    for encoding in reversed([part.strip().lower() for part in headers.get("content-encoding", "").split(",")]):
        if encoding in ("gzip", "x-gzip") and body[:2] == b"\x1f\x8b":
            try:
                body = unpacker.gzip(body)
            except ValueError as error:
                raise ValueError(f"the {message_name}'s gzip body is damaged or too large ({error})") from None
        elif encoding == "deflate" and body[:1] not in (b"{", b"[", b"d", b"e", b":", b""):
            try:
                body = unpacker.deflate(body)
            except ValueError as error:
                raise ValueError(f"the {message_name}'s deflate body is damaged or too large ({error})") from None
    return body
