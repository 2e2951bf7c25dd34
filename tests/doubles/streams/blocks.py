"""Faults in the grammar of Anthropic's streams: the message, its blocks, and their deltas."""

from __future__ import annotations

from collections.abc import Iterator

from doubles.stream import (
    ANTHROPIC,
    CALL_ALONE,
    CUT,
    GEMINI,
    NO_JSON,
    ONE,
    PARALLEL,
    TEXT,
    THINKING,
    Event,
    broken,
    warning,
)
from doubles.streams.handles import again, kind, opens, piece, typed, whole_input, without_last

Events = Iterator[Event]

NOT_ITS_BLOCK = ("anthropic/stream-block-closed", "translation/arguments")
"""What follows where deltas and stops are for another block than their own."""


@broken(
    "anthropic/stream-block-index",
    follows="anthropic/stream-block-start",
    never="anthropic/stream-block-open",
    layer="each",
)
def index_as_string(event: Event) -> None:
    """The index of a block is a string."""
    if "index" in event["data"]:
        event["data"]["index"] = str(event["data"]["index"])


@broken(
    "anthropic/stream-block-index",
    follows=("anthropic/stream-block-open", "anthropic/stream-delta-kind", *NOT_ITS_BLOCK),
    spares=TEXT,
    layer="each",
)
def second_block_reuses_index(event: Event) -> None:
    """Every block has the index 0."""
    if "index" in event["data"]:
        event["data"]["index"] = 0


@broken(
    "anthropic/stream-block-index",
    follows=("anthropic/stream-block-open", *NOT_ITS_BLOCK, "translation/text-lost"),
    layer="each",
)
def index_from_one(event: Event) -> None:
    """Blocks are counted from 1."""
    if "index" in event["data"]:
        event["data"]["index"] += 1


@broken(
    "anthropic/stream-block-index",
    follows=("anthropic/stream-block-open", *NOT_ITS_BLOCK),
    spares=TEXT,
    thread="https://github.com/QuantumNous/new-api/issues/5482",
)
def index_skips_one(events: Events) -> Events:
    """The index is raised when a text ends and when a call begins, so one is left out between the two."""
    text = False
    for event in events:
        text = text or opens(event, "text")
        if text and event["data"].get("index"):
            event["data"]["index"] += 1
        yield event


@broken("anthropic/stream-block-closed", spares=TEXT)
def block_never_closed(events: Events) -> Events:
    """The last call's block is not stopped."""
    stop = None
    for event in events:
        if kind(event) == "content_block_stop":
            stop = event if event["data"]["index"] == 3 else None
        if stop is None or event is not stop:
            yield event


@broken("anthropic/stream-block-open")
def block_closed_twice(events: Events) -> Events:
    """A block is stopped when it ends, and all once more with the message."""
    stops = []
    for event in events:
        if kind(event) == "content_block_stop":
            stops.append(event)
        if kind(event) == "message_delta":
            yield from map(again, stops)
        yield event


@broken("anthropic/stream-block-open", follows=("anthropic/stream-arguments-json", *NO_JSON), spares=TEXT)
def delta_before_start(events: Events) -> Events:
    """The first fragment of a call's arguments comes before its block is started."""
    start = None
    for event in events:
        if opens(event, "tool_use"):
            start = event
            continue
        if start is not None and piece(event, "input_json_delta") and event["data"]["delta"]["partial_json"]:
            yield event
            yield start
            start = None
            continue
        if start is None or not piece(event, "input_json_delta"):
            yield event


@broken("anthropic/stream-block-open", spares=TEXT)
def delta_after_stop(events: Events) -> Events:
    """The last fragment of a call comes when its block is stopped already."""
    fragment = None
    for event in events:
        late = kind(event) == "content_block_stop" and fragment is not None
        if fragment is not None:
            yield from (event, fragment) if late else (fragment,)
        fragment = event if piece(event, "input_json_delta") else None
        if fragment is None and not late:
            yield event


@broken(
    "anthropic/stream-block-open",
    follows=("translation/text-lost",),
    case=TEXT,
    thread="https://github.com/decolua/9router/pull/2248",
)
def block_not_started(events: Events) -> Events:
    """The content_block_start of a text is left out."""
    return (event for event in events if not opens(event, "text"))


@broken("anthropic/stream-block-open", thread="https://github.com/QuantumNous/new-api/issues/5482")
def stop_of_no_block(events: Events) -> Events:
    """With the message a block is stopped that was never started."""
    for event in events:
        if kind(event) == "message_delta":
            yield typed("content_block_stop", index=9)
        yield event


