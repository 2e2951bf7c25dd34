"""Reading Responses streams: https://platform.openai.com/docs/api-reference/responses-streaming

What is said in pieces is said again whole, twice: in the ``done`` events and in the response at the end. Servers leave
out one or the other, so each of them completes what has come so far.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_reference.basics.jsontext import as_list, as_object, as_text
from toolcall_reference.conversation import citations
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.openai_responses.api import NAME
from toolcall_reference.formats.openai_responses.decode import (
    argument_text,
    call_of,
    form_of,
    head,
    is_call,
    other_item,
    tail,
)
from toolcall_reference.formats.openai_responses.failures import decode_error_event
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall

_Part = tuple[str | int | None, str]


class StreamDecoder:
    """One stream."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._calls: dict[str | int, OpenCall] = {}
        self._said: dict[_Part, int] = {}  # how many characters of each part of a message
        self._done: set[str | int] = set()
        self._cited: set[_Part] = set()

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """What an event tells; nothing for one that is not known."""
        handle = _EVENTS.get(str(body.get("type")))
        if handle is not None and not self._draft.is_ended:
            handle(self, body)
        return self._draft.take_deltas()

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """The stream is over; only an event of the whole response ends it."""
        del is_marked
        return ()

    def _start(self, body: Body) -> None:
        if not self._draft.is_started:
            self._draft.start_reply(head(as_object(body.get("response"), "response")))

    def _added(self, body: Body) -> None:
        item = as_object(body.get("item"), "item")
        if is_call(item):
            self._open(item, body.get("output_index"))
        else:
            self._draft.close_text()

    def _open(self, item: Body, index: object) -> OpenCall:
        call = self._draft.open_call(*call_of(item, self._losses))
        call.call.form = form_of(item)
        self._calls |= dict.fromkeys(_keys(item.get("id"), index), call)
        return call

    def _call(self, body: Body) -> OpenCall | None:
        candidates = (self._calls.get(key) for key in _keys(body.get("item_id"), body.get("output_index")))
        return next((call for call in candidates if call is not None and not call.is_closed), None)

    def _argument_delta(self, body: Body) -> None:
        call = self._call(body)
        if call is not None:
            self._draft.grow_call(call, as_text(body.get("delta"), "delta"))

    def _argument_done(self, body: Body) -> None:
        call = self._call(body)
        text = body.get("input") if "input" in body else body.get("arguments")
        if call is not None and isinstance(text, str):
            self._draft.complete_call(call, text)

    def _text_delta(self, body: Body) -> None:
        refusal = body.get("type") == "response.refusal.delta"
        self._say(_part(body), as_text(body.get("delta"), "delta"), refusal=refusal)

    def _say(self, part: _Part, piece: str, *, refusal: bool) -> None:
        self._said[part] = self._said.get(part, 0) + len(piece)
        self._draft.add_text(piece, key=part, refusal=refusal)

    def _text_done(self, body: Body) -> None:
        self._complete(_part(body), body, refusal=body.get("type") == "response.refusal.done")

    def _complete(self, part: _Part, content: Body, *, refusal: bool) -> None:
        text = content.get("refusal" if refusal else "text")
        if isinstance(text, str):
            self._say(part, text[self._said.get(part, 0) :], refusal=refusal)

    def _citation(self, body: Body) -> None:
        self._draft.cite_text(citations.from_openai([body.get("annotation")], self._losses))
        self._cited.add(_part(body))

    def _item_done(self, body: Body) -> None:
        self._item(as_object(body.get("item"), "item"), body.get("output_index"))

    def _item(self, item: Body, index: object) -> None:
        """An item as it is when it is complete."""
        self._done |= set(_keys(item.get("id"), index))
        if is_call(item):
            call = self._call({"item_id": item.get("id"), "output_index": index}) or self._open(item, index)
            self._draft.complete_call(call, argument_text(item))
            self._draft.close_call(call)
        elif item.get("type") == "message":
            for place, part in enumerate(as_list(item.get("content"), "content")):
                part = as_object(part, "a content part")
                where = {"item_id": item.get("id"), "output_index": index, "content_index": place}
                self._complete(_part(where), part, refusal=part.get("type") == "refusal")
                if _part(where) not in self._cited:
                    self._draft.cite_text(citations.from_openai(part.get("annotations"), self._losses))
            self._draft.close_text()
        else:
            self._draft.add_item(other_item(item))

    def _end(self, body: Body) -> None:
        response = as_object(body.get("response"), "response")
        self._start(body)
        for index, item in enumerate(as_list(response.get("output"), "output")):
            item = as_object(item, "an output item")
            if not self._done.intersection(_keys(item.get("id"), index)):
                self._item(item, index)
        self._draft.close_all()
        calls, refused = bool(self._draft.calls), self._draft.has_refusal
        tail(self._draft.reply, response, calls=calls, refused=refused)
        self._draft.end_reply()

    def _failed(self, body: Body) -> None:
        """A response that failed ends like a stream in which an error came."""
        self._draft.fail_reply(decode_error_event(as_object(body.get("response", body), "response"), self._losses))


def _keys(item_id: object, index: object) -> list[str | int]:
    """What an item is known by: its id, and its place in the output."""
    return [key for key in (item_id, index) if isinstance(key, (str, int))]


def _part(body: Body) -> _Part:
    places = [body.get("output_index"), body.get("item_id")]
    return (next((key for key in places if isinstance(key, (str, int))), None), str(body.get("content_index")))


_EVENTS = {
    "response.created": StreamDecoder._start,
    "response.in_progress": StreamDecoder._start,
    "response.output_item.added": StreamDecoder._added,
    "response.function_call_arguments.delta": StreamDecoder._argument_delta,
    "response.function_call_arguments.done": StreamDecoder._argument_done,
    "response.custom_tool_call_input.delta": StreamDecoder._argument_delta,
    "response.custom_tool_call_input.done": StreamDecoder._argument_done,
    "response.output_text.delta": StreamDecoder._text_delta,
    "response.output_text.done": StreamDecoder._text_done,
    "response.output_text.annotation.added": StreamDecoder._citation,
    "response.refusal.delta": StreamDecoder._text_delta,
    "response.refusal.done": StreamDecoder._text_done,
    "response.output_item.done": StreamDecoder._item_done,
    "response.completed": StreamDecoder._end,
    "response.incomplete": StreamDecoder._end,
    "response.failed": StreamDecoder._failed,
    "error": StreamDecoder._failed,
}
