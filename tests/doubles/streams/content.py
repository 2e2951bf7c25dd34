"""Faults in what a stream assembles to: arguments, texts, calls and ends that are not those of the provider."""

from __future__ import annotations

import json
from collections.abc import Iterator

from doubles.stream import (
    ANTHROPIC,
    AROUND,
    CALL_ALONE,
    CHAT,
    CUT,
    GEMINI,
    HIDDEN,
    NO_JSON,
    ONE,
    PARALLEL,
    RESPONSES,
    TEXT,
    THINKING,
    Event,
    broken,
    harmless,
    warning,
)
from doubles.streams.handles import again, choice_of, delta, entries, kind, opens, parts, piece, typed

Events = Iterator[Event]


@broken("anthropic/stream-arguments-json", follows=NO_JSON, spares=TEXT, layer="each")
def empty_object_before_the_fragments(event: Event) -> None:
    """The input with which a call is begun, {}, is its first fragment."""
    if piece(event, "input_json_delta") and not event["data"]["delta"]["partial_json"]:
        event["data"]["delta"]["partial_json"] = "{}"


@broken("anthropic/stream-arguments-json", follows=NO_JSON, spares=TEXT)
def snapshot_behind_the_fragments(events: Events) -> Events:
    """The whole arguments come once more behind their fragments."""
    text, last = "", None
    for event in events:
        if kind(event) == "content_block_start":
            text, last = "", None
        elif piece(event, "input_json_delta"):
            text, last = text + event["data"]["delta"]["partial_json"], again(event)
        elif kind(event) == "content_block_stop" and last is not None:
            last["data"]["delta"]["partial_json"] = text
            yield last
        yield event


@broken("translation/arguments", client=CHAT, spares=TEXT, thread="https://github.com/lidge-jun/opencodex/issues/361")
def fragments_so_far(events: Events) -> Events:
    """Every delta of a call has the arguments so far, as vendors send them that stream snapshots."""
    text: dict[int, str] = {}
    for event in events:
        for entry in entries(event):
            so_far = text.get(entry["index"], "") + entry["function"].get("arguments", "")
            entry["function"]["arguments"] = text[entry["index"]] = so_far
        yield event


@broken(
    "anthropic/stream-arguments-json",
    follows=NO_JSON,
    spares=TEXT,
    thread="https://github.com/BerriAI/litellm/pull/25216",
)
def first_fragment_dropped(events: Events) -> Events:
    """The delta that leads to a new block is dropped."""
    fresh = False
    for event in events:
        fresh = fresh or opens(event, "tool_use")
        if fresh and piece(event, "input_json_delta") and event["data"]["delta"]["partial_json"]:
            fresh = False
            continue
        yield event


@broken("translation/arguments", client=CHAT, spares=TEXT, thread="https://github.com/BerriAI/litellm/pull/25216")
def last_fragment_dropped(events: Events) -> Events:
    """The chunk before the one with the finish_reason is dropped."""
    before = None
    for event in events:
        ends = choice_of(event).get("finish_reason")
        if before is not None and not (ends and entries(before)):
            yield before
        before = event
    if before is not None:
        yield before


@broken(
    "translation/arguments",
    client=ANTHROPIC,
    upstream=GEMINI,
    spares=TEXT,
    thread="https://github.com/BerriAI/litellm/issues/25561",
)
def arguments_never_sent(events: Events) -> Events:
    """Blocks of calls are started and stopped, with no delta in between."""
    return (event for event in events if not piece(event, "input_json_delta"))


@broken("anthropic/stream-arguments-json", upstream=GEMINI, follows=NO_JSON, spares=TEXT, layer="each")
def arguments_as_text_of_text(event: Event) -> None:
    """The arguments are written as JSON twice."""
    if piece(event, "input_json_delta") and event["data"]["delta"]["partial_json"]:
        event["data"]["delta"]["partial_json"] = json.dumps(event["data"]["delta"]["partial_json"])


