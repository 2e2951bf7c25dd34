"""Captured input from a file or stdin: a JSON body, or the bytes of an event stream."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.foreign_files import MOST_DEPTH, is_too_deep, limited, read_bytes
from toolcall_conformance.jsonvalue import JSONError
from toolcall_conformance.jsonvalue import parse as parse_json
from toolcall_conformance.library import Corpus
from toolcall_conformance.streaming import parse

_FIELD = re.compile(rb"(?m)^\xef?\xbb?\xbf?(?:data|event|id|retry)?:")


def body(name: str) -> Any:
    """Read a JSON body. Raises UsageError."""
    return _json(name, _bytes(name))


def stream(name: str) -> tuple[bytes, dict[str, Any]]:
    """Read a client's stream: its bytes, and what ``streaming.parse`` makes of them. Rules judge broken bytes.

    Raises UsageError.
    """
    data = _bytes(name)
    _verify_not_empty(name, data)
    if _is_json(data):
        raise UsageError(
            f"{_shown(name)}: this is JSON, but --stream expects an event stream (lines `data: …`; Gemini sends them "
            "with ?alt=sse). Leave out --stream to judge a body"
        )
    found = parse(data)
    if not found["events"]:
        raise UsageError(f"{_shown(name)}: {_no_event(found)}")
    return data, found


def stream_or_reply(name: str, upstream: str, corpus: Corpus) -> dict[str, Any]:
    """Read an upstream's answer: its stream, or its reply as one JSON body. Raises UsageError."""
    data = _bytes(name)
    _verify_not_empty(name, data)
    if not _FIELD.search(data):
        found = _json(name, data)
        if not isinstance(found, dict):
            raise UsageError(f"{_shown(name)}: a reply must be a JSON object")
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
        raise UsageError(f"{_shown(name)}: no event in it belongs to a reply of {upstream}{like}")
    return found


def notes(name: str, upstream: str, source: dict[str, Any]) -> list[str]:
    """Notes for the user about an upstream's stream that failed or ended early."""
    if "events" not in source:
        return []
    end = formats.assembled(upstream, source).end
    count = len(source["events"])
    if end == "failed":
        return [f"{_shown(name)} holds an error of the upstream; the judge checks that the client receives it"]
    if end == "open":
        half = ", in the middle of the next one" if "rest" in source else ""
        return [
            (
                f"{_shown(name)} breaks off after {count} event{'s' if count != 1 else ''}{half}; the judge checks "
                "that the output does not look complete"
            )
        ]
    return []


def _bytes(name: str) -> bytes:
    try:
        return limited(sys.stdin.buffer) if name == "-" else read_bytes(Path(name), pipes=True)
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror})") from None


def _json(name: str, data: bytes) -> Any:
    try:
        found = parse_json(data)
    except JSONError as error:
        hint = "; this is an event stream, add --stream" if _FIELD.match(data.lstrip()) else ""
        raise UsageError(f"{_shown(name)}: not JSON: {error}{hint}") from None
    if is_too_deep(found):
        raise UsageError(f"{_shown(name)}: nested more than {MOST_DEPTH} levels deep; no provider takes such a body")
    return found


def _verify_not_empty(name: str, data: bytes) -> None:
    if not data.strip():
        raise UsageError(f"{_shown(name)}: is empty")


def _is_json(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _no_event(found: dict[str, Any]) -> str:
    if "broken" in found:
        return f"not an event stream: {found['broken']}"
    if "rest" in found:
        return "the stream breaks off in its first event: no blank line ends it"
    return "it has no event (lines `data: …`, then a blank line)"


def _shown(name: str) -> str:
    return "stdin" if name == "-" else name
