"""Faults in the grammar of Chat's streams: the chunks, the choice, and its calls by index."""

from __future__ import annotations

import json
from collections.abc import Iterator

from doubles.stream import (
    CALL_ALONE,
    CHAT,
    CUT,
    GEMINI,
    ONE,
    PARALLEL,
    RESPONSES,
    TEXT,
    UNICODE,
    Event,
    broken,
    harmless,
    warning,
)
from doubles.streams.handles import again, choice_of, delta, entries, without_last

Events = Iterator[Event]

NO_CHUNK = ("openai_chat/stream-finish", "translation/target-format")
"""What follows where no event is a chunk."""


@broken("openai_chat/stream-call-index", spares=CALL_ALONE, thread="https://github.com/BerriAI/litellm/issues/11407")
def index_of_the_block(events: Events) -> Events:
    """A call has the index of its block in Anthropic, where a text stood before it."""
    text = 0
    for event in events:
        text = 1 if delta(event).get("content") else text
        for entry in entries(event):
            entry["index"] += text
        yield event


@broken(
    "openai_chat/stream-call-own-index",
    upstream=GEMINI,
    spares=ONE,
    thread="https://github.com/mozilla-ai/any-llm/pull/970",
    layer="each",
)
def index_always_zero(event: Event) -> None:
    """Every call has the index 0."""
    for entry in entries(event):
        entry["index"] = 0


@broken(
    "openai_chat/stream-call-index", spares=TEXT, thread="https://github.com/ollama/ollama/issues/7881", layer="each"
)
def index_absent(event: Event) -> None:
    """Calls have no index."""
    for entry in entries(event):
        del entry["index"]


@broken("openai_chat/stream-call-delta", follows="openai_chat/stream-call-index", spares=TEXT, layer="each")
def index_as_text(event: Event) -> None:
    """The index of a call is a text."""
    for entry in entries(event):
        entry["index"] = str(entry["index"])


@broken("openai_chat/stream-call-index", follows="openai_chat/stream-calls-in-turn", spares=TEXT)
def index_by_fragment(events: Events) -> Events:
    """Every entry has the next index, so that the official client takes each fragment for a call."""
    count = 0
    for event in events:
        for entry in entries(event):
            entry["index"] = count
            count += 1
        yield event


@broken("translation/call-invented", client=CHAT, case=CALL_ALONE, spares=TEXT)
def arguments_of_no_call(events: Events) -> Events:
    """Arguments come after those of the calls, at a new index without id, type and name."""
    next_index = 0
    for event in events:
        next_index = max([next_index, *(entry["index"] + 1 for entry in entries(event))])
        if next_index and choice_of(event).get("finish_reason"):
            piece = again(event)
            choice_of(piece).update(
                finish_reason=None, delta={"tool_calls": [{"index": next_index, "function": {"arguments": '{"query'}}]}
            )
            yield piece
        yield event


@broken("openai_chat/stream-call-once", spares=TEXT)
def id_in_every_delta(events: Events) -> Events:
    """The id of a call stands in each of its deltas; the official SDK puts them one behind the other."""
    ids: dict[int, str | None] = {}
    for event in events:
        for entry in entries(event):
            entry["id"] = ids.setdefault(entry["index"], entry.get("id"))
        yield event


@broken("openai_chat/stream-call-once", spares=TEXT)
def id_of_its_own_in_every_delta(events: Events) -> Events:
    """Each delta of a call has an id that is drawn anew."""
    count = 0
    for event in events:
        for entry in entries(event):
            count += 1
            entry["id"] = f"call_{count:024d}"
        yield event


@broken("openai_chat/stream-call-once", spares=TEXT, thread="https://github.com/NousResearch/hermes-agent/pull/11984")
def name_in_every_delta(events: Events) -> Events:
    """The name of a call stands in each of its deltas."""
    names: dict[int, str | None] = {}
    for event in events:
        for entry in entries(event):
            entry["function"]["name"] = names.setdefault(entry["index"], entry["function"].get("name"))
        yield event


@broken("openai_chat/stream-call-id", follows="openai_chat/call-id", spares=TEXT, layer="each")
def call_without_id(event: Event) -> None:
    """Calls have no id."""
    for entry in entries(event):
        entry.pop("id", None)


@broken("openai_chat/stream-call-type", spares=TEXT, layer="each")
def call_without_type(event: Event) -> None:
    """Calls have no type."""
    for entry in entries(event):
        entry.pop("type", None)


@broken("openai_chat/stream-call-type", spares=TEXT, layer="each")
def type_null_later(event: Event) -> None:
    """Later deltas of a call say its type as null: all keys of an object are written."""
    for entry in entries(event):
        entry.setdefault("type", None)


