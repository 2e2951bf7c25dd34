"""Faults in the grammar of Gemini's streams: whole parts, one finishReason, no marker."""

from __future__ import annotations

import json
from collections.abc import Iterator

from doubles.stream import CALL_ALONE, GEMINI, ONE, TEXT, THINKING, UNICODE, Event, broken, warning
from doubles.streams.handles import again, parts

Events = Iterator[Event]


@broken(("gemini/call-args-object", "translation/arguments"), spares=TEXT, layer="each")
def args_as_text(event: Event) -> None:
    """The arguments of a call are JSON text."""
    for part in parts(event):
        if "functionCall" in part:
            part["functionCall"]["args"] = json.dumps(part["functionCall"]["args"])


@broken("gemini/stream-data")
def done_marker_of_chat(events: Events) -> Events:
    """The stream ends with [DONE]."""
    yield from events
    yield {"data": "[DONE]"}


@broken("gemini/stream-finish", follows="translation/finish-reason", layer="each")
def no_finish_reason(event: Event) -> None:
    """No chunk has a finishReason."""
    event["data"]["candidates"][0].pop("finishReason", None)


@broken("gemini/stream-event-name")
def chunks_with_names(events: Events) -> Events:
    """Events are called message."""
    for event in events:
        yield {"event": "message", **event}


@broken("gemini/finish-reason", follows="translation/finish-reason", layer="each")
def finish_of_chat(event: Event) -> None:
    """The finishReason is TOOL_CALLS."""
    if "finishReason" in event["data"]["candidates"][0]:
        event["data"]["candidates"][0]["finishReason"] = "TOOL_CALLS"


@broken("translation/call-invented", client=GEMINI, follows="gemini/call-ids-unique", spares=TEXT)
def call_in_two_chunks(events: Events) -> Events:
    """A call comes by name first, and with its arguments in the next chunk: two calls."""
    for event in events:
        calls = [part for part in parts(event) if "functionCall" in part]
        if calls:
            first = again(event)
            for part in parts(first):
                part.get("functionCall", {})["args"] = {}
            yield first
        yield event


@broken(
    "gemini/stream-call-continued",
    follows=(
        *("gemini/call-name", "gemini/call-ids-unique"),
        *("translation/call-invented", "translation/call-name", "translation/arguments"),
    ),
    spares=TEXT,
)
def nameless_arguments(events: Events) -> Events:
    """The arguments of a call come in a chunk of their own, without the name."""
    for event in events:
        if any("functionCall" in part for part in parts(event)):
            first = again(event)
            for part in parts(first):
                part.get("functionCall", {}).pop("args", None)
            yield first
            for part in parts(event):
                part.get("functionCall", {}).pop("name", None)
        yield event


@broken("translation/call-duplicated", client=GEMINI, spares=TEXT)
def last_chunk_repeats_all(events: Events) -> Events:
    """The last chunk has the calls once more, as a snapshot of the reply."""
    calls = []
    for event in events:
        calls += [part for part in parts(event) if "functionCall" in part]
        if "finishReason" in event["data"]["candidates"][0]:
            parts(event)[:0] = [dict(part) for part in calls]
        yield event


@broken("translation/text-changed", client=GEMINI, spares=CALL_ALONE)
def text_so_far(events: Events) -> Events:
    """Every chunk has the text so far, not only what is new."""
    text = ""
    for event in events:
        for part in parts(event):
            if part.get("text"):
                text += part["text"]
                part["text"] = text
        yield event


@broken("gemini/stream-finish", follows=("translation/target-format", "translation/bad-output"), layer="pieces")
def an_array_of_chunks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The stream is a JSON array, as the API writes it without alt=sse."""
    before = b"["
    for written in pieces:
        for line in written.splitlines():
            if line.startswith(b"data: "):
                yield before + line.removeprefix(b"data: ")
                before = b",\r\n"
    yield b"]"


@broken("translation/reply-state", client=GEMINI, upstream=GEMINI, case=THINKING, spares=TEXT)
def signature_at_the_next_call(events: Events) -> Events:
    """A signature is handed on with the next part."""
    next_signature = None
    for event in events:
        for part in parts(event):
            next_signature, signature = part.pop("thoughtSignature", None), next_signature
            if signature is not None:
                part["thoughtSignature"] = signature
        yield event


@broken("translation/reply-state", client=GEMINI, upstream=GEMINI, case=THINKING, spares=TEXT, layer="each")
def signature_cut(event: Event) -> None:
    """A signature is cut at 64 characters."""
    for part in parts(event):
        if "thoughtSignature" in part:
            part["thoughtSignature"] = part["thoughtSignature"][:64]


@warning("gemini/stream-finish-last", case=ONE, layer="each")
def finish_in_every_chunk(event: Event) -> None:
    """Every chunk has the finishReason STOP."""
    event["data"]["candidates"][0]["finishReason"] = "STOP"


@warning("gemini/stream-same-id")
def reply_id_of_every_chunk(events: Events) -> Events:
    """Every chunk has a responseId of its own."""
    for count, event in enumerate(events):
        event["data"]["responseId"] = f"{count:024d}"
        yield event


@broken("translation/usage-lost", case=UNICODE, client=GEMINI, layer="each")
def last_chunk_without_usage(event: Event) -> None:
    """No chunk has token counts."""
    event["data"].pop("usageMetadata", None)
