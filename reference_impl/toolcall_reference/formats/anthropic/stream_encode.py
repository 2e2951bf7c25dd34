"""Writing Anthropic streams: one open block at a time; text and arguments are written piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolcall_reference.basics.jsontext import dump
from toolcall_reference.conversation.intermediate import Body, Item, Media, Text, UniversalToolCall, Usage
from toolcall_reference.conversation.media import placeholder
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.anthropic.api import IDS, NAME, NAMES
from toolcall_reference.formats.anthropic.encode import (
    encode_block,
    encode_body,
    encode_citation,
    encode_finish,
    encode_usage,
)
from toolcall_reference.formats.anthropic.failures import encode_error
from toolcall_reference.streaming.deltas import (
    Delta,
    ItemClosed,
    ItemOpened,
    ItemPiece,
    ReplyFailed,
    ReplyStarted,
    WholeItem,
)
from toolcall_reference.streaming.filters import BlankTextFilter, OneOpenItemFilter

NamedEvent = tuple[str, Body]


class StreamEncoder:
    """Encodes one stream as named events."""

    whole_reply: Body | None = None

    def __init__(self, target: Target) -> None:
        target.use_names(NAMES, [], [])
        self._target = target
        self._not_blank, self._in_order = BlankTextFilter(), OneOpenItemFilter()
        self._index = 0
        self._type = "text"
        self._free_text_places: set[int] = set()

    def encode_delta(self, delta: Delta, /) -> Iterator[NamedEvent]:
        """The events of ``delta`` and of the deltas that waited for it."""
        for output in self._not_blank(delta):
            for ordered in self._in_order(output):
                for body in self._encode_events(ordered):
                    yield body["type"], body

    def _encode_events(self, delta: Delta) -> Iterable[Body]:
        if isinstance(delta, ItemPiece):
            return () if delta.place in self._free_text_places else [self._encode_piece(delta.text)]
        if isinstance(delta, ReplyStarted):
            open_end = {"stop_reason": None, "stop_sequence": None}
            return [{"type": "message_start", "message": encode_body(delta.reply, self._target, [], open_end)}]
        if isinstance(delta, ItemOpened):
            return self._encode_start(delta)
        if isinstance(delta, ItemClosed):
            return self._encode_end(delta)
        if isinstance(delta, WholeItem):
            return self._encode_whole_item(delta.item)
        if isinstance(delta, ReplyFailed):
            return [encode_error(delta.failure)[1]]
        usage = encode_usage(delta.reply.usage or Usage())
        end = encode_finish(delta.reply, self._target)
        return [{"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]

    def _encode_whole_item(self, item: Item) -> Iterator[Body]:
        if isinstance(item, Media):
            yield from self._encode_start(ItemOpened(-1, Text("")))
            yield self._encode_piece(placeholder(item, self._target.losses, NAME).text)
            yield self._encode_stop()
            return
        for block in encode_block(item, {}, self._target):
            yield {"type": "content_block_start", "index": self._index, "content_block": block}
            yield self._encode_stop()

    def _encode_start(self, delta: ItemOpened) -> Iterator[Body]:
        item = delta.item
        block: Body = {"type": "text", "text": ""}
        self._type = "text"
        if isinstance(item, UniversalToolCall):
            block = {"type": "tool_use", "id": self._target.assign_next_id(item, IDS), "name": item.name, "input": {}}
            self._type = "input_json"
        yield {"type": "content_block_start", "index": self._index, "content_block": block}
        if isinstance(item, UniversalToolCall):
            yield self._encode_piece("")
            if item.kind == "custom":  # its text becomes a JSON value, which is written when it is complete
                self._free_text_places.add(delta.place)

    def _encode_piece(self, piece: str) -> Body:
        key = "text" if self._type == "text" else "partial_json"
        delta = {"type": f"{self._type}_delta", key: piece}
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def _encode_end(self, delta: ItemClosed) -> Iterator[Body]:
        self._target.lose_state(delta.item)
        for citation in delta.item.citations if isinstance(delta.item, Text) else ():
            citation_delta = {"type": "citations_delta", "citation": encode_citation(citation)}
            yield {"type": "content_block_delta", "index": self._index, "delta": citation_delta}
        if delta.place in self._free_text_places and isinstance(delta.item, UniversalToolCall):
            yield self._encode_piece(dump(delta.item.arguments))
        yield self._encode_stop()

    def _encode_stop(self) -> Body:
        self._index += 1
        return {"type": "content_block_stop", "index": self._index - 1}
