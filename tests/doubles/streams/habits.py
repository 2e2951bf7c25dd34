"""Habits that no judge may fail: other pieces, frames, orders and ids, and what else a client passes over."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from doubles.stream import (
    ANTHROPIC,
    CHAT,
    FORMATS,
    GEMINI,
    ONE,
    RESPONSES,
    TEXT,
    UNICODE,
    Event,
    harmless,
    warning,
)
from doubles.streams.ends import as_far_as_it_came, framed, is_error
from doubles.streams.handles import again, choice_of, delta, entries, kind, parts, piece, typed, whole_input
from toolcall_conformance.basics.streaming import parse

Events = Iterator[Event]
Pieces = Iterator[bytes]
LINES = "gemini/stream-lines"
"""What the official clients of Gemini make of lines that other clients pass over."""


@harmless()
def as_it_is(events: Events) -> Events:
    """The reference as it is."""
    return events


@warning(LINES, layer="pieces")
@harmless(client=(ANTHROPIC, CHAT, RESPONSES), layer="pieces", beside="{format}/stream-data")
def comments_between_events(pieces: Pieces) -> Pieces:
    """Comments keep the connection alive, before, between and behind the events."""
    end = b"\r\n\r\n"
    for written in pieces:
        yield b": OPENROUTER PROCESSING" + end + written
    yield b": bye" + end


@warning(LINES, layer="pieces")
@harmless(client=(ANTHROPIC, CHAT, RESPONSES), layer="pieces", beside="{format}/stream-data")
def no_blank_behind_the_colon(pieces: Pieces) -> Pieces:
    """Lines have no blank behind the colon."""
    for written in pieces:
        yield written.replace(b"data: ", b"data:").replace(b"event: ", b"event:")


@harmless(client=(ANTHROPIC, CHAT, RESPONSES), layer="pieces", beside="translation/stream-cuts")
def line_ends_crlf(pieces: Pieces) -> Pieces:
    """Lines end with CR LF."""
    for written in pieces:
        yield written.replace(b"\n", b"\r\n")


@harmless(client=GEMINI, layer="pieces")
def line_ends_lf(pieces: Pieces) -> Pieces:
    """Lines end with LF."""
    for written in pieces:
        yield written.replace(b"\r\n", b"\n")


@harmless(client=(ANTHROPIC, CHAT, RESPONSES), layer="pieces")
def line_ends_cr(pieces: Pieces) -> Pieces:
    """Lines end with CR."""
    for written in pieces:
        yield written.replace(b"\n", b"\r")


@warning(LINES, layer="pieces")
@harmless(client=(ANTHROPIC, CHAT, RESPONSES), layer="pieces")
def ids_and_retries(pieces: Pieces) -> Pieces:
    """Events have id: and retry: lines."""
    count = itertools.count()
    for written in pieces:
        end = b"\r\n" if b"\r\n" in written else b"\n"
        yield b"".join(
            b"id: %d" % next(count) + end + b"retry: 3000" + end + event + 2 * end
            for event in written.split(2 * end)
            if event
        )


@harmless(client=(ANTHROPIC, CHAT, RESPONSES), layer="pieces", beside="{format}/stream-data")
def data_over_two_lines(pieces: Pieces) -> Pieces:
    """The data of an event stands in two lines of data."""
    for written in pieces:
        yield written.replace(b'data: {"', b'data: {\ndata: "')


@warning({GEMINI: LINES, ANTHROPIC: "anthropic/stream-byte-order-mark"}, layer="pieces")
@harmless(client=(CHAT, RESPONSES), layer="pieces")
def a_byte_order_mark(pieces: Pieces) -> Pieces:
    """The stream begins with a byte order mark."""
    return itertools.chain([b"\xef\xbb\xbf"], pieces)


@harmless(layer="pieces", beside="{format}/stream-data")
def more_blank_lines(pieces: Pieces) -> Pieces:
    """Three blank lines stand behind an event, and one before the first."""
    end = b"\r\n"
    yield end
    for written in pieces:
        yield written + 2 * end


@harmless(layer="pieces", beside="translation/stream-cuts")
def single_bytes(pieces: Pieces) -> Pieces:
    """Every byte comes by itself."""
    for written in pieces:
        yield from (written[place : place + 1] for place in range(len(written)))


@harmless(layer="pieces", beside="translation/stream-cuts")
def two_pieces_at_once(pieces: Pieces) -> Pieces:
    """What came out twice goes out at once."""
    buffer = b""
    for number, written in enumerate(pieces):
        buffer += written
        if number % 2:
            yield buffer
            buffer = b""
    yield buffer


@harmless()
def keys_in_other_order(events: Events) -> Events:
    """Objects have their keys in the reverse order."""

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(each) for key, each in reversed(value.items())}
        return [turned(each) for each in value] if isinstance(value, list) else value

    for event in events:
        yield {**event, "data": turned(event["data"])}


@harmless(case=UNICODE, layer="pieces")
def escaped_json(pieces: Pieces) -> Pieces:
    """Characters beyond ASCII are escaped."""
    for written in pieces:
        yield re.sub("[^\0-\x7f]", lambda match: json.dumps(match[0])[1:-1], written.decode()).encode()


@harmless(layer="each")
def unknown_keys(event: Event) -> None:
    """Events have keys that nobody documents."""
    if isinstance(event["data"], dict):
        event["data"] |= {"x_trace": {"region": "eu-7"}, "obfuscation": "aXz0"}


@harmless(layer="each")
def another_model(event: Event) -> None:
    """Events name the model under another name."""
    data = event["data"] if isinstance(event["data"], dict) else {}
    for holder in (data, data.get("message"), data.get("response")):
        for key in ("model", "modelVersion"):
            if isinstance(holder, dict) and key in holder:
                holder[key] = "proxy/large"


@harmless(client=ANTHROPIC, beside="anthropic/stream-event-name")
def pings(events: Events) -> Events:
    """Pings stand between all events of a message."""
    for event in events:
        yield typed("ping")
        yield event


@harmless(client=(ANTHROPIC, RESPONSES))
def unknown_events(events: Events) -> Events:
    """Events of a later version of the API stand between the others."""
    number = itertools.count()
    for event in events:
        if "sequence_number" in event["data"]:
            event["data"]["sequence_number"] = next(number)
        yield event
        if kind(event) not in ("message_stop", "response.completed"):
            more = {"sequence_number": next(number)} if "sequence_number" in event["data"] else {}
            yield typed("response.audit.noted" if more else "audit_noted", note="beta", **more)


@harmless(client=ANTHROPIC, beside=("anthropic/stream-message-delta-shape", "anthropic/stream-finish"))
def message_delta_before(events: Events) -> Events:
    """The usage so far is told by a message_delta without a stop_reason, before the last."""
    for event in events:
        if kind(event) == "message_delta":
            yield typed("message_delta", delta={"stop_reason": None}, usage={"output_tokens": 1})
        yield event


@harmless(client=ANTHROPIC, beside="anthropic/stream-finish")
def message_delta_twice(events: Events) -> Events:
    """The message_delta comes once more, with the same totals."""
    for event in events:
        if kind(event) == "message_delta":
            yield again(event)
        yield event


@harmless(client=ANTHROPIC, beside="anthropic/stream-delta-shape")
def no_empty_first_fragment(events: Events) -> Events:
    """Calls begin without the empty fragment that the provider sends first."""
    return (
        event
        for event in events
        if not (piece(event, "input_json_delta") and not event["data"]["delta"]["partial_json"])
    )


@harmless(
    client=ANTHROPIC,
    upstream=GEMINI,
    warns="anthropic/stream-input-in-deltas",
    beside=("anthropic/stream-block-start", "anthropic/stream-arguments-json"),
)
def whole_input_at_the_start(events: Events) -> Events:
    """A call has its whole input in the event that starts its block, and no delta."""
    return whole_input(events, and_deltas=False)


@harmless(client=(ANTHROPIC, CHAT), case=UNICODE, beside="translation/arguments")
def a_character_a_fragment(events: Events) -> Events:
    """Arguments come a character at a time."""
    for event in events:
        holder, key = _fragment(event)
        text = holder.get(key) or ""
        for place in range(max(len(text), 1)):
            if holder:
                holder[key] = text[place : place + 1]
            yield again(event)


@harmless(client=CHAT, case=ONE, beside=("openai_chat/stream-call-delta", "openai_chat/stream-call-id"))
def whole_call_in_one_delta(events: Events) -> Events:
    """A call comes at once: id, name and all arguments in one delta."""
    call_chunk = None
    for event in events:
        if entries(event) and "id" in entries(event)[0]:
            call_chunk = event
        elif entries(event) and call_chunk is not None:
            entries(call_chunk)[0]["function"]["arguments"] += entries(event)[0]["function"]["arguments"]
        else:
            if call_chunk is not None:
                yield call_chunk
                call_chunk = None
            yield event


@harmless(client=CHAT, upstream=GEMINI, beside=("openai_chat/stream-call-index", "openai_chat/stream-call-own-index"))
def calls_in_one_chunk(events: Events) -> Events:
    """All calls stand in one chunk, each with its index."""
    call_chunk = None
    for event in events:
        if entries(event) and call_chunk is None:
            call_chunk = event
        elif entries(event) and call_chunk is not None:
            entries(call_chunk).extend(entries(event))
        else:
            if call_chunk is not None:
                yield call_chunk
                call_chunk = None
            yield event


@harmless(client=(ANTHROPIC, CHAT, RESPONSES), beside="translation/arguments")
def empty_deltas(events: Events) -> Events:
    """Before each fragment of arguments an empty one comes."""
    number = itertools.count()
    for event in events:
        holder, key = _fragment(event)
        if isinstance(event["data"], dict) and "sequence_number" in event["data"]:
            event["data"]["sequence_number"] = next(number)
        if holder.get(key) and "name" not in holder:
            empty = again(event)
            _fragment(empty)[0][key] = ""
            yield empty
            if "sequence_number" in event["data"]:
                event["data"]["sequence_number"] = next(number)
        yield event


@harmless(client=CHAT, layer="each", beside=("openai_chat/stream-call-once", "openai_chat/stream-call-type"))
def type_said_again(event: Event) -> None:
    """Every delta of a call says its type."""
    for entry in entries(event):
        entry["type"] = "function"


@harmless(client=CHAT, layer="each")
def content_null_beside_calls(event: Event) -> None:
    """Deltas with calls say that their content is null."""
    if entries(event):
        delta(event)["content"] = None


@harmless(client=CHAT, layer="each", beside="openai_chat/stream-chunk")
def usage_in_every_chunk(event: Event) -> None:
    """Every chunk has the usage up to then."""
    if isinstance(event["data"], dict) and not event["data"].get("usage"):
        event["data"]["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


@harmless(client=CHAT, upstream=RESPONSES, beside="openai_chat/stream-finish")
def usage_with_the_finish(events: Events) -> Events:
    """The usage stands in the chunk with the finish_reason."""
    finish_chunk = None
    for event in events:
        if choice_of(event).get("finish_reason"):
            finish_chunk = event
        elif finish_chunk is not None and event["data"] != "[DONE]":
            finish_chunk["data"]["usage"] = event["data"]["usage"]
        else:
            if finish_chunk is not None:
                yield finish_chunk
                finish_chunk = None
            yield event


@harmless(client=CHAT, beside=("openai_chat/stream-chunk", "openai_chat/reply-choice"))
def a_first_chunk_without_choices(events: Events) -> Events:
    """The stream begins with a chunk that has the results of a content filter and no choice, as Azure's do."""
    for number, event in enumerate(events):
        if number == 0:
            first = {"choices": [], "created": 0, "id": "", "model": "", "object": "chat.completion.chunk"}
            yield {"data": {**first, "prompt_filter_results": []}}
        yield event