@broken(
    "anthropic/stream-start",
    follows=("translation/target-format", "translation/bad-output"),
    thread="https://github.com/router-for-me/CLIProxyAPI/issues/561",
)
def message_not_started(events: Events) -> Events:
    """There is no message_start."""
    return (event for event in events if kind(event) != "message_start")


@broken("anthropic/stream-start", spares=TEXT)
def message_started_twice(events: Events) -> Events:
    """A message_start comes with every call."""
    start = None
    for event in events:
        start = event if kind(event) == "message_start" else start
        if opens(event, "tool_use") and start is not None:
            yield again(start)
        yield event


@broken("anthropic/stream-message-start-shape", follows=("anthropic/shape",), layer="each")
def message_start_without_usage(event: Event) -> None:
    """message_start has no usage."""
    if kind(event) == "message_start":
        del event["data"]["message"]["usage"]


@broken(
    "anthropic/stream-block-start",
    spares=TEXT,
    thread="https://github.com/farion1231/cc-switch/pull/2557",
    layer="each",
)
def call_starts_without_input(event: Event) -> None:
    """The block of a call is started without an input."""
    if opens(event, "tool_use"):
        del event["data"]["content_block"]["input"]


@broken(
    "anthropic/stream-delta-kind",
    follows=("anthropic/stream-finish-agrees", "anthropic/finish-agrees-with-calls", "translation/call-lost"),
    case="shell/recorded-shape",
    spares=TEXT,
    thread="https://github.com/BerriAI/litellm/pull/27962",
    layer="each",
)
def first_block_is_always_text(event: Event) -> None:
    """The first block is started as a text, whatever it is."""
    if kind(event) == "content_block_start" and event["data"]["index"] == 0:
        event["data"]["content_block"] = {"type": "text", "text": ""}


@broken("anthropic/stream-delta-shape", follows=("translation/arguments",), spares=TEXT, layer="each")
def fragment_as_object(event: Event) -> None:
    """The arguments of a call come at once as an object, not as text."""
    if piece(event, "input_json_delta"):
        event["data"]["delta"]["partial_json"] = {"command": "ls"}


@broken("translation/call-invented", client=ANTHROPIC, case=CALL_ALONE, spares=TEXT)
def call_of_nobody_cut_short(events: Events) -> Events:
    """Behind the calls stands one that nobody made, without a name and with half of its arguments."""
    index, called = -1, False
    for event in events:
        index = event["data"].get("index", index)
        called |= piece(event, "input_json_delta")
        if called and kind(event) == "message_delta":
            block = {"type": "tool_use", "id": "toolu_01Nobody", "name": "", "input": {}}
            half = {"type": "input_json_delta", "partial_json": '{"query'}
            yield typed("content_block_start", index=index + 1, content_block=block)
            yield typed("content_block_delta", index=index + 1, delta=half)
            yield typed("content_block_stop", index=index + 1)
        yield event


@broken(
    ("anthropic/stream-arguments-json", "translation/call-invented"),
    follows=(*NO_JSON, "anthropic/call-ids-unique"),
    spares=TEXT,
    thread="https://github.com/diegosouzapw/OmniRoute/issues/686",
)
def block_for_every_fragment(events: Events) -> Events:
    """Every fragment of a call gets a block of its own."""
    index, start, fresh = -1, None, False
    for event in events:
        if kind(event) == "content_block_start":
            start, fresh, index = event, True, index + 1
        elif piece(event, "input_json_delta") and start is not None and event["data"]["delta"]["partial_json"]:
            if not fresh:
                yield typed("content_block_stop", index=index)
                index += 1
                yield again(start) | {"data": again(start)["data"] | {"index": index}}
            fresh = False
        if "index" in event["data"]:
            event["data"]["index"] = index
        yield event


@broken("anthropic/stream-end")
def stream_ends_open(events: Events) -> Events:
    """message_stop is left out."""
    return without_last(events)


@broken("anthropic/stream-after-end", thread="https://github.com/rashidrazak/opencode-cmd-provider/issues/174")
def stop_twice(events: Events) -> Events:
    """message_stop comes twice, as it does where two layers end the stream."""
    for event in events:
        yield event
        if kind(event) == "message_stop":
            yield again(event)


@broken("anthropic/stream-after-end")
def usage_after_stop(events: Events) -> Events:
    """The message_delta with the usage comes once more, behind message_stop."""
    last_delta = None
    for event in events:
        yield event
        last_delta = event if kind(event) == "message_delta" else last_delta
    if last_delta is not None:
        yield again(last_delta)