@broken(
    ("anthropic/stream-arguments-json", "translation/call-lost"),
    follows=NO_JSON,
    spares=ONE,
    thread="https://github.com/omnigent-ai/omnigent/pull/28",
)
def arguments_of_two_calls_merged(events: Events) -> Events:
    """All calls stand in the block of the first, their arguments one behind the other."""
    first, stop = None, None
    for event in events:
        if opens(event, "tool_use") and first is not None:
            continue
        if opens(event, "tool_use"):
            first = event["data"]["index"]
        elif first is not None and "index" in event["data"]:
            event["data"]["index"] = first
            if kind(event) == "content_block_stop":
                stop = event
                continue
        elif kind(event) == "message_delta" and stop is not None:
            yield stop
        yield event


@broken("translation/arguments", client=CHAT, upstream=GEMINI, spares=ONE)
def arguments_at_the_last_call(events: Events) -> Events:
    """Calls are begun first, and then all arguments are added to the one that was begun last."""
    fragments = []
    for event in events:
        if entries(event) and "id" not in entries(event)[0]:
            fragments.append(event)
            continue
        if choice_of(event).get("finish_reason"):
            for late in fragments:
                entries(late)[0]["index"] = len(fragments) - 1
                yield late
        yield event


@broken(
    "anthropic/stream-arguments-json",
    follows=NO_JSON,
    layer="source",
    spares=TEXT,
    thread="https://github.com/bojieli/ai-agent-book/issues/194",
)
def each_fragment_parsed(events: Events) -> Events:
    """Each fragment of arguments is parsed for itself, and what is no JSON is passed over."""
    for event in events:
        for entry in entries(event):
            try:
                json.loads(entry["function"].get("arguments") or "{}")
            except ValueError:
                entry["function"]["arguments"] = ""
        yield event


@broken(
    "translation/call-lost",
    client=RESPONSES,
    upstream=CHAT,
    layer="source",
    spares=ONE,
    thread="https://github.com/Th0rgal/sandboxed.sh/pull/389",
)
def parallel_calls_dropped(events: Events) -> Events:
    """Only the first call of a stream is read."""
    for event in events:
        if entries(event):
            delta(event)["tool_calls"] = [entry for entry in entries(event) if entry["index"] == 0]
        yield event


@broken(
    ("translation/call-lost", "openai_chat/stream-finish-agrees"),
    follows="openai_chat/finish-without-calls",
    spares=TEXT,
    thread="https://github.com/Th0rgal/sandboxed.sh/pull/389",
)
def calls_dropped(events: Events) -> Events:
    """The events of calls are passed over; the finish_reason is not."""
    return (event for event in events if not entries(event))


@broken(("translation/ids-injective", "openai_chat/call-ids-unique"), spares=ONE, layer="each")
def same_id_for_all(event: Event) -> None:
    """Every call of a stream has the same id."""
    for entry in entries(event):
        if "id" in entry:
            entry["id"] = "call_0"


@broken("translation/call-name", client=CHAT, spares=TEXT, layer="each")
def name_with_its_namespace(event: Event) -> None:
    """The name of a tool has the provider's namespace before it."""
    for entry in entries(event):
        if "name" in entry["function"]:
            entry["function"]["name"] = "functions_" + entry["function"]["name"]


@broken("translation/text-lost", client=CHAT, case=AROUND, spares=PARALLEL)
def text_behind_the_call_dropped(events: Events) -> Events:
    """What the model says behind a call is passed over: the calls were the end."""
    called = False
    for event in events:
        called = called or bool(entries(event))
        if not (called and delta(event).get("content")):
            yield event


@broken("translation/text-changed", client=ANTHROPIC, case=TEXT, spares=CALL_ALONE)
def last_piece_of_text_dropped(events: Events) -> Events:
    """The last delta of a text is dropped, with the chunk that ends it."""
    before = None
    for event in events:
        if before is not None and not (piece(before, "text_delta") and kind(event) == "content_block_stop"):
            yield before
        before = event
    if before is not None:
        yield before


@broken("translation/text-duplicated", client=RESPONSES, upstream=GEMINI, case=TEXT, layer="source", spares=CALL_ALONE)
def text_said_twice(events: Events) -> Events:
    """The last chunk has the whole text again, and it is added."""
    text = ""
    for event in events:
        text += "".join(part.get("text", "") for part in parts(event))
        if event["data"]["candidates"][0].get("finishReason"):
            parts(event).append({"text": text})
        yield event


