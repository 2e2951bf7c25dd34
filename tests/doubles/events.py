"""Handles on what is in the events of a stream of any format. They read and write in place.

An event is as ``toolcall_conformance.basics.streaming.parse`` has it: ``{"event": name, "data": value}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from doubles import wire
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_reference.streaming import sse

Event = dict[str, Any]
Change = Callable[[Event], Iterable[Event]]


def calls(format_name: str, event: Event) -> Iterator[wire.Call]:
    """The calls that an event names by id or name; one that brings a piece of arguments alone names none.

    In Responses the same call is named by several events, the last of which has the whole reply.
    """
    data = event["data"]
    if not isinstance(data, dict):
        return
    if format_name == "anthropic":
        block = data.get("content_block") or {}
        if block.get("type") == "tool_use":
            yield wire.Call(format_name, [block], block)
    elif format_name == "openai_chat":
        for choice in data.get("choices") or []:
            entries = (choice.get("delta") or {}).get("tool_calls") or []
            yield from (wire.Call(format_name, entries, entry) for entry in entries if "id" in entry)
    elif format_name == "openai_responses":
        items = [data["item"]] if "item" in data else (data.get("response") or {}).get("output") or []
        yield from (wire.Call(format_name, items, item) for item in items if item.get("type") == "function_call")
    else:
        for candidate in data.get("candidates") or []:
            entries = (candidate.get("content") or {}).get("parts") or []
            yield from (wire.Call(format_name, entries, part) for part in entries if "functionCall" in part)


def change_output(pieces: Iterable[bytes], change: Change, format_name: str) -> Iterator[bytes]:
    """A stream as the reference wrote it, whole events a piece, with each event changed; piece by piece."""
    for piece in pieces:
        stream = parse(piece)
        events = [output for event in stream["events"] for output in change(event)]
        yield _frame_events(events, format_name) + stream.get("rest", "").encode()


def change_source(chunks: Iterable[bytes], change: Change, format_name: str) -> Iterator[bytes]:
    """A provider's stream, however it is cut, with each event changed as soon as it is whole."""
    parser = sse.Parser()
    for chunk in chunks:
        written = b"".join(_change_event(event, change, format_name) for event in parser.feed(chunk))
        if written:
            yield written
    rest = parser.end()
    if rest is not None:
        yield "\n".join(rest.lines).encode()


def _change_event(event: sse.Event, change: Change, format_name: str) -> bytes:
    events = parse(sse.reframe(event.lines))["events"]
    return _frame_events([output for each in events for output in change(each)], format_name)


def _frame_events(events: list[Event], format_name: str) -> bytes:
    written = dump(events)
    return written.replace(b"\n", b"\r\n") if format_name == "gemini" else written
