"""Captured input from a file or stdin: a JSON body, or the bytes of an event stream."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.foreign_files import MAX_DEPTH, is_too_deep, read_bytes, read_limited
from toolcall_conformance.basics.jsonvalue import JSONError, unescape
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.captures.exchanges import UnreadableCaptureError
from toolcall_conformance.recording.captures.files import body_pointers, describe_contents, unpack, unwrap

_FIELD = re.compile(rb"(?m)^\xef?\xbb?\xbf?(?:data|event|id|retry)?:")


def body(name: str, corpus: Corpus | None = None, notes: list[str] | None = None) -> Any:
    """Read a JSON body, and open with ``corpus`` what it is wrapped in; ``notes`` say so. Raises UsageError."""
    content = _json(name, _bytes(name))
    return content if corpus is None else _unwrap(corpus, name, content, [] if notes is None else notes)


def read_bytes_of(name: str) -> bytes:
    """The bytes of a file, which is read again later. Raises UsageError."""
    return _bytes(name)


def is_stream(data: bytes) -> bool:
    """Whether bytes are an event stream."""
    return bool(_FIELD.match(data.lstrip())) and not _is_json(data)


def body_in(corpus: Corpus, name: str, data: bytes) -> Any:
    """The JSON body in the bytes of a file. Raises UsageError."""
    return _unwrap(corpus, name, _json(name, data), [])


def _unwrap(corpus: Corpus, name: str, content: Any, notes: list[str]) -> Any:
    """The body in its wrapper; a content that wraps none as it is. Raises UsageError for several bodies."""
    inside = body_pointers(corpus, content)
    if len(inside) == 1:
        inner = unwrap(corpus, content)
        assert inner is not None
        notes.append(f"{display_name(name)} wraps the body; the judge reads the body at {inner[1]}")
        return inner[0]
    if len(inside) > 1:
        raise UsageError(
            f"{display_name(name)}: it holds several bodies, at {', '.join(inside[:4])}; give one of them: "
            f"jq '{_jq(inside[0])}' {display_name(name)}"
        )
    return content


def _jq(pointer: str) -> str:
    steps = [unescape(step) for step in pointer.split("/")[1:]]
    return "".join(
        f"[{step}]" if step.isdecimal() else f".{step}" if step.isidentifier() else f'["{step}"]' for step in steps
    )


def stream(name: str) -> tuple[bytes, dict[str, Any]]:
    """Read a client's stream: its bytes, and what ``streaming.parse`` makes of them. Rules judge broken bytes.

    Raises UsageError.
    """
    data = _bytes(name)
    _verify_not_empty(name, data)
    if _is_json(data):
        raise UsageError(
            f"{display_name(name)}: this is JSON, but --stream expects an event stream (lines `data: …`; Gemini sends "
            "them with ?alt=sse). Leave out --stream to judge a body"
        )
    stream_body = parse(data)
    if not stream_body["events"]:
        raise UsageError(f"{display_name(name)}: {_no_event(stream_body)}")
    return data, stream_body


def stream_or_reply(name: str, upstream: str, corpus: Corpus) -> dict[str, Any]:
    """Read an upstream's answer: its stream, or its reply as one JSON body. Raises UsageError."""
    data = _bytes(name)
    _verify_not_empty(name, data)
    if not _FIELD.search(data):
        content = _json(name, data)
        if not isinstance(content, dict):
            raise UsageError(f"{display_name(name)}: a reply must be a JSON object")
        return content
    content = parse(data)
    if "broken" in content:
        raise UsageError(f"{display_name(name)}: {content['broken']}; capture the bytes unchanged")
    if not content["events"]:
        raise UsageError(f"{display_name(name)}: {_no_event(content)}")
    from toolcall_conformance.judge.streams.client_stream import matching_formats

    looks = matching_formats(corpus, content)
    if upstream not in looks:
        like = f"; it looks like {' or '.join(looks)}" if looks else ""
        raise UsageError(f"{display_name(name)}: no event in it belongs to a reply of {upstream}{like}")
    return content


def stream_notes(name: str, upstream: str, source: dict[str, Any]) -> list[str]:
    """Notes for the user about an upstream's stream that failed or ended early."""
    if "events" not in source:
        return []
    end = formats.assemble(upstream, source).as_sent.end
    count = len(source["events"])
    if end == "failed":
        return [f"{display_name(name)} holds an error of the upstream; the judge checks that the client receives it"]
    if end == "open":
        half = ", in the middle of the next one" if "rest" in source else ""
        return [
            (
                f"{display_name(name)} breaks off after {count} event{'s' if count != 1 else ''}{half}; the judge "
                "checks that the output does not look complete"
            )
        ]
    return []


def _bytes(name: str) -> bytes:
    try:
        return unpack(read_limited(sys.stdin.buffer) if name == "-" else read_bytes(Path(name), pipes=True))
    except UnreadableCaptureError as error:
        raise UsageError(f"{display_name(name)}: {error}") from None
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror})") from None


def _json(name: str, data: bytes) -> Any:
    _verify_not_empty(name, data)
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        content = parse_json(data)
    except JSONError as error:
        if contents := describe_contents(data):
            raise UsageError(f"{display_name(name)}: {contents}") from None
        hint = "; this is an event stream, add --stream" if _FIELD.match(data.lstrip()) else ""
        if not hint and data.lstrip()[:1] in (b"{", b"[") and data.rstrip()[-1:] not in (b"}", b"]"):
            hint = "; is the file cut off?"
        raise UsageError(f"{display_name(name)}: not JSON: {error}{hint}") from None
    if is_too_deep(content):
        raise UsageError(
            f"{display_name(name)}: nested more than {MAX_DEPTH} levels deep; no provider takes such a body"
        )
    return content


def _verify_not_empty(name: str, data: bytes) -> None:
    if not data.strip():
        raise UsageError(f"{display_name(name)}: is empty")


def _is_json(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _no_event(content: dict[str, Any]) -> str:
    if "broken" in content:
        return f"not an event stream: {content['broken']}"
    if "rest" in content:
        return "the stream breaks off in its first event: no blank line ends it"
    return "it has no event (lines `data: …`, then a blank line)"


def display_name(name: str) -> str:
    return "stdin" if name == "-" else name