@broken(
    "anthropic/stream-finish",
    follows=("anthropic/finish-reason", "translation/finish-reason"),
    thread="https://github.com/0xPlaygrounds/rig/issues/2235",
)
def no_stop_reason(events: Events) -> Events:
    """There is no message_delta."""
    return (event for event in events if kind(event) != "message_delta")


@broken(
    "anthropic/stream-message-delta-shape",
    follows="translation/usage-lost",
    thread="https://github.com/farion1231/cc-switch/pull/2485",
    layer="each",
)
def message_delta_without_usage(event: Event) -> None:
    """message_delta has no usage."""
    if kind(event) == "message_delta":
        del event["data"]["usage"]


@broken(
    ("anthropic/stream-finish-agrees", "translation/finish-reason"),
    follows="anthropic/finish-agrees-with-calls",
    spares=TEXT,
    thread="https://github.com/maximhq/bifrost/pull/6155",
    layer="each",
)
def ended_turn_beside_calls(event: Event) -> None:
    """The stop_reason beside calls is end_turn: a stop of Chat, kept."""
    if kind(event) == "message_delta":
        event["data"]["delta"]["stop_reason"] = "end_turn"


@broken(
    ("anthropic/stream-finish-agrees", "translation/finish-reason"),
    follows="anthropic/finish-agrees-with-calls",
    case=CUT,
    spares=PARALLEL,
    layer="each",
)
def tool_use_without_calls(event: Event) -> None:
    """max_tokens is told as tool_use, because tools were declared."""
    if kind(event) == "message_delta" and event["data"]["delta"]["stop_reason"] == "max_tokens":
        event["data"]["delta"]["stop_reason"] = "tool_use"


@broken("anthropic/stream-event-name")
def events_without_names(events: Events) -> Events:
    """There are no event: lines, as in OpenAI's streams."""
    for event in events:
        yield {"data": event["data"]}


@broken("anthropic/stream-event-name")
def events_named_alike(events: Events) -> Events:
    """Every event is called message."""
    for event in events:
        yield {"event": "message", "data": event["data"]}


@broken("anthropic/stream-event-name", layer="each")
def data_with_type_null(event: Event) -> None:
    """The name of an event is in its event: line, and the type in its data is null."""
    event["data"]["type"] = None


@broken("anthropic/stream-event-name", layer="each")
def data_without_type(event: Event) -> None:
    """The name of an event is in its event: line only."""
    del event["data"]["type"]


@broken(
    "anthropic/stream-signature-once",
    upstream=ANTHROPIC,
    follows=("translation/reply-state",),
    case=THINKING,
    spares=TEXT,
)
def two_signatures(events: Events) -> Events:
    """A signature comes in two pieces, and clients keep the last."""
    for event in events:
        if piece(event, "signature_delta"):
            half = again(event)
            half["data"]["delta"]["signature"] = event["data"]["delta"]["signature"][:40]
            event["data"]["delta"]["signature"] = event["data"]["delta"]["signature"][40:]
            yield half
        yield event


@broken(
    "anthropic/stream-data",
    follows=("anthropic/stream-start", "translation/target-format", "translation/bad-output"),
    layer="pieces",
)
def json_over_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The JSON of an event is spread over several lines, and only the first is a line of data."""
    for written in pieces:
        yield written.replace(b'"type":', b'\n"type":').replace(b'{\n"type"', b'{"type"', 1)


@warning("anthropic/stream-done-marker")
def done_marker(events: Events) -> Events:
    """A stream ends with the [DONE] of Chat."""
    yield from events
    yield {"data": "[DONE]"}


@warning("anthropic/stream-block-overlap")
def blocks_overlap(events: Events) -> Events:
    """A block is stopped only when the message ends; the official accumulators do not mind."""
    stops = []
    for event in events:
        if kind(event) == "content_block_stop":
            stops.append(event)
            continue
        if kind(event) == "message_delta":
            yield from stops
        yield event


@warning("anthropic/stream-finish-last", case=ONE)
def content_after_the_stop_reason(events: Events) -> Events:
    """The stop_reason comes when it is known, before the last block is stopped."""
    buffer: list[Event] = []
    for event in events:
        if kind(event) == "content_block_stop" or buffer:
            buffer.append(event)
            if kind(event) == "message_delta":
                yield buffer.pop()
                yield from buffer
                buffer = []
            elif kind(event) == "content_block_start":
                yield from buffer
                buffer = []
            continue
        yield event


@warning("anthropic/stream-input-in-deltas", upstream=GEMINI)
def input_at_the_start_and_in_deltas(events: Events) -> Events:
    """A call has its whole input in the event that starts its block, and in the deltas again."""
    return whole_input(events, and_deltas=True)
