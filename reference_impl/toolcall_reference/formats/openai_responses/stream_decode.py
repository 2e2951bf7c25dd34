"""Reading Responses streams: https://platform.openai.com/docs/api-reference/responses-streaming

Content in pieces is repeated whole twice: in the ``done`` events and in the final response. Servers omit one or the
other, so each of them completes what has arrived so far.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_reference.basics.jsontext import as_list, as_object, as_text
from toolcall_reference.conversation import citations
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.openai_responses.api import NAME
from toolcall_reference.formats.openai_responses.decode import (
    call_form,
    decode_call_head,
    decode_finish,
    decode_head,
    decode_other_item,
    decode_raw_arguments,
    is_call,
    lose_phase,
)
from toolcall_reference.formats.openai_responses.failures import decode_error_event
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall

_PartKey = tuple[str | int | None, str]


class StreamDecoder:
    """Decodes one stream."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._calls: dict[str | int, OpenCall] = {}
        self._text_lengths: dict[_PartKey, int] = {}  # received characters by part of a message
        self._done_keys: set[str | int] = set()
        self._cited_parts: set[_PartKey] = set()

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """The deltas of an event; empty for an unknown one."""
        handle = _HANDLERS.get(str(body.get("type")))
        if handle is not None and not self._draft.is_ended:
            handle(self, body)
        return self._draft.take_deltas()

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """Return no deltas: only an event with the whole response ends it."""
        del is_marked
        return ()

    def _start_response(self, body: Body) -> None:
        if not self._draft.is_started:
            self._draft.start_reply(decode_head(as_object(body.get("response"), "response")))

    def _add_item(self, body: Body) -> None:
        item = as_object(body.get("item"), "item")
        if is_call(item):
            self._open_call(item, body.get("output_index"))
        else:
            self._draft.close_text()

    def _open_call(self, item: Body, index: object) -> OpenCall:
        call = self._draft.open_call(*decode_call_head(item, self._losses))
        call.call.form = call_form(item)
        self._calls |= dict.fromkeys(_item_keys(item.get("id"), index), call)
        return call

    def _find_call(self, body: Body) -> OpenCall | None:
        candidates = (self._calls.get(key) for key in _item_keys(body.get("item_id"), body.get("output_index")))
        return next((call for call in candidates if call is not None and not call.is_closed), None)

    def _argument_delta(self, body: Body) -> None:
        call = self._find_call(body)
        if call is not None:
            self._draft.grow_call(call, as_text(body.get("delta"), "delta"))

    def _argument_done(self, body: Body) -> None:
        call = self._find_call(body)
        text = body.get("input") if "input" in body else body.get("arguments")
        if call is not None and isinstance(text, str):
            self._draft.complete_call(call, text)

    def _text_delta(self, body: Body) -> None:
        refusal = body.get("type") == "response.refusal.delta"
        self._add_text(_part_key(body), as_text(body.get("delta"), "delta"), refusal=refusal)

    def _add_text(self, part: _PartKey, piece: str, *, refusal: bool) -> None:
        self._text_lengths[part] = self._text_lengths.get(part, 0) + len(piece)
        self._draft.add_text(piece, key=part, refusal=refusal)

    def _text_done(self, body: Body) -> None:
        self._complete_text(_part_key(body), body, refusal=body.get("type") == "response.refusal.done")

    def _complete_text(self, part: _PartKey, content: Body, *, refusal: bool) -> None:
        text = content.get("refusal" if refusal else "text")
        if isinstance(text, str):
            self._add_text(part, text[self._text_lengths.get(part, 0) :], refusal=refusal)

    def _add_citation(self, body: Body) -> None:
        self._draft.cite_text(citations.from_openai([body.get("annotation")], self._losses))
        self._cited_parts.add(_part_key(body))

    def _item_done(self, body: Body) -> None:
        self._complete_item(as_object(body.get("item"), "item"), body.get("output_index"))

    def _complete_item(self, item: Body, index: object) -> None:
        """Complete an item from its whole form."""
        self._done_keys |= set(_item_keys(item.get("id"), index))
        if is_call(item):
            call = self._find_call({"item_id": item.get("id"), "output_index": index}) or self._open_call(item, index)
            self._draft.complete_call(call, decode_raw_arguments(item))
            self._draft.close_call(call)
        elif item.get("type") == "message":
            lose_phase(item, self._losses)
            for place, part in enumerate(as_list(item.get("content"), "content")):
                part = as_object(part, "a content part")
                where = {"item_id": item.get("id"), "output_index": index, "content_index": place}
                self._complete_text(_part_key(where), part, refusal=part.get("type") == "refusal")
                if _part_key(where) not in self._cited_parts:
                    self._draft.cite_text(citations.from_openai(part.get("annotations"), self._losses))
            self._draft.close_text()
        else:
            self._draft.add_item(decode_other_item(item))

    def _end_response(self, body: Body) -> None:
        response = as_object(body.get("response"), "response")
        self._start_response(body)
        for index, item in enumerate(as_list(response.get("output"), "output")):
            item = as_object(item, "an output item")
            if not self._done_keys.intersection(_item_keys(item.get("id"), index)):
                self._complete_item(item, index)
        self._draft.close_all()
        calls, refused = bool(self._draft.calls), self._draft.has_refusal
        decode_finish(self._draft.reply, response, calls=calls, refused=refused)
        self._draft.end_reply()

    def _fail_response(self, body: Body) -> None:
        """End the reply with the failure of a failed response or an error event."""
        self._draft.fail_reply(decode_error_event(as_object(body.get("response", body), "response"), self._losses))


def _item_keys(item_id: object, index: object) -> list[str | int]:
    """The keys of an item: its id and its index in the output."""
    return [key for key in (item_id, index) if isinstance(key, (str, int))]


def _part_key(body: Body) -> _PartKey:
    places = [body.get("output_index"), body.get("item_id")]
    return (next((key for key in places if isinstance(key, (str, int))), None), str(body.get("content_index")))


_HANDLERS = {
    "response.created": StreamDecoder._start_response,
    "response.in_progress": StreamDecoder._start_response,
    "response.output_item.added": StreamDecoder._add_item,
    "response.function_call_arguments.delta": StreamDecoder._argument_delta,
    "response.function_call_arguments.done": StreamDecoder._argument_done,
    "response.custom_tool_call_input.delta": StreamDecoder._argument_delta,
    "response.custom_tool_call_input.done": StreamDecoder._argument_done,
    "response.output_text.delta": StreamDecoder._text_delta,
    "response.output_text.done": StreamDecoder._text_done,
    "response.output_text.annotation.added": StreamDecoder._add_citation,
    "response.refusal.delta": StreamDecoder._text_delta,
    "response.refusal.done": StreamDecoder._text_done,
    "response.output_item.done": StreamDecoder._item_done,
    "response.completed": StreamDecoder._end_response,
    "response.incomplete": StreamDecoder._end_response,
    "response.failed": StreamDecoder._fail_response,
    "error": StreamDecoder._fail_response,
}
