"""Shapes of compatible servers' streams that a reader of the API's own streams does not expect."""

from __future__ import annotations

from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, ONE, RESPONSES, Event, broken
from doubles.streams.handles import entries, kind

Events = Iterator[Event]


@broken(
    "translation/arguments",
    client=CHAT,
    upstream=ANTHROPIC,
    case="streaming/dialect-input-at-start",
    layer="source",
    spares=ONE,
    thread="https://github.com/inflaborg/ccrelay/pull/119",
)
def input_of_the_start_unread(events: Events) -> Events:
    """The input of a call is read from its deltas alone, and the server sends none."""
    for event in events:
        if kind(event) == "content_block_start" and "input" in event["data"]["content_block"]:
            event["data"]["content_block"]["input"] = {}
        yield event


@broken(
    ("translation/call-lost", "translation/text-lost"),
    client=ANTHROPIC,
    upstream=RESPONSES,
    case="streaming/dialect-items-when-done",
    layer="source",
    spares=ONE,
    thread="https://github.com/open-webui/open-webui/pull/27800",
)
def items_not_added_unread(events: Events) -> Events:
    """An item that was not added is passed over when it is done."""
    added = False
    for event in events:
        added = added or kind(event) == "response.output_item.added"
        if kind(event) != "response.output_item.done" or added:
            yield event


@broken(
    ("translation/call-lost", "translation/text-lost"),
    client=CHAT,
    upstream=RESPONSES,
    case="streaming/dialect-items-at-end",
    layer="source",
    spares=ONE,
)
def items_of_the_end_unread(events: Events) -> Events:
    """The items of the last event are passed over, since all were told of before."""
    for event in events:
        if kind(event) == "response.completed":
            event["data"]["response"]["output"] = []
        yield event


@broken(
    "translation/call-name",
    follows=("anthropic/call-shape", "anthropic/stream-block-start"),
    client=ANTHROPIC,
    upstream=CHAT,
    case="streaming/null-fragments",
    layer="source",
    spares=ONE,
    thread="https://github.com/odysseus-dev/odysseus/issues/2922",
)
def chunk_with_null_dropped(events: Events) -> Events:
    """A chunk whose fragment of arguments is null is thrown away as not well formed."""
    for event in events:
        if all(entry["function"].get("arguments") is not None for entry in entries(event)):
            yield event