@harmless(client=CHAT, layer="each", beside=("openai_chat/stream-call-once", "openai_chat/stream-call-name"))
def name_null_later(event: Event) -> None:
    """Later deltas of a call say its name as null."""
    for entry in entries(event):
        entry["function"].setdefault("name", None)


@harmless(client=CHAT, layer="each", beside=("openai_chat/stream-call-once", "openai_chat/stream-call-id"))
def id_null_later(event: Event) -> None:
    """Later deltas of a call say its id as null."""
    for entry in entries(event):
        entry.setdefault("id", None)


@harmless(client=CHAT, upstream=RESPONSES, beside="openai_chat/stream-after-end")
def usage_twice(events: Events) -> Events:
    """The chunk with the usage comes twice."""
    for event in events:
        yield event
        if isinstance(event["data"], dict) and not choice_of(event):
            yield again(event)


@broken("openai_chat/stream-call-name", spares=TEXT, thread="https://github.com/vercel/ai/pull/14760")
def name_comes_last(events: Events) -> Events:
    """The name of a call comes with its first fragment, after its id."""
    names = {}
    for event in events:
        for entry in entries(event):
            if "name" in entry["function"]:
                names[entry["index"]] = entry["function"].pop("name")
            elif entry["index"] in names:
                entry["function"]["name"] = names.pop(entry["index"])
        yield event


@broken("openai_chat/call-arguments", upstream=GEMINI, spares=TEXT, layer="each")
def arguments_as_object(event: Event) -> None:
    """The arguments of a call are an object."""
    for entry in entries(event):
        if entry["function"].get("arguments"):
            entry["function"]["arguments"] = json.loads(entry["function"]["arguments"])


@broken(
    ("openai_chat/stream-call-delta", "openai_chat/stream-call-name"),
    follows=("openai_chat/call-shape", "translation/call-name", "translation/arguments"),
    spares=TEXT,
    layer="each",
)
def function_flattened(event: Event) -> None:
    """Name and arguments stand in the entry itself."""
    for entry in entries(event):
        entry |= entry.pop("function")


@broken("openai_chat/stream-finish-last", spares=TEXT)
def finish_before_arguments(events: Events) -> Events:
    """The finish_reason comes with the first chunk of the last call: calls were seen, so calls it is."""
    early = False
    for event in events:
        if any(entry["index"] == 2 for entry in entries(event)) and not early:
            early = True
            last = again(event)
            yield event
            choice_of(last).update(delta={}, finish_reason="tool_calls")
            yield last
        elif not (early and choice_of(event).get("finish_reason")):
            yield event


@broken("openai_chat/stream-finish", follows=("openai_chat/reply-envelope", "translation/finish-reason"), layer="each")
def finish_missing(event: Event) -> None:
    """No chunk has a finish_reason."""
    if choice_of(event):
        choice_of(event)["finish_reason"] = None


@broken(
    ("openai_chat/stream-finish-agrees", "translation/finish-reason"),
    follows="openai_chat/finish-without-calls",
    case=CUT,
    spares=PARALLEL,
    thread="https://github.com/vllm-project/vllm/pull/53270",
    layer="each",
)
def tool_calls_without_calls(event: Event) -> None:
    """Length is told as tool_calls, because tools were declared."""
    if choice_of(event).get("finish_reason") == "length":
        choice_of(event)["finish_reason"] = "tool_calls"


@warning(
    "translation/finish-beside-calls",
    client=CHAT,
    upstream=GEMINI,
    thread="https://github.com/maximhq/bifrost/pull/6155",
    layer="each",
)
def stop_beside_calls(event: Event) -> None:
    """Gemini's STOP is stop, also beside calls."""
    if choice_of(event).get("finish_reason"):
        choice_of(event)["finish_reason"] = "stop"


@broken("openai_chat/stream-usage-kept", upstream=RESPONSES)
def usage_not_kept(events: Events) -> Events:
    """The chunk with the usage comes before the one with the finish_reason."""
    last_chunk = None
    for event in events:
        if choice_of(event).get("finish_reason"):
            last_chunk = event
            continue
        yield event
        if last_chunk is not None and "usage" in (event["data"] if isinstance(event["data"], dict) else {}):
            yield last_chunk
            last_chunk = None


@broken("openai_chat/stream-chunk", layer="each")
def chunk_without_object(event: Event) -> None:
    """Chunks do not say what they are."""
    if isinstance(event["data"], dict):
        del event["data"]["object"]


@broken(
    "openai_chat/stream-chunk",
    follows=(
        *("openai_chat/foreign-key", "openai_chat/stream-finish-agrees", "openai_chat/finish-without-calls"),
        *("translation/call-lost", "translation/text-lost"),
    ),
    layer="each",
)
def message_for_delta(event: Event) -> None:
    """Chunks have a message where a delta belongs."""
    if choice_of(event):
        choice_of(event)["message"] = choice_of(event).pop("delta")