@broken("translation/text-changed", client=CHAT, case=ONE, layer="each")
def null_as_text(event: Event) -> None:
    """A content of null is put to the text as a word."""
    if "content" in delta(event) and delta(event)["content"] is None:
        delta(event)["content"] = "None"


@broken("translation/finish-reason", client=RESPONSES, upstream=CHAT, case=CUT, layer="source", spares=PARALLEL)
def length_as_stop(events: Events) -> Events:
    """A reply that max_tokens cut is told as complete."""
    for event in events:
        if choice_of(event).get("finish_reason") == "length":
            choice_of(event)["finish_reason"] = "stop"
        yield event


@broken(
    "translation/target-format",
    client=RESPONSES,
    upstream=CHAT,
    never=("openai_responses/stream-type", "openai_responses/foreign-key", "openai_responses/stream-end"),
    layer="stream",
)
def upstream_stream_handed_on(_stream: object, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The provider's stream is handed on as it is."""
    return chunks


@broken("translation/crashed", client=CHAT, layer="source")
def falls_over_a_ping(events: Events) -> Events:
    """Every event of the provider is taken to be about a block or a message."""
    for event in events:
        assert kind(event) != "ping", "unknown event: ping"
        yield event


@broken(
    "translation/call-duplicated",
    client=CHAT,
    upstream=GEMINI,
    case=CALL_ALONE,
    layer="stream",
    spares=TEXT,
)
def last_event_handled_twice(stream: object, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """What is left in the buffer at the end is handled, and was before."""
    last = b""

    def flushed() -> Iterator[bytes]:
        nonlocal last
        for chunk in chunks:
            if b"functionCall" in chunk:
                last = chunk
            if b"finishReason" in chunk and last:
                yield last
            yield chunk

    yield from stream(flushed())  # type: ignore[operator]


@broken("translation/reply-state", client=ANTHROPIC, upstream=ANTHROPIC, case=THINKING, spares=TEXT)
def signature_dropped(events: Events) -> Events:
    """The signature of a thinking block is dropped."""
    return (event for event in events if not piece(event, "signature_delta"))


@broken("translation/reply-state", client=ANTHROPIC, upstream=ANTHROPIC, case=THINKING, spares=TEXT, layer="each")
def signature_shortened(event: Event) -> None:
    """A signature is cut at 64 characters."""
    if piece(event, "signature_delta"):
        event["data"]["delta"]["signature"] = event["data"]["delta"]["signature"][:64]


@broken("translation/reply-state", client=ANTHROPIC, upstream=ANTHROPIC, case=HIDDEN, spares=TEXT)
def thinking_not_shown_dropped(events: Events) -> Events:
    """A block of thinking that tells no text is taken for empty, and the blocks behind it are counted anew."""
    buffer: list[Event] = []
    dropped = 0
    for event in events:
        if buffer or opens(event, "thinking"):
            buffer.append(event)
            if kind(event) != "content_block_stop":
                continue
            has_text = any(event["data"]["delta"]["thinking"] for event in buffer if piece(event, "thinking_delta"))
            batch, buffer, dropped = (buffer, [], dropped) if has_text else ([], [], dropped + 1)
        else:
            batch = [event]
        for item in batch:
            if "index" in item["data"]:
                item["data"]["index"] -= dropped
            yield item


@harmless(client=ANTHROPIC, upstream=ANTHROPIC, case=HIDDEN, beside="translation/reply-state")
def no_piece_of_thinking_not_shown(events: Events) -> Events:
    """Thinking that is not shown has its signature alone between its start and its stop."""
    return (
        event for event in events if not (piece(event, "thinking_delta") and not event["data"]["delta"]["thinking"])
    )


@broken("{format}/stream-text", follows="translation/arguments", layer="pieces", spares=CALL_ALONE)
def written_in_latin_1(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The stream is written in the platform's encoding, not in UTF-8."""
    for written in pieces:
        yield written.decode().encode("latin-1", "replace")


@broken(
    {
        ANTHROPIC: ("anthropic/stream-last-event", "anthropic/stream-end"),
        RESPONSES: "openai_responses/stream-end",
        GEMINI: ("gemini/stream-last-event", "gemini/stream-finish"),
    },
    follows="translation/finish-reason",
    layer="pieces",
)
def last_event_unended(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """No blank line stands behind the last event, so that clients never see it."""
    before = b""
    for written in pieces:
        yield before
        before = written
    yield before.rstrip(b"\r\n")


@broken(
    "translation/usage-lost",
    client=CHAT,
    upstream=RESPONSES,
    thread="https://github.com/odysseus-dev/odysseus/pull/1703",
)
def usage_dropped(events: Events) -> Events:
    """The client asks for the usage, and its chunk is passed over."""
    return (event for event in events if choice_of(event) or event["data"] == "[DONE]")


@warning("translation/reasoning-as-text", client=CHAT, case=THINKING, layer="source")
def thinking_as_text(events: Events) -> Events:
    """The thinking is given out as the answer."""
    for event in events:
        if piece(event, "thinking_delta"):
            thinking = event["data"]["delta"]["thinking"]
            event["data"]["delta"] = {"type": "text_delta", "text": thinking}
        elif piece(event, "signature_delta"):
            continue
        elif opens(event, "thinking"):
            event["data"]["content_block"] = {"type": "text", "text": ""}
        yield event


@warning("translation/text-invented", client=CHAT, case=CALL_ALONE, layer="source")
def ping_as_text(events: Events) -> Events:
    """A ping of the provider is said to the user."""
    has_ping = False
    for event in events:
        if kind(event) == "ping":
            has_ping = True
        if has_ping and kind(event) == "message_delta":
            yield typed("content_block_start", index=7, content_block={"type": "text", "text": "ping"})
            yield typed("content_block_stop", index=7)
        yield event


@warning("translation/ids-kept", client=CHAT, case=CALL_ALONE, layer="each")
def ids_drawn_anew(event: Event) -> None:
    """Calls get ids of the translator's own."""
    for entry in entries(event):
        if "id" in entry:
            entry["id"] = f"call_{entry['index']:024d}"


@warning("anthropic/reply-text-not-blank", case=CALL_ALONE, thread="https://github.com/BerriAI/litellm/pull/25852")
def empty_text_before_the_call(events: Events) -> Events:
    """A text is begun with the message, whether one comes or not."""
    for event in events:
        if "index" in event["data"]:
            event["data"]["index"] += 1
        yield event
        if kind(event) == "message_start":
            yield typed("content_block_start", index=0, content_block={"type": "text", "text": ""})
            yield typed("content_block_stop", index=0)


@warning("anthropic/reply-id-blank")
def message_without_an_id(events: Events) -> Events:
    """The message begins with an empty id, as a vendor's own may be."""
    for event in events:
        if kind(event) == "message_start":
            event["data"]["message"]["id"] = ""
        yield event


@warning("translation/stream-at-once")
def all_at_the_end(events: Events) -> Events:
    """Everything is held until the stream has ended."""
    return iter(list(events))


BLOCKED = "errors/reply-blocked"


@broken(
    "translation/empty-success",
    client=CHAT,
    upstream=GEMINI,
    case=BLOCKED,
    follows="translation/stream-equals-reply",
    spares=TEXT,
    layer="each",
    thread="https://github.com/Wei-Shaw/sub2api/issues/7081",
)
def blocked_prompt_as_empty_stop(event: Event) -> None:
    """A prompt that the provider blocked gets an empty reply that says stop."""
    if choice_of(event).get("finish_reason") == "content_filter":
        choice_of(event)["finish_reason"] = "stop"


@harmless(client=CHAT, upstream=GEMINI, case=BLOCKED, beside="translation/empty-success")
def blocked_prompt_as_error(events: Events) -> Events:
    """A prompt that the provider blocked is an error in the stream."""
    yield next(events)
    error = {"message": "the prompt was blocked", "type": "server_error", "param": None, "code": "content_filter"}
    yield {"data": {"error": error}}
