"""What becomes of a stream that breaks off, or in which the provider fails: told as if all were well, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from doubles.stream import (
    ANTHROPIC,
    CALL_ALONE,
    CHAT,
    GEMINI,
    RESPONSES,
    UNICODE,
    Event,
    broken,
    frame,
    harmless,
    warning,
)
from doubles.streams.handles import choice_of, entries, kind, opens, typed
from toolcall_conformance.basics.streaming import parse

CALL, END, ERROR = "translation/stream-cut-call", "translation/stream-cut-end", "translation/stream-error-told"
BREAK = "translation/stream-error-as-break"
FAILS = "finish/fails-behind-text"
OTHERS = (ANTHROPIC, CHAT, GEMINI)

Chunks = Iterator[bytes]
Stream = Callable[[Chunks], Iterator[bytes]]


def is_error(event: Event) -> bool:
    """Whether an event tells of a failure, in any format."""
    data = event["data"]
    return isinstance(data, dict) and (
        ("error" in data and data["error"] is not None) or kind(event) in ("error", "response.failed")
    )


def as_far_as_it_came(stream: Stream, chunks: Chunks, *, lost: bool = True) -> Iterator[Event]:
    """The events of the reference before it tells of a failure; nothing is raised, unless ``lost`` is false."""
    try:
        for piece in stream(chunks):
            for event in parse(piece)["events"]:
                if is_error(event):
                    return
                yield event
    except ConnectionError:
        if not lost:
            raise


def ended_as_messages(events: Iterator[Event], reason: str | None = None) -> Iterator[Event]:
    """A message of Anthropic, with what is open closed."""
    open_blocks: list[int] = []
    called, state = False, ""
    for event in events:
        if kind(event) == "content_block_start":
            open_blocks.append(event["data"]["index"])
        elif kind(event) == "content_block_stop":
            open_blocks.remove(event["data"]["index"])
        called = called or opens(event, "tool_use")
        state = kind(event) or state
        yield event
    if state in ("", "message_stop"):
        return
    for index in open_blocks:
        yield typed("content_block_stop", index=index)
    stop_reason = reason or ("tool_use" if called else "end_turn")
    if state != "message_delta":
        usage = {"output_tokens": 1}
        yield typed("message_delta", delta={"stop_reason": stop_reason, "stop_sequence": None}, usage=usage)
    yield typed("message_stop")


def ended_as_chunks(events: Iterator[Event]) -> Iterator[Event]:
    """A reply of Chat, with a finish_reason."""
    last, called, finished = None, False, False
    for event in events:
        called = called or bool(entries(event))
        finished = finished or bool(choice_of(event).get("finish_reason"))
        last = event if choice_of(event) else last
        yield event
    if last is not None and not finished:
        choice = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if called else "stop"}
        yield {"data": {**last["data"], "choices": [choice]}}
        yield {"data": "[DONE]"}


def ended_as_candidates(events: Iterator[Event]) -> Iterator[Event]:
    """A reply of Gemini, with a finishReason."""
    last = None
    for event in events:
        last = event
        yield event
    if last is not None and "finishReason" not in last["data"]["candidates"][0]:
        end = {"content": {"parts": [], "role": "model"}, "finishReason": "STOP", "index": 0}
        yield {"data": {**last["data"], "candidates": [end]}}


def ended_as_response(events: Iterator[Event]) -> Iterator[Event]:
    """A response of Responses, completed with the items as far as they came."""
    response: dict[str, Any] = {}
    items: dict[int, dict[str, Any]] = {}
    closed: set[int] = set()
    number, is_complete = 0, False
    for event in events:
        data, number = event["data"], event["data"]["sequence_number"]
        response = data.get("response", response)
        is_complete = kind(event) in ("response.completed", "response.incomplete")
        if kind(event) == "response.output_item.added":
            items[data["output_index"]] = json.loads(json.dumps(data["item"]))
        elif kind(event) == "response.function_call_arguments.delta":
            items[data["output_index"]]["arguments"] += data["delta"]
        elif kind(event) == "response.output_item.done":
            items[data["output_index"]] = data["item"]
            closed.add(data["output_index"])
        yield event
    if not response or is_complete:
        return
    for place, item in items.items():
        item["status"] = "completed"
        if place not in closed:
            number += 1
            yield typed("response.output_item.done", output_index=place, item=item, sequence_number=number)
    whole = {**response, "status": "completed", "output": [items[place] for place in sorted(items)]}
    yield typed("response.completed", response=whole, sequence_number=number + 1)


FINISHED = {
    ANTHROPIC: ended_as_messages,
    CHAT: ended_as_chunks,
    RESPONSES: ended_as_response,
    GEMINI: ended_as_candidates,
}


def framed(events: Iterator[Event], format_name: str) -> Iterator[bytes]:
    return (frame(event, format_name) for event in events)


HALF_JSON = {ANTHROPIC: "anthropic/stream-arguments-json", RESPONSES: "openai_responses/stream-arguments-json"}
"""What follows where a call is closed whose arguments are half there, for a judge that looks at the whole stream."""


def _finishing(client: str, rule: str, upstream: str, case: str) -> None:
    @broken(
        rule,
        client=client,
        upstream=upstream,
        follows=HALF_JSON,
        case=case,
        variant="cut",
        layer="stream",
        spares="",
        thread="https://github.com/ENTERPILOT/GoModel/pull/1017",
    )
    def finishes_what_broke_off(stream: Stream, chunks: Chunks) -> Iterator[bytes]:
        """Whatever ends the provider's stream, the client's is ended in order."""
        return framed(FINISHED[client](as_far_as_it_came(stream, chunks)), client)


_finishing(ANTHROPIC, CALL, CHAT, UNICODE)
_finishing(CHAT, CALL, ANTHROPIC, UNICODE)
_finishing(RESPONSES, CALL, ANTHROPIC, UNICODE)
_finishing(GEMINI, END, ANTHROPIC, UNICODE)


@broken(END, client=ANTHROPIC, upstream=ANTHROPIC, case=UNICODE, variant="cut", layer="stream", spares="")
def finishes_where_nothing_is_open(stream: Stream, chunks: Chunks) -> Iterator[bytes]:
    """A message in which no block is open gets its end, if the provider's had one or not."""
    out: list[Event] = []
    for event in as_far_as_it_came(stream, chunks):
        out.append(event)
        yield frame(event, ANTHROPIC)
    starts, stops = (sum(kind(event) == f"content_block_{what}" for event in out) for what in ("start", "stop"))
    if out and starts == stops and kind(out[-1]) != "message_stop":
        for event in list(ended_as_messages(iter(out)))[len(out) :]:
            yield frame(event, ANTHROPIC)