@broken("openai_chat/stream-envelope", follows="openai_chat/reply-envelope", layer="each")
def chunk_without_id(event: Event) -> None:
    """Chunks have no id."""
    if isinstance(event["data"], dict):
        del event["data"]["id"]


@broken("openai_chat/stream-data", follows=NO_CHUNK)
def python_not_json(events: Events) -> Events:
    """Chunks are written as Python writes them, not as JSON."""
    for event in events:
        yield {"data": event["data"] if event["data"] == "[DONE]" else repr(event["data"])}


@broken("openai_chat/stream-data", follows=NO_CHUNK, case=UNICODE)
def two_chunks_a_line(events: Events) -> Events:
    """Chunks that are ready together are written into one line of data."""
    buffer: list[Event] = []
    for event in events:
        if event["data"] == "[DONE]":
            yield event
            continue
        buffer.append(event)
        if len(buffer) == 2:
            yield {"data": "".join(json.dumps(each["data"]) for each in buffer)}
            buffer = []


@broken("openai_chat/stream-after-end", follows="translation/usage-lost")
def chunk_after_done(events: Events) -> Events:
    """The last chunk comes behind [DONE]."""
    last = None
    for event in events:
        if event["data"] == "[DONE]":
            yield event
        elif last is not None:
            yield last
        last = event if event["data"] != "[DONE]" else last
    if last is not None:
        yield last


@broken("openai_chat/stream-choice-index", layer="each")
def choices_counted_from_one(event: Event) -> None:
    """The choice has the index 1."""
    if choice_of(event):
        choice_of(event)["index"] = 1


@warning("openai_chat/stream-end")
def done_missing(events: Events) -> Events:
    """There is no [DONE]."""
    return without_last(events)


@warning("openai_chat/stream-end")
def done_twice(events: Events) -> Events:
    """[DONE] comes twice."""
    yield from events
    yield {"data": "[DONE]"}


@warning("openai_chat/stream-finish-once")
def finish_twice(events: Events) -> Events:
    """The finish_reason comes twice."""
    for event in events:
        if choice_of(event).get("finish_reason"):
            yield again(event)
        yield event


@warning("openai_chat/stream-finish-apart", upstream=GEMINI, case=ONE)
def finish_with_the_call(events: Events) -> Events:
    """A call and the finish_reason stand in one chunk."""
    call = None
    for event in events:
        if entries(event) and "id" in entries(event)[0]:
            call = event
        elif entries(event) and call is not None:
            entries(call)[0]["function"]["arguments"] += entries(event)[0]["function"]["arguments"]
        elif choice_of(event).get("finish_reason") and call is not None:
            choice_of(call)["finish_reason"] = choice_of(event)["finish_reason"]
            yield call
        else:
            yield event


@warning("openai_chat/stream-role", layer="each")
def role_in_every_delta(event: Event) -> None:
    """Every delta says the role."""
    if delta(event):
        delta(event)["role"] = "assistant"


@warning("openai_chat/stream-role", layer="each")
def role_missing(event: Event) -> None:
    """No delta says the role."""
    delta(event).pop("role", None)


@warning("openai_chat/stream-same-id")
def id_of_every_chunk(events: Events) -> Events:
    """Every chunk has an id of its own."""
    for count, event in enumerate(events):
        if isinstance(event["data"], dict):
            event["data"]["id"] = f"chatcmpl-{count:012d}"
        yield event


@warning("openai_chat/stream-event-name")
def chunks_have_names(events: Events) -> Events:
    """Events are named as Anthropic's are."""
    for event in events:
        yield {"event": "message", **event}


@warning("openai_chat/stream-last-event", layer="pieces")
def last_chunk_unended(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """No blank line stands behind [DONE]."""
    for written in pieces:
        yield written.replace(b"data: [DONE]\n\n", b"data: [DONE]\n")


@warning("openai_chat/stream-calls-in-turn")
def calls_in_turns(events: Events) -> Events:
    """All calls are begun before the first of them has its arguments."""
    fragments = []
    for event in events:
        if entries(event) and "id" not in entries(event)[0]:
            fragments.append(event)
            continue
        if choice_of(event).get("finish_reason"):
            yield from fragments
        yield event


@warning("openai_chat/stream-arguments-json", case="read_many_files/empty-arguments", layer="each")
def no_arguments_empty(event: Event) -> None:
    """A call without arguments has the empty text for them."""
    for entry in entries(event):
        if entry["function"]["arguments"] == "{}":
            entry["function"]["arguments"] = ""
