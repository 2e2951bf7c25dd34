"""Writing Chat Completions streams: every chunk says only what is new, and the finish reason closes everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_reference.conversation import citations
from toolcall_reference.conversation.history import TextJoiner
from toolcall_reference.conversation.intermediate import Body, Item, Media, Reply, Text, UniversalToolCall, Usage
from toolcall_reference.conversation.media import placeholder
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.openai_chat.api import IDS, NAME, NAMES
from toolcall_reference.formats.openai_chat.encode import (
    arguments_text,
    call_head,
    can_draw,
    drawn,
    encode_finish,
    encode_head,
    encode_usage,
    is_legacy,
    lose_item,
)
from toolcall_reference.formats.openai_chat.failures import encode_error
from toolcall_reference.streaming.deltas import (
    Delta,
    ItemClosed,
    ItemOpened,
    ItemPiece,
    ReplyEnded,
    ReplyStarted,
    WholeItem,
)
from toolcall_reference.streaming.filters import OneOpenItemFilter
from toolcall_reference.streaming.sse import DONE


class StreamEncoder:
    """One stream: the data of each event; they have no names."""

    whole_reply: Body | None = None

    def __init__(self, target: Target) -> None:
        target.use_names(NAMES, [], [])
        self._target = target
        self._in_order = OneOpenItemFilter()
        self._joiner = TextJoiner()
        self._refusals: set[int] = set()
        self._index: dict[int, int] = {}
        self._empty: set[int] = set()
        self._begun: dict[int, int] = {}  # behind how many characters each text stands
        self._length = 0
        self._drawn = 0
        self._sources: list[Body] = []  # told at once: the SDK fails at a second chunk with some
        self._head: Body = {}
        self._open: ItemOpened | None = None
        self._held: list[Body] | None = [] if is_legacy(target) else None
        options = target.client_request.get("stream_options")
        self._counts = isinstance(options, dict) and options.get("include_usage") is True

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body | str]]:
        """The chunks that tell of ``delta``, and of what waited for it."""
        for ordered in self._in_order(delta):
            for body in self._chunks(ordered):
                yield "", body

    def _chunks(self, delta: Delta) -> Iterable[Body | str]:
        if isinstance(delta, ItemPiece):
            return self._grow(delta)
        if isinstance(delta, ReplyStarted):
            self._head = encode_head(delta.reply, self._target, "chat.completion.chunk")
            return [self._chunk({"role": "assistant", "content": None, "refusal": None})]
        if isinstance(delta, ItemOpened):
            self._open = delta
            return self._call(delta.place, delta.item) if isinstance(delta.item, UniversalToolCall) else ()
        if isinstance(delta, ItemClosed):
            return self._close(delta)
        if isinstance(delta, WholeItem):
            return self._whole(delta.item)
        return self._end(delta.reply) if isinstance(delta, ReplyEnded) else [encode_error(delta.failure)[1]]

    def _whole(self, item: Item) -> Iterable[Body]:
        if isinstance(item, Media):
            return self._show(item)
        self._joiner.mark_gap()
        lose_item(item, self._target)
        return ()

    def _show(self, media: Media) -> Iterator[Body]:
        if can_draw(media):
            self._joiner.mark_gap()
            yield self._chunk({"images": [{"index": self._drawn, **drawn(media)}]})
            self._drawn += 1
        else:
            text = self._joiner.join(placeholder(media, self._target.losses, NAME).text)
            self._length += len(text)
            yield self._chunk({"content": text})

    def _chunk(self, delta: Body, finish: str | None = None) -> Body:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk = {**self._head, "choices": [choice]}
        if self._counts:
            chunk["usage"] = None
        return chunk

    def _call(self, place: int, call: UniversalToolCall) -> Iterator[Body]:
        self._joiner.mark_gap()
        self._index[place] = len(self._index)
        self._empty.add(place)
        wire_id = self._target.assign_next_id(call, IDS) or call.id
        entry = {"index": self._index[place], **call_head(call, wire_id, self._target)}
        if self._held is not None:
            self._held.append(entry)
        else:
            yield self._chunk({"tool_calls": [entry]})

    def _grow(self, delta: ItemPiece) -> Iterable[Body]:
        item = self._open.item if self._open is not None else None
        if isinstance(item, Text) and item.refusal:
            between = "\n" if self._refusals and delta.place not in self._refusals else ""
            self._refusals.add(delta.place)
            return [self._chunk({"refusal": between + delta.text})]
        if isinstance(item, Text):
            text = self._joiner.join(delta.text)
            if delta.place not in self._begun:
                self._begun[delta.place] = self._length + len(text) - len(delta.text)
            self._length += len(text)
            return [self._chunk({"content": text})]
        if item is None:
            return ()
        self._empty.discard(delta.place)
        return self._argue(delta.place, item, delta.text)

    def _argue(self, place: int, call: UniversalToolCall, piece: str) -> Iterable[Body]:
        kind, key = ("custom", "input") if call.kind == "custom" else ("function", "arguments")
        index = self._index[place]
        if self._held is not None:
            self._held[index][kind][key] += piece
            return ()
        return [self._chunk({"tool_calls": [{"index": index, kind: {key: piece}}]})]

    def _close(self, delta: ItemClosed) -> Iterator[Body]:
        if isinstance(delta.item, Text):
            self._target.lose_state(delta.item)
            start = self._begun.get(delta.place, self._length)
            self._sources += citations.to_openai(delta.item, start, self._length - start, "url_citation")
        elif delta.item.kind != "custom" and delta.place in self._empty:
            yield from self._argue(delta.place, delta.item, arguments_text(delta.item))

    def _end(self, reply: Reply) -> Iterator[Body | str]:
        finish = encode_finish(reply, self._target, refused=bool(self._refusals))
        if self._sources:
            yield self._chunk({"annotations": self._sources})
        if self._held and len(self._held) == 1:
            # A client of the deprecated functions looks for its call here; whether it is one shows only now.
            yield self._chunk({"function_call": self._held[0]["function"]})
            finish = "function_call" if finish == "tool_calls" else finish
        elif self._held:
            yield self._chunk({"tool_calls": self._held})
        yield self._chunk({}, finish)
        if self._counts:
            usage: dict[str, Any] = encode_usage(reply.usage or Usage())
            yield {**self._head, "choices": [], "usage": usage}
        yield DONE
