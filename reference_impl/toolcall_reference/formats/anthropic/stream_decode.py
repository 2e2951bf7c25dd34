"""Reading Anthropic streams: https://platform.claude.com/docs/en/build-with-claude/streaming

Texts and calls are passed on piece by piece. A block of any other kind is assembled first: only its provider reads it.
Blocks follow one another; if they overlap all the same, ``index`` names the block of a delta.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from toolcall_reference.basics.jsontext import as_list, as_object, as_text, dump, join_pieces, parse_object
from toolcall_reference.conversation.intermediate import Body, Citation
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.anthropic.api import NAME
from toolcall_reference.formats.anthropic.decode import (
    decode_call_head,
    decode_citations,
    decode_finish,
    decode_head,
    decode_other_block,
)
from toolcall_reference.formats.anthropic.failures import decode_error_event
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall
from toolcall_reference.streaming.filters import BlankTextFilter


@dataclass(slots=True)
class _OpenBlock:
    """An open block: its start, the held text of its deltas by key, and its call if it is one."""

    start: Body
    call: OpenCall | None = None
    pieces: dict[str, list[str]] = field(default_factory=dict)
    citations: list[Citation] = field(default_factory=list)

    def hold(self, key: str, piece: str) -> None:
        self.pieces.setdefault(key, []).append(piece)


class StreamDecoder:
    """Decodes one stream."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._not_blank = BlankTextFilter()
        self._message_end: Body = {}
        self._open_blocks: dict[object, _OpenBlock] = {}
        self._streamed_block: _OpenBlock | None = None  # whose text is passed on piece by piece

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """The deltas of an event; empty for an unknown one."""
        handle = _HANDLERS.get(str(body.get("type")))
        if handle is not None and not self._draft.is_ended:
            handle(self, body)
        return [output for delta in self._draft.take_deltas() for output in self._not_blank(delta)]

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """Return no deltas: only message_stop ends a message."""
        del is_marked
        return ()

    def _start_message(self, body: Body) -> None:
        message = as_object(body.get("message"), "message")
        self._message_end = {"usage": as_object(message.get("usage"), "usage")}
        reply = decode_head(message)
        decode_finish(reply, self._message_end, calls=False)
        self._draft.start_reply(reply)
        # Not empty if a container continues: these blocks were streamed before.
        for block in as_list(message.get("content") or [], "content"):
            self._add_whole_block(as_object(block, "a content block"))

    def _open_block(self, body: Body) -> None:
        if not self._draft.is_started:
            self._draft.start_reply(decode_head(body))
        start = as_object(body.get("content_block"), "content_block")
        index = _block_index(body)
        if index in self._open_blocks:
            self._close_block(index)
        block = self._open_blocks[index] = _OpenBlock(start)
        if start.get("type") == "tool_use":
            block.call = self._draft.open_call(*decode_call_head(start, self._losses))
        elif start.get("type") == "text":
            self._add_text(block, as_text(start.get("text"), "text"))

    def _add_text(self, block: _OpenBlock, piece: str) -> None:
        """Add text to a block. Only one text is streamed at a time; an overlapping one is held until it is whole."""
        self._streamed_block = self._streamed_block or block
        if self._streamed_block is block:
            self._draft.add_text(piece)
        else:
            block.hold("text", piece)

    def _find_index(self, body: Body) -> object:
        """The index of an event's open block, else of the last one: some vendors omit or miscount it."""
        index = _block_index(body)
        return index if index in self._open_blocks else next(reversed(self._open_blocks), None)

    def _add_delta(self, body: Body) -> None:
        block = self._open_blocks.get(self._find_index(body)) or _OpenBlock({})
        delta = as_object(body.get("delta"), "delta")
        kind = delta.get("type")
        if kind == "text_delta" and block.start.get("type") == "text":
            self._add_text(block, as_text(delta.get("text"), "text"))
        elif kind == "input_json_delta":
            piece = as_text(delta.get("partial_json"), "partial_json")
            if block.call is not None:
                self._draft.grow_call(block.call, piece)
            else:
                block.hold("input", piece)
        elif kind == "citations_delta":
            citations = decode_citations([delta.get("citation")], self._losses)
            if self._streamed_block is not block or not self._draft.cite_text(citations):
                block.citations += citations
        elif kind in ("thinking_delta", "signature_delta"):
            key = str(kind).removesuffix("_delta")
            block.hold(key, as_text(delta.get(key), key))

    def _stop_block(self, body: Body) -> None:
        if self._open_blocks:
            self._close_block(self._find_index(body))

    def _close_block(self, index: object) -> None:
        """Close an open block: a call, the streamed text, a held text, or a block that was assembled."""
        block = self._open_blocks.pop(index)
        start, pieces = block.start, {key: join_pieces(pieces) for key, pieces in block.pieces.items()}
        if block.call is not None:
            if not block.call.text.strip() and start.get("input"):
                self._draft.grow_call(block.call, dump(start["input"]))
            self._draft.close_call(block.call)
        elif block is self._streamed_block:
            self._streamed_block = None
            self._draft.cite_text(block.citations)
            self._draft.close_text()
        elif start.get("type") == "text":
            self._draft.close_text()
            self._add_whole_block({"type": "text", "text": pieces.get("text", "")})
        else:
            if "input" in pieces:
                start["input"] = parse_object(pieces.pop("input")) or start.get("input", {})
            self._add_whole_block(start | {key: as_text(start.get(key), key) + text for key, text in pieces.items()})

    def _add_whole_block(self, block: Body) -> None:
        """Add a block that is complete."""
        if block.get("type") == "tool_use":
            call = self._draft.open_call(*decode_call_head(block, self._losses))
            self._draft.grow_call(call, dump(as_object(block.get("input"), "input")))
            self._draft.close_call(call)
        elif block.get("type") == "text":
            self._draft.add_text(as_text(block.get("text"), "text"))
            self._draft.close_text()
        else:
            for item in decode_other_block(block, self._losses):
                self._draft.add_item(item)

    def _store_end(self, body: Body) -> None:
        delta = as_object(body.get("delta"), "delta")
        self._message_end |= {key: value for key, value in delta.items() if value is not None}
        usage = as_object(body.get("usage"), "usage")
        self._message_end["usage"] = self._message_end.get("usage", {}) | {
            k: v for k, v in usage.items() if v is not None
        }

    def _end_message(self, body: Body) -> None:
        for index in list(self._open_blocks):
            self._close_block(index)
        if not self._draft.is_started:
            self._draft.start_reply(decode_head(body))
        decode_finish(self._draft.reply, self._message_end, calls=bool(self._draft.calls))
        self._draft.end_reply()

    def _fail_message(self, body: Body) -> None:
        self._draft.fail_reply(decode_error_event(body, self._losses))


_HANDLERS = {
    "message_start": StreamDecoder._start_message,
    "content_block_start": StreamDecoder._open_block,
    "content_block_delta": StreamDecoder._add_delta,
    "content_block_stop": StreamDecoder._stop_block,
    "message_delta": StreamDecoder._store_end,
    "message_stop": StreamDecoder._end_message,
    "error": StreamDecoder._fail_message,
}


def _block_index(body: Body) -> int | None:
    """The block index of an event; None if it has no valid one."""
    index = body.get("index")
    return index if isinstance(index, int) else None
