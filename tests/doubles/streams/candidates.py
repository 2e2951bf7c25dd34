"""Faults in the grammar of Gemini's streams: whole parts, one finishReason, no marker."""

from __future__ import annotations

import json
from collections.abc import Iterator

from doubles.streams.handles import again, parts
from doubles.streams.model import CALL_ALONE, GEMINI, ONE, TEXT, THINKING, UNICODE, Event, broken, warning

Events = Iterator[Event]


@broken("args-as-text", client=GEMINI, rule=("gemini/call-args-object", "translation/arguments"), spares=TEXT)
def args_as_text(events: Events) -> Events:
    """The arguments of a call are JSON text."""
    for event in events:
        for part in parts(event):
            if "functionCall" in part:
                part["functionCall"]["args"] = json.dumps(part["functionCall"]["args"])
        yield event


@broken("done-marker-of-chat", client=GEMINI, rule="gemini/stream-data")
def done_marker_of_chat(events: Events) -> Events:
    """The stream ends with [DONE]."""
    yield from events
    yield {"data": "[DONE]"}


@broken("no-finish-reason", client=GEMINI, rule="gemini/stream-finish", follows="translation/finish-reason")
def no_finish_reason(events: Events) -> Events:
    """No chunk has a finishReason."""
    for event in events:
        event["data"]["candidates"][0].pop("finishReason", None)
        yield event


@broken("chunks-with-names", client=GEMINI, rule="gemini/stream-event-name")
def chunks_with_names(events: Events) -> Events:
    """Events are called message."""
    for event in events:
        yield {"event": "message", **event}


@broken("finish-of-chat", client=GEMINI, rule="gemini/finish-reason", follows="translation/finish-reason")
def finish_of_chat(events: Events) -> Events:
    """The finishReason is TOOL_CALLS."""
    for event in events:
        if "finishReason" in event["data"]["candidates"][0]:
            event["data"]["candidates"][0]["finishReason"] = "TOOL_CALLS"
        yield event


@broken(
    "call-in-two-chunks",
    client=GEMINI,
    rule="translation/call-invented",
    follows="gemini/call-ids-unique",
    spares=TEXT,
)
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
    "nameless-arguments",
    client=GEMINI,
    rule="gemini/stream-call-continued",
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


@broken(
    "last-chunk-repeats-all",
    client=GEMINI,
    rule="translation/call-duplicated",
    follows="gemini/call-ids-unique",
    spares=TEXT,
)
def last_chunk_repeats_all(events: Events) -> Events:
    """The last chunk has the calls once more, as a snapshot of the reply."""
    calls = []
    for event in events:
        calls += [part for part in parts(event) if "functionCall" in part]
        if "finishReason" in event["data"]["candidates"][0]:
            parts(event)[:0] = [dict(part) for part in calls]
        yield event


@broken("text-so-far", client=GEMINI, rule="translation/text-changed", spares=CALL_ALONE)
def text_so_far(events: Events) -> Events:
    """Every chunk has the text so far, not only what is new."""
    text = ""
    for event in events:
        for part in parts(event):
            if part.get("text"):
                text += part["text"]
                part["text"] = text
        yield event


@broken(
    "an-array-of-chunks",
    client=GEMINI,
    rule="gemini/stream-finish",
    follows=("translation/target-format", "translation/bad-output"),
    layer="pieces",
)
def an_array_of_chunks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The stream is a JSON array, as the API writes it without alt=sse."""
    before = b"["
    for written in pieces:
        for line in written.splitlines():
            if line.startswith(b"data: "):
                yield before + line.removeprefix(b"data: ")
                before = b",\r\n"
    yield b"]"


@broken(
    "signature-at-the-next-call",
    client=GEMINI,
    upstream=GEMINI,
    rule="translation/identity",
    case=THINKING,
    spares=TEXT,
)
def signature_at_the_next_call(events: Events) -> Events:
    """A signature is handed on with the next part."""
    held = None
    for event in events:
        for part in parts(event):
            held, signature = part.pop("thoughtSignature", None), held
            if signature is not None:
                part["thoughtSignature"] = signature
        yield event


@broken("signature-cut", client=GEMINI, upstream=GEMINI, rule="translation/identity", case=THINKING, spares=TEXT)
def signature_cut(events: Events) -> Events:
    """A signature is cut at 64 characters."""
    for event in events:
        for part in parts(event):
            if "thoughtSignature" in part:
                part["thoughtSignature"] = part["thoughtSignature"][:64]
        yield event


@warning("finish-in-every-chunk", client=GEMINI, rule="gemini/stream-finish-last", case=ONE)
def finish_in_every_chunk(events: Events) -> Events:
    """Every chunk has the finishReason STOP."""
    for event in events:
        event["data"]["candidates"][0]["finishReason"] = "STOP"
        yield event


@warning("reply-id-of-every-chunk", client=GEMINI, rule="gemini/stream-same-id")
def reply_id_of_every_chunk(events: Events) -> Events:
    """Every chunk has a responseId of its own."""
    for count, event in enumerate(events):
        event["data"]["responseId"] = f"{count:024d}"
        yield event


@warning("last-chunk-without-usage", client=GEMINI, rule="gemini/stream-usage", case=UNICODE)
def last_chunk_without_usage(events: Events) -> Events:
    """No chunk has token counts."""
    for event in events:
        event["data"].pop("usageMetadata", None)
        yield event