@harmless(client=RESPONSES, beside=("openai_responses/stream-after-end", "openai_responses/stream-end"))
def done_marker_behind_completed(events: Events) -> Events:
    """[DONE] comes behind response.completed, as some gateways send it."""
    yield from events
    yield {"data": "[DONE]"}


@harmless(client=RESPONSES, warns="openai_responses/stream-event-name", beside="openai_responses/stream-type")
def no_event_lines(events: Events) -> Events:
    """Events have their type in the data only."""
    for event in events:
        yield {"data": event["data"]}


@harmless(client=RESPONSES, layer="each")
def sequence_from_one(event: Event) -> None:
    """Events are counted from 1, by tens."""
    event["data"]["sequence_number"] = 1 + 10 * event["data"]["sequence_number"]


@harmless(client=RESPONSES, beside=("openai_responses/stream-fragments", "openai_responses/stream-wholes-agree"))
def arguments_done_only(events: Events) -> Events:
    """Arguments have no fragments: they come whole when they are done."""
    return (event for event in events if kind(event) != "response.function_call_arguments.delta")


@harmless(client=RESPONSES, beside=("openai_responses/stream-status", "openai_responses/stream-start"))
def no_in_progress(events: Events) -> Events:
    """response.in_progress is left out."""
    return (event for event in events if kind(event) != "response.in_progress")


