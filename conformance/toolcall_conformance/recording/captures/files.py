"""What a captured file is: a body, perhaps in a wrapper such as ``{"request": {…}}``, a stream, a list of exchanges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.foreign_files import is_too_deep
from toolcall_conformance.basics.jsonvalue import JSONError, join
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.formats.recognition import DIRECTIONS, has_container, recognise_body
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.captures import curl, har, json_lines, litellm, mitmproxy
from toolcall_conformance.recording.captures.exchanges import Capture, CapturedExchange, UnreadableCaptureError, body_of
from toolcall_conformance.recording.captures.json_lines import is_telemetry
from toolcall_conformance.recording.compression import Unpacker

_GZIP = b"\x1f\x8b"
_STREAM_START = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:data|event|id|retry)?:")
_PYTHON_REPR = re.compile(r"""\A\s*[\[{(]\s*(?:[rbu]?'|\w+\()""")
_OTHER_FILES = (
    (
        re.compile(rb"\A(?:\xff\xfe|\xfe\xff)"),
        "UTF-16, as PowerShell writes with >",
        "save it as UTF-8 (| Out-File -Encoding utf8)",
    ),
    (re.compile(rb"\APK\x03\x04"), "a zip archive", "unpack it first"),
    (
        re.compile(rb"\A(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x0a\x0d\x0d\x0a)"),
        "a capture of packets",
        "export the bodies as HAR, or record with a proxy that ends TLS",
    ),
    (re.compile(rb"\A\x28\xb5\x2f\xfd"), "packed with zstd", "unpack it first (zstd -d)"),
    (
        re.compile(rb"\A\s*<(?:!doctype|html|\?xml)", re.IGNORECASE),
        "a page of HTML or XML",
        "capture the body that the API sent",
    ),
    (
        re.compile(rb"\A[A-Z]+ \S+ HTTP/1|\AHTTP/1"),
        "an HTTP message with its headers",
        "save the body alone, or the exchange as HAR",
    ),
)


def unpack(data: bytes) -> bytes:
    """The bytes of a file, unpacked where they are gzip. Raises UnreadableCaptureError."""
    if not data.startswith(_GZIP):
        return data
    try:
        return Unpacker().gzip(data)
    except ValueError as error:
        raise UnreadableCaptureError(f"it is packed with gzip, and damaged: {error}") from None


def read_capture(corpus: Corpus, path: Path, data: bytes) -> Capture | None:
    """The exchanges of a file; None for a file with one body or one stream. Raises UnreadableCaptureError."""
    if _STREAM_START.match(data):
        return None
    if mitmproxy.is_dump(data):
        return mitmproxy.read(path, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if litellm.is_debug_log(text):
        return litellm.read_debug_log(text)
    if curl.is_curl(text):
        return curl.read(text)
    document = _json(text)
    return _in_lines(corpus, text) if document is None else _in_json(corpus, document)


def _in_json(corpus: Corpus, document: Any) -> Capture | None:
    """The exchanges in one JSON value."""
    if har.is_har(document):
        return har.read(document)
    if isinstance(document, list):
        capture = (
            json_lines.read(corpus, document, "entry") if all(isinstance(entry, dict) for entry in document) else None
        )
        # One body in a list is a wrapper, not a list of exchanges.
        return capture if capture is not None and (document[1:] or any(map(_has_reply, capture.exchanges))) else None
    if litellm.is_payload(document) or is_telemetry(document):
        return json_lines.read(corpus, [document], "record")
    if not isinstance(document, dict) or recognise_body(corpus, document):
        return None
    capture = json_lines.read(corpus, [document], "record")
    return capture if any(exchange.request and _has_reply(exchange) for exchange in capture.exchanges) else None


def _in_lines(corpus: Corpus, text: str) -> Capture | None:
    """The exchanges in lines of JSON, with other lines of a log among them."""
    lines = [line for line in text.splitlines() if line.strip()]
    values = [value for line in lines for value in _entries(_json(line))]
    if len(lines) < 2 or sum(isinstance(value, dict) for value in values) * 2 < len(lines):
        return None
    capture = json_lines.read(corpus, values, "line")
    broken = [str(number) for number, line in enumerate(lines, 1) if line.lstrip()[:1] == "{" and _json(line) is None]
    return replace(capture, skipped=_count_broken(capture.skipped, broken)) if broken else capture


def _count_broken(skipped: Mapping[str, int], broken: Sequence[str]) -> dict[str, int]:
    """What was skipped, and of it what begins as JSON and is not whole."""
    reduced_counts = {
        reason: count - len(broken) for reason, count in skipped.items() if reason == json_lines.NO_BODY.format("line")
    }
    whole = {reason: count for reason, count in {**skipped, **reduced_counts}.items() if count > 0}
    return {f"a line that is cut off or no JSON (line {', '.join(broken[:5])})": len(broken), **whole}


def describe_contents(data: bytes) -> str | None:
    """A sentence on what a file without JSON is, and what to do; None for an unknown kind."""
    for pattern, name, advice in _OTHER_FILES:
        if pattern.match(data):
            return f"it is {name}; {advice}"
    text = data[:5000].decode("utf-8", "replace")
    if _PYTHON_REPR.match(text):
        return "it is a Python value as repr prints it, not JSON; write it with json.dumps"
    if re.match(r"\A\s*\{\s*[A-Za-z_]\w*\s*:", text):
        return "it is a JavaScript object, not JSON; write it with JSON.stringify"
    if re.match(r"\A\s*(?:map\[|&?\{?[A-Za-z_.]+\{)", text):
        return "it is a Go value as %v or %+v prints it, not JSON; write it with json.Marshal"
    return None


def _entries(value: Any) -> list[Any]:
    """The entries of a line: some logs write all exchanges since the last line as a list."""
    return value if isinstance(value, list) else [value]


def _has_reply(exchange: CapturedExchange) -> bool:
    return exchange.reply is not None or exchange.stream is not None


def _json(text: str) -> Any:
    try:
        value = parse_json(text)
    except JSONError:
        return None
    return None if is_too_deep(value) else value


_MAX_WRAPPERS = 3
_MAX_ENTRIES = 30


def unwrap(corpus: Corpus, value: Any) -> tuple[Any, str] | None:
    """The one body inside a value that is none itself, and the pointer to it; None where there is none, or several."""
    if recognise_body(corpus, value):
        return None
    bodies = [*_wrapped_bodies(corpus, value, "", 0)]
    return bodies[0] if len(bodies) == 1 else None


def body_pointers(corpus: Corpus, value: Any) -> list[str]:
    """The pointers to all bodies inside a value that is none itself."""
    return [] if recognise_body(corpus, value) else [pointer for _, pointer in _wrapped_bodies(corpus, value, "", 0)]


def _wrapped_bodies(corpus: Corpus, value: Any, pointer: str, depth: int) -> Iterator[tuple[Any, str]]:
    kinds = recognise_body(corpus, value, DIRECTIONS) if depth else []
    if kinds and has_container(corpus, kinds[0], value):
        yield value, pointer
    elif depth < _MAX_WRAPPERS:
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, entry in [*entries][:_MAX_ENTRIES]:
            inner = body_of(entry) if isinstance(entry, str) and entry.lstrip()[:1] == "{" else entry
            yield from _wrapped_bodies(corpus, inner, join(pointer, key), depth + 1)