@broken(
    CALL,
    client=CHAT,
    case=UNICODE,
    variant="cut",
    layer="stream",
    spares="",
    thread="https://github.com/MadAppGang/claudish/pull/246",
)
def finishes_what_was_lost(stream: Stream, chunks: Chunks) -> Iterator[bytes]:
    """A connection that breaks is the end of the stream; one that ends before its reply is an error."""

    def told() -> Iterator[Event]:
        failed = False
        for piece in stream(chunks):
            for event in parse(piece)["events"]:
                failed = failed or is_error(event)
                yield event

    def quiet() -> Iterator[Event]:
        out = []
        try:
            for event in told():
                out.append(event)
                yield event
        except ConnectionError:
            yield from list(ended_as_chunks(iter(out)))[len(out) :]

    return framed(quiet(), CHAT)


@broken(CALL, client=ANTHROPIC, case=UNICODE, variant="cut", layer="stream", spares="")
def length_for_what_broke_off(stream: Stream, chunks: Chunks) -> Iterator[bytes]:
    """What breaks off is told as cut by max_tokens, with its call closed."""
    return framed(ended_as_messages(as_far_as_it_came(stream, chunks), "max_tokens"), ANTHROPIC)


@broken(CALL, client=ANTHROPIC, case=UNICODE, variant="cut", layer="events", spares="")
def call_closed_before_the_error(events: Iterator[Event]) -> Iterator[Event]:
    """Where the provider's error comes in the middle of a call, the call is stopped, and the error is told then."""
    under_way = None
    for event in events:
        if kind(event) in ("content_block_start", "content_block_stop"):
            under_way = event["data"]["index"] if kind(event) == "content_block_start" else None
        if under_way is not None and is_error(event) and "server had an error" in json.dumps(event["data"]):
            yield typed("content_block_stop", index=under_way)
        yield event


