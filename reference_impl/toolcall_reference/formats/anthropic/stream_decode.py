"""Reading Anthropic streams: https://platform.claude.com/docs/en/build-with-claude/streaming

Texts and calls go on as they come. A block of any other kind is put together first: only its provider reads it.
Blocks follow on each other; where they overlap all the same, ``index`` says which one goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from toolcall_reference.basics.jsontext import as_list, as_object, as_text, dump, joined, parse_object
from toolcall_reference.conversation.intermediate import Body, Citation
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.anthropic.api import NAME
from toolcall_reference.formats.anthropic.decode import call_of, citations_of, head, other_block, tail
from toolcall_reference.formats.anthropic.failures import decode_error_event
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall
from toolcall_reference.streaming.filters import BlankTextFilter


@dataclass(slots=True)
class _Block:
    """A block that is open: as it began, the text of its deltas that are held back by key, its call if it is one."""

    began: Body
    call: OpenCall | None = None
    pieces: dict[str, list[str]] = field(default_factory=dict)
    citations: list[Citation] = field(default_factory=list)

    def hold(self, key: str, piece: str) -> None:
        self.pieces.setdefault(key, []).append(piece)


class StreamDecoder:
    """One stream."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._not_blank = BlankTextFilter()
        self._end: Body = {}
        self._open_blocks: dict[object, _Block] = {}
        self._speaking: _Block | None = None  # whose text goes on as it comes

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """What an event tells; nothing for one that is not known."""
        handle = _EVENTS.get(str(body.get("type")))
        if handle is not None and not self._draft.is_ended:
            handle(self, body)
        return [output for delta in self._draft.take_deltas() for output in self._not_blank(delta)]

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """The stream is over; only message_stop ends a message."""
        del is_marked
        return ()

    def _start(self, body: Body) -> None:
        message = as_object(body.get("message"), "message")
        self._end = {"usage": as_object(message.get("usage"), "usage")}
        reply = head(message)
        tail(reply, self._end, calls=False)
        self._draft.start_reply(reply)
        # Not empty where a container goes on: what stands there was streamed before.
        for block in as_list(message.get("content") or [], "content"):
            self._whole(as_object(block, "a content block"))

    def _open(self, body: Body) -> None:
        if not self._draft.is_started:
            self._draft.start_reply(head(body))
        began = as_object(body.get("content_block"), "content_block")
        index = _index(body)
        if index in self._open_blocks:
            self._close(index)
        block = self._open_blocks[index] = _Block(began)
        if began.get("type") == "tool_use":
            block.call = self._draft.open_call(*call_of(began, self._losses))
        elif began.get("type") == "text":
            self._say(block, as_text(began.get("text"), "text"))

    def _say(self, block: _Block, piece: str) -> None:
        """One text at a time: of two that overlap the second is told when it is whole."""
        self._speaking = self._speaking or block
        if self._speaking is block:
            self._draft.add_text(piece)
        else:
            block.hold("text", piece)

    def _meant(self, body: Body) -> object:
        """The index of the open block that an event is about: some vendors leave it out or count it wrongly."""
        index = _index(body)
        return index if index in self._open_blocks else next(reversed(self._open_blocks), None)

    def _delta(self, body: Body) -> None:
        block = self._open_blocks.get(self._meant(body)) or _Block({})
        delta = as_object(body.get("delta"), "delta")
        kind = delta.get("type")
        if kind == "text_delta" and block.began.get("type") == "text":
            self._say(block, as_text(delta.get("text"), "text"))
        elif kind == "input_json_delta":
            piece = as_text(delta.get("partial_json"), "partial_json")
            if block.call is not None:
                self._draft.grow_call(block.call, piece)
            else:
                block.hold("input", piece)
        elif kind == "citations_delta":
            citations = citations_of([delta.get("citation")], self._losses)
            if self._speaking is not block or not self._draft.cite_text(citations):
                block.citations += citations
        elif kind in ("thinking_delta", "signature_delta"):
            key = str(kind).removesuffix("_delta")
            block.hold(key, as_text(delta.get(key), key))

    def _stop(self, body: Body) -> None:
        if self._open_blocks:
            self._close(self._meant(body))

    def _close(self, index: object) -> None:
        block = self._open_blocks.pop(index)
        began, pieces = block.began, {key: joined(pieces) for key, pieces in block.pieces.items()}
        if block.call is not None:
            if not block.call.text.strip() and began.get("input"):
                self._draft.grow_call(block.call, dump(began["input"]))
            self._draft.close_call(block.call)
        elif block is self._speaking:
            self._speaking = None
            self._draft.cite_text(block.citations)
            self._draft.close_text()
        elif began.get("type") == "text":
            self._draft.close_text()
            self._whole({"type": "text", "text": pieces.get("text", "")})
        else:
            if "input" in pieces:
                began["input"] = parse_object(pieces.pop("input")) or began.get("input", {})
            self._whole(began | {key: as_text(began.get(key), key) + text for key, text in pieces.items()})

    def _whole(self, block: Body) -> None:
        if block.get("type") == "tool_use":
            call = self._draft.open_call(*call_of(block, self._losses))
            self._draft.grow_call(call, dump(as_object(block.get("input"), "input")))
            self._draft.close_call(call)
        elif block.get("type") == "text":
            self._draft.add_text(as_text(block.get("text"), "text"))
            self._draft.close_text()
        else:
            for item in other_block(block, self._losses):
                self._draft.add_item(item)

    def _finish(self, body: Body) -> None:
        delta = as_object(body.get("delta"), "delta")
        self._end |= {key: value for key, value in delta.items() if value is not None}
        usage = as_object(body.get("usage"), "usage")
        self._end["usage"] = self._end.get("usage", {}) | {k: v for k, v in usage.items() if v is not None}

    def _message_stop(self, body: Body) -> None:
        for index in list(self._open_blocks):
            self._close(index)
        if not self._draft.is_started:
            self._draft.start_reply(head(body))
        tail(self._draft.reply, self._end, calls=bool(self._draft.calls))
        self._draft.end_reply()

    def _error(self, body: Body) -> None:
        self._draft.fail_reply(decode_error_event(body, self._losses))


_EVENTS = {
    "message_start": StreamDecoder._start,
    "content_block_start": StreamDecoder._open,
    "content_block_delta": StreamDecoder._delta,
    "content_block_stop": StreamDecoder._stop,
    "message_delta": StreamDecoder._finish,
    "message_stop": StreamDecoder._message_stop,
    "error": StreamDecoder._error,
}


def _index(body: Body) -> int | None:
    """The index of the block that an event is about; None where it has none that counts."""
    index = body.get("index")
    return index if isinstance(index, int) else None
