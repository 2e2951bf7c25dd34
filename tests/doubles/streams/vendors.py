"""Shapes of compatible servers' streams that a reader of the API's own streams does not expect."""

from __future__ import annotations

from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, ONE, RESPONSES, Event, broken, harmless
from doubles.streams.handles import choice_of, entries, kind

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
    "translation/call-lost",
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


@broken(
    "translation/target-format",
    client=RESPONSES,
    upstream=CHAT,
    case="shell/dialect-azure",
    layer="source",
    spares=ONE,
    thread="https://github.com/pydantic/pydantic-ai/issues/164",
)
def chunk_without_choices_ends_it(events: Events) -> Events:
    """A chunk without choices is taken for the last, which has the usage; Azure sends one first."""
    for event in events:
        yield event
        if event["data"] != "[DONE]" and not choice_of(event):
            break


@broken(
    ("openai_chat/stream-chunk", "openai_chat/reply-envelope"),
    client=CHAT,
    upstream=CHAT,
    case="shell/dialect-azure",
    spares=ONE,
    thread="https://github.com/AbanteAI/archive-old-cli-mentat/issues/429",
)
def named_by_the_first_chunk(events: Events) -> Events:
    """Id, model and object of a reply are read from its first chunk, and given out with every other."""
    named: dict[str, str] = {}
    for event in events:
        if event["data"] != "[DONE]":
            named = named or {key: event["data"][key] for key in ("id", "model", "object")}
            event["data"] |= named
        yield event


@harmless(client=CHAT, upstream=CHAT, case="shell/dialect-azure", warns="translation/identity")
def first_chunk_of_azure_kept_back(events: Events) -> Events:
    """What Azure's filter found in the request is not handed on, and the reply is."""
    for event in events:
        if event["data"] == "[DONE]" or "prompt_filter_results" not in event["data"]:
            yield event