@broken(
    CALL,
    client=RESPONSES,
    upstream=CHAT,
    follows="openai_responses/stream-fragments",
    case=UNICODE,
    variant="cut",
    layer="stream",
    spares="",
    thread="https://github.com/earendil-works/pi/issues/9897",
)
def arguments_mended(stream: Stream, chunks: Chunks) -> Iterator[bytes]:
    """The call that was under way is done with arguments that are made JSON again."""

    def mended() -> Iterator[Event]:
        for event in ended_as_response(as_far_as_it_came(stream, chunks)):
            item = event["data"].get("item", {})
            if kind(event) == "response.output_item.done" and item["type"] == "function_call":
                try:
                    json.loads(item["arguments"])
                except ValueError:
                    item["arguments"] = "{}"
            yield event

    return framed(mended(), RESPONSES)


@broken(
    ERROR,
    client=CHAT,
    case="replace/choice-none",
    variant="cut",
    layer="stream",
    spares="",
    thread="https://github.com/ENTERPILOT/GoModel/pull/1017",
)
def error_as_text(stream: Stream, chunks: Chunks) -> Iterator[bytes]:
    """The provider's error is said to the user, and the reply ends."""

    def told() -> Iterator[Event]:
        last = None
        for piece in stream(chunks):
            for event in parse(piece)["events"]:
                if is_error(event) and "Overloaded" in json.dumps(event["data"]) and last is not None:
                    choice = {"index": 0, "delta": {"content": "Overloaded"}, "finish_reason": None}
                    yield {"data": {**last["data"], "choices": [choice]}}
                    stop = {"index": 0, "delta": {}, "finish_reason": "stop"}
                    yield {"data": {**last["data"], "choices": [stop]}}
                    yield {"data": "[DONE]"}
                    return
                last = event if choice_of(event) else last
                yield event

    return framed(told(), CHAT)


@broken(ERROR, client=ANTHROPIC, case="replace/choice-none", variant="cut", layer="stream", spares="")
def error_as_end(stream: Stream, chunks: Chunks) -> Iterator[bytes]:
    """An error event of the provider, which has no choices, ends the message in order."""
    failing = False

    def noted() -> Chunks:
        nonlocal failing
        for chunk in chunks:
            failing = failing or b'"error"' in chunk
            yield chunk

    def told() -> Iterator[Event]:
        out: list[Event] = []
        for piece in stream(noted()):
            for event in parse(piece)["events"]:
                if not (failing and is_error(event)):
                    out.append(event)
                    yield event
        if failing and out:
            yield from list(ended_as_messages(iter(out)))[len(out) :]

    return framed(told(), ANTHROPIC)


@broken(
    {ANTHROPIC: "anthropic/stream-error-shape", CHAT: "openai_chat/stream-error-shape"},
    variant="cut",
    spares="",
    layer="each",
)
def error_of_another_form(event: Event) -> None:
    """An error event says its error as text."""
    if is_error(event):
        event["data"]["error"] = event["data"]["error"]["message"]


@broken("openai_responses/stream-error-shape", variant="cut", spares="", layer="each")
def error_without_message(event: Event) -> None:
    """An error event has no message."""
    if kind(event) == "error":
        del event["data"]["message"]


@broken("gemini/stream-after-end", variant="cut", spares="")
def says_its_error_twice(events: Iterator[Event]) -> Iterator[Event]:
    """An error is told by the reader and by what reads it."""
    for event in events:
        yield event
        if is_error(event):
            yield event


