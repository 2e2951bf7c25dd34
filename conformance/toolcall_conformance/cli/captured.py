"""What somebody captured, from a file or from stdin: a body of JSON, or the bytes of a stream of events."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.jsonvalue import JSONError
from toolcall_conformance.jsonvalue import parse as parse_json
from toolcall_conformance.library import Corpus
from toolcall_conformance.streaming import parse

_FIELD = re.compile(rb"(?m)^\xef?\xbb?\xbf?(?:data|event|id|retry)?:")


def body(name: str) -> Any:
    """A body of JSON. Raises UsageError."""
    return _json(name, _bytes(name))


def stream(name: str) -> dict[str, Any]:
    """A stream that a client got, as ``streaming.parse`` has it; broken bytes are for rules to judge. UsageError."""
    data = _bytes(name)
    _verify_not_empty(name, data)
    if _is_json(data):
        raise UsageError(
            f"{_shown(name)}: is JSON, and a stream of events is wanted (lines `data: …`, as the bytes came; Gemini "
            "sends them with ?alt=sse). Bodies are judged without --stream"
        )
    found = parse(data)
    if not found["events"]:
        raise UsageError(f"{_shown(name)}: {_no_event(found)}")
    return found


def stream_or_reply(name: str, upstream: str, corpus: Corpus) -> dict[str, Any]:
    """What an upstream answered: its stream, or its reply as one body of JSON. UsageError for what is neither."""
    data = _bytes(name)
    _verify_not_empty(name, data)
    if not _FIELD.search(data):
        found = _json(name, data)
        if not isinstance(found, dict):
            raise UsageError(f"{_shown(name)}: a reply is a JSON object, and this is none")
        return found
    found = parse(data)
    if "broken" in found:
        raise UsageError(f"{_shown(name)}: {found['broken']}; capture the bytes as they come")
    if not found["events"]:
        raise UsageError(f"{_shown(name)}: {_no_event(found)}")
    from toolcall_conformance.judge.streams import looking_like

    looks = looking_like(corpus, found)
    if upstream not in looks:
        like = f"; it looks like {' or '.join(looks)}" if looks else ""
        raise UsageError(f"{_shown(name)}: no event of it belongs to a reply of {upstream}{like}")
    return found


def notes(name: str, upstream: str, source: dict[str, Any]) -> list[str]:
    """What the user should know of an upstream's stream: that it did not end in order."""
    if "events" not in source:
        return []
    end = formats.assembled(upstream, source).end
    count = len(source["events"])
    if end == "failed":
        return [f"{_shown(name)} has an error of the upstream; judged is whether the client learns of it"]
    if end == "open":
        half = ", in the middle of the next one" if "rest" in source else ""
        return [
            f"{_shown(name)} breaks off after {count} event{'s' if count != 1 else ''}{half}; judged is that nothing "
            "comes out as if it were whole"
        ]
    return []


def _bytes(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror})") from None


def _json(name: str, data: bytes) -> Any:
    try:
        return parse_json(data)
    except JSONError as error:
        hint = "; it is a stream of events, which is judged with --stream" if _FIELD.match(data.lstrip()) else ""
        raise UsageError(f"{_shown(name)}: not JSON: {error}{hint}") from None


def _verify_not_empty(name: str, data: bytes) -> None:
    if not data.strip():
        raise UsageError(f"{_shown(name)}: is empty")


def _is_json(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _no_event(found: dict[str, Any]) -> str:
    if "broken" in found:
        return f"no stream of events: {found['broken']}"
    if "rest" in found:
        return "the stream breaks off within its first event: no blank line ends it"
    return "there is no event in it (lines `data: …`, and a blank line behind them)"


def _shown(name: str) -> str:
    return "stdin" if name == "-" else name