@harmless(client=RESPONSES, beside=("openai_responses/stream-item-id", "openai_responses/stream-identity"))
def item_ids_of_its_own(events: Events) -> Events:
    """Items have short ids of the gateway's own."""
    ids: dict[str, str] = {}

    def own(item_id: str) -> str:
        return ids.setdefault(item_id, f"{item_id.partition('_')[0]}_{len(ids)}")

    for event in events:
        data = event["data"]
        if "item_id" in data:
            data["item_id"] = own(data["item_id"])
        for item in (data.get("item"), *data.get("response", {}).get("output", ())):
            if item:
                item["id"] = own(item["id"])
        yield event


@harmless(client=GEMINI, beside="gemini/stream-finish")
def finish_with_the_last_part(events: Events) -> Events:
    """The finishReason stands in the chunk with the last call, and the usage there alone."""
    before = None
    for event in events:
        if "finishReason" in event["data"]["candidates"][0] and before is not None:
            before["data"]["candidates"][0]["finishReason"] = "STOP"
            before["data"]["usageMetadata"] = event["data"]["usageMetadata"]
            yield before
            return
        if before is not None:
            yield before
        before = event


@harmless(client=GEMINI, upstream=ANTHROPIC, beside="gemini/stream-call-continued")
def calls_in_one_part_list(events: Events) -> Events:
    """All calls stand in one chunk."""
    call_event = None
    for event in events:
        if any("functionCall" in part for part in parts(event)):
            if call_event is None:
                call_event = event
            else:
                parts(call_event).extend(parts(event))
        else:
            if call_event is not None:
                yield call_event
                call_event = None
            yield event