@broken("openai_chat/stream-after-end", variant="cut", spares="")
def goes_on_after_the_error(events: Iterator[Event]) -> Iterator[Event]:
    """An error is told, and then an end."""
    last = None
    for event in events:
        yield event
        if is_error(event) and last is not None:
            yield {"data": {**last["data"], "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}}
        last = event if choice_of(event) else last


@warning(BREAK, variant="cut")
def error_swallowed(events: Iterator[Event]) -> Iterator[Event]:
    """The provider's error is passed over, and the stream just stops."""
    return (event for event in events if not is_error(event))


@warning(BREAK, client=RESPONSES, variant="cut", layer="pieces")
def error_outside_the_stream(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The error is written as JSON, not as an event."""
    for piece in pieces:
        yield re.sub(rb"(?s)event: error\ndata: (.*?)\n\n", rb"\1", piece)


def says_text(event: Event) -> bool:
    """Whether an event of Chat or Anthropic brings a piece of text."""
    delta = event["data"].get("delta") or choice_of(event).get("delta") or {}
    return bool(delta.get("content") or delta.get("text"))


@warning(
    "translation/stream-cut-text", client=(ANTHROPIC, CHAT), upstream=RESPONSES, case=FAILS, layer="events", spares=""
)
def words_lost_with_the_error(events: Iterator[Event]) -> Iterator[Event]:
    """The pieces of a text are held back until it is whole, and dropped when an error comes instead."""
    out = list(events)
    failed = any(map(is_error, out))
    texts = [event for event in out if says_text(event)]
    yield from (event for event in out if not failed or event not in texts[1:])


@harmless(client=(ANTHROPIC, CHAT), upstream=RESPONSES, case=FAILS, layer="events")
def words_held_back_for_an_event(events: Iterator[Event]) -> Iterator[Event]:
    """A piece of text is held back until the next event comes, whatever that is."""
    text_event: Event | None = None
    for event in events:
        if text_event is not None:
            yield text_event
        text_event = event if says_text(event) else None
        if text_event is None:
            yield event
    if text_event is not None:
        yield text_event


def error_in(event: Event) -> dict[str, Any]:
    """What an event says of a failure: the object with its message."""
    data = event["data"]
    error = data.get("response", data).get("error", data)
    return error if isinstance(error, dict) else data


@warning(
    "translation/upstream-error-message", client=OTHERS, upstream=RESPONSES, case=FAILS, layer="each", spares=CALL_ALONE
)
def another_message_in_the_error(event: Event) -> None:
    """A fixed sentence stands in the place of what the provider said of its failure."""
    if is_error(event):
        error_in(event)["message"] = "The request could not be completed."


@harmless(client=OTHERS, upstream=RESPONSES, case=FAILS, layer="each")
def message_among_other_words(event: Event) -> None:
    """The provider's message stands among words of the translator's own."""
    if is_error(event):
        error_in(event)["message"] = f"Upstream said: {error_in(event)['message']} (no tool was run)"


@warning("gemini/stream-error-code", client=GEMINI, upstream=RESPONSES, case=FAILS, layer="each", spares=CALL_ALONE)
def code_of_another_error(event: Event) -> None:
    """Beside the name of a failed server stands the code of a wrong request."""
    if is_error(event):
        event["data"]["error"]["code"] = 400


@harmless(client=GEMINI, upstream=RESPONSES, case=FAILS, layer="each")
def code_of_a_gateway(event: Event) -> None:
    """A gateway's own code stands beside the name of a server that is not there."""
    if is_error(event):
        event["data"]["error"] |= {"code": 502, "status": "UNAVAILABLE"}


@warning("anthropic/error-type", client=ANTHROPIC, upstream=RESPONSES, case=FAILS, layer="each", spares=CALL_ALONE)
def type_of_another_api(event: Event) -> None:
    """The error in the stream has the word that the provider had for it."""
    if is_error(event):
        event["data"]["error"]["type"] = "server_error"


@harmless(client=ANTHROPIC, upstream=RESPONSES, case=FAILS, layer="each")
def type_of_a_timeout(event: Event) -> None:
    """A failure of the provider is told as a time that ran out."""
    if is_error(event):
        event["data"]["error"]["type"] = "timeout_error"
