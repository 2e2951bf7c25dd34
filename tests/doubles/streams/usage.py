"""Counts in streams: added up, taken too early, dropped beside the last word, and left out where none came."""

from __future__ import annotations

from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, GEMINI, RESPONSES, Event, broken, harmless, warning
from doubles.streams.handles import kind

Events = Iterator[Event]

ABSENT = "usage/absent"
FINISH = "usage/with-the-finish"
GROWING = "usage/growing"
COUNTS = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount")


@warning("translation/usage", client=(ANTHROPIC, CHAT, RESPONSES), upstream=GEMINI, case=GROWING, layer="source")
def counts_added_up(events: Events) -> Events:
    """The counts of all records are added up, though each says how much it is so far."""
    total = dict.fromkeys(COUNTS, 0)
    for event in events:
        usage = event["data"].get("usageMetadata", {})
        for key in COUNTS:
            total[key] += usage.get(key, 0)
        usage.update(total)
        yield event


@warning("translation/usage", client=(ANTHROPIC, CHAT, RESPONSES), upstream=GEMINI, case=GROWING, layer="source")
def counts_of_the_first_record(events: Events) -> Events:
    """The counts of the first record are kept, and all that come later are passed over."""
    for number, event in enumerate(events):
        if number:
            event["data"].pop("usageMetadata", None)
        yield event


@broken("translation/usage-lost", client=(ANTHROPIC, RESPONSES, GEMINI), upstream=CHAT, case=FINISH, layer="source")
def counts_beside_the_finish_dropped(events: Events) -> Events:
    """Counts are only taken from a chunk without choices, and here they come with the finish_reason."""
    for event in events:
        if isinstance(event["data"], dict) and event["data"].get("choices"):
            event["data"].pop("usage", None)
        yield event


@broken("translation/usage-lost", client=(CHAT, RESPONSES, GEMINI), upstream=ANTHROPIC, case=FINISH, layer="source")
def last_counts_replace_the_first(events: Events) -> Events:
    """The usage of message_delta replaces that of message_start, though it counts the output alone."""
    for event in events:
        if kind(event) == "message_start":
            event["data"]["message"]["usage"] = {"input_tokens": 0, "output_tokens": 0}
        yield event


@broken(
    "anthropic/stream-message-delta-shape",
    upstream=CHAT,
    case=ABSENT,
    layer="each",
    thread="https://github.com/farion1231/cc-switch/pull/2485",
)
def no_counts_where_none_came(event: Event) -> None:
    """The provider does not count, and message_delta has no usage, which the client's SDK reads."""
    if kind(event) == "message_delta":
        del event["data"]["usage"]


@harmless(client=CHAT, upstream=ANTHROPIC, case=ABSENT, beside="translation/usage-lost")
def no_chunk_of_counts_where_none_came(events: Events) -> Events:
    """The provider does not count, and no chunk has the counts."""
    return (event for event in events if not isinstance(event["data"], dict) or event["data"].get("choices") != [])


@warning(
    "openai_responses/usage-details", client=RESPONSES, upstream=GEMINI, case="finish/fails-behind-text", layer="each"
)
def counts_of_a_failure_without_details(event: Event) -> None:
    """A response that failed behind its text counts tokens, and not how many were thinking."""
    if kind(event) == "response.failed":
        del event["data"]["response"]["usage"]["output_tokens_details"]