@harmless(client=GEMINI, case=TEXT, beside=("gemini/stream-finish", "gemini/candidates-or-feedback"))
def a_last_chunk_without_candidates(events: Events) -> Events:
    """The usage comes in a chunk of its own, behind the finishReason."""
    for event in events:
        usage = event["data"].get("usageMetadata")
        yield event
        if "finishReason" in event["data"]["candidates"][0]:
            more = {key: value for key, value in event["data"].items() if key != "candidates"}
            yield {"data": {**more, "usageMetadata": usage}}


def _raising(client: str) -> Callable[[Any, Pieces], Pieces]:
    @harmless(
        client=client,
        variant="cut",
        case=UNICODE,
        layer="stream",
        beside=("translation/stream-cut-end", "translation/stream-cut-call"),
    )
    def raises_where_it_broke_off(stream: Any, chunks: Pieces) -> Pieces:
        """Whatever went wrong upstream is raised."""
        for written in stream(chunks):
            if any(map(is_error, parse(written)["events"])):
                raise ConnectionError("the upstream broke off")
            yield written

    @harmless(
        client=client,
        variant="cut",
        case=UNICODE,
        layer="stream",
        warns="translation/stream-error-as-break",
        beside=("translation/stream-cut-end", "translation/stream-error-told"),
    )
    def just_stops(stream: Any, chunks: Pieces) -> Pieces:
        """Whatever went wrong upstream, the stream just stops."""
        return framed(as_far_as_it_came(stream, chunks), client)

    return raises_where_it_broke_off


for _client in FORMATS:
    _raising(_client)


def _fragment(event: Event) -> tuple[dict[str, Any], str]:
    """What holds a fragment of arguments in an event, and under which key."""
    if piece(event, "input_json_delta"):
        return event["data"]["delta"], "partial_json"
    if entries(event):
        return entries(event)[0]["function"], "arguments"
    if kind(event) == "response.function_call_arguments.delta":
        return event["data"], "delta"
    return {}, ""
