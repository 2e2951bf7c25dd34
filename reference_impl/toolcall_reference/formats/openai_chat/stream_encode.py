"""Writing Chat Completions streams: every chunk holds only new pieces, and the finish reason closes all items."""

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
    encode_call,
    encode_finish,
    encode_head,
    encode_image,
    encode_raw_arguments,
    encode_usage,
    is_image,
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
    """Encodes one stream as unnamed events."""

    whole_reply: Body | None = None

    def __init__(self, target: Target) -> None:
        target.use_names(NAMES, [], [])
        self._target = target
        self._in_order = OneOpenItemFilter()
        self._joiner = TextJoiner()
        self._refusals: set[int] = set()
        self._call_indexes: dict[int, int] = {}
        self._calls_without_arguments: set[int] = set()
        self._text_starts: dict[int, int] = {}  # the offset of each text in the content
        self._length = 0
        self._image_count = 0
        self._annotations: list[Body] = []  # sent in one chunk: the SDK fails at a second one
        self._head: Body = {}
        self._open_item: ItemOpened | None = None
        self._held_calls: list[Body] | None = [] if is_legacy(target) else None
        options = target.client_request.get("stream_options")
        self._includes_usage = isinstance(options, dict) and options.get("include_usage") is True

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body | str]]:
        """The chunks of ``delta`` and of the deltas that waited for it."""
        for ordered in self._in_order(delta):
            for body in self._encode_chunks(ordered):
                yield "", body

    def _encode_chunks(self, delta: Delta) -> Iterable[Body | str]:
        if isinstance(delta, ItemPiece):
            return self._encode_piece(delta)
        if isinstance(delta, ReplyStarted):
            self._head = encode_head(delta.reply, self._target, "chat.completion.chunk")
            return [self._make_chunk({"role": "assistant", "content": None, "refusal": None})]
        if isinstance(delta, ItemOpened):
            self._open_item = delta
            return self._encode_call_start(delta.place, delta.item) if isinstance(delta.item, UniversalToolCall) else ()
        if isinstance(delta, ItemClosed):
            return self._encode_end(delta)
        if isinstance(delta, WholeItem):
            return self._encode_whole_item(delta.item)
        return (
            self._encode_reply_end(delta.reply) if isinstance(delta, ReplyEnded) else [encode_error(delta.failure)[1]]
        )

    def _encode_whole_item(self, item: Item) -> Iterable[Body]:
        if isinstance(item, Media):
            return self._encode_media(item)
        self._joiner.mark_gap()
        lose_item(item, self._target)
        return ()

    def _encode_media(self, media: Media) -> Iterator[Body]:
        if is_image(media):
            self._joiner.mark_gap()
            yield self._make_chunk({"images": [{"index": self._image_count, **encode_image(media)}]})
            self._image_count += 1
        else:
            text = self._joiner.join(placeholder(media, self._target.losses, NAME).text)
            self._length += len(text)
            yield self._make_chunk({"content": text})

    def _make_chunk(self, delta: Body, finish: str | None = None) -> Body:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk = {**self._head, "choices": [choice]}
        if self._includes_usage:
            chunk["usage"] = None
        return chunk

    def _encode_call_start(self, place: int, call: UniversalToolCall) -> Iterator[Body]:
        self._joiner.mark_gap()
        self._call_indexes[place] = len(self._call_indexes)
        self._calls_without_arguments.add(place)
        wire_id = self._target.assign_next_id(call, IDS) or call.id
        entry = {"index": self._call_indexes[place], **encode_call(call, wire_id, self._target)}
        if self._held_calls is not None:
            self._held_calls.append(entry)
        else:
            yield self._make_chunk({"tool_calls": [entry]})

    def _encode_piece(self, delta: ItemPiece) -> Iterable[Body]:
        item = self._open_item.item if self._open_item is not None else None
        if isinstance(item, Text) and item.refusal:
            between = "\n" if self._refusals and delta.place not in self._refusals else ""
            self._refusals.add(delta.place)
            return [self._make_chunk({"refusal": between + delta.text})]
        if isinstance(item, Text):
            text = self._joiner.join(delta.text)
            if delta.place not in self._text_starts:
                self._text_starts[delta.place] = self._length + len(text) - len(delta.text)
            self._length += len(text)
            return [self._make_chunk({"content": text})]
        if item is None:
            return ()
        self._calls_without_arguments.discard(delta.place)
        return self._encode_arguments(delta.place, item, delta.text)

    def _encode_arguments(self, place: int, call: UniversalToolCall, piece: str) -> Iterable[Body]:
        kind, key = ("custom", "input") if call.kind == "custom" else ("function", "arguments")
        index = self._call_indexes[place]
        if self._held_calls is not None:
            self._held_calls[index][kind][key] += piece
            return ()
        return [self._make_chunk({"tool_calls": [{"index": index, kind: {key: piece}}]})]

    def _encode_end(self, delta: ItemClosed) -> Iterator[Body]:
        if isinstance(delta.item, Text):
            self._target.lose_state(delta.item)
            start = self._text_starts.get(delta.place, self._length)
            self._annotations += citations.to_openai(delta.item, start, self._length - start, "url_citation")
        elif delta.item.kind != "custom" and delta.place in self._calls_without_arguments:
            yield from self._encode_arguments(delta.place, delta.item, encode_raw_arguments(delta.item))

    def _encode_reply_end(self, reply: Reply) -> Iterator[Body | str]:
        """The last chunks: annotations, held calls of a client of deprecated functions, finish reason, usage."""
        finish = encode_finish(reply, self._target, refused=bool(self._refusals))
        if self._annotations:
            yield self._make_chunk({"annotations": self._annotations})
        if self._held_calls and len(self._held_calls) == 1:
            # A client of the deprecated functions expects a single call here; only now it is known to be single.
            yield self._make_chunk({"function_call": self._held_calls[0]["function"]})
            finish = "function_call" if finish == "tool_calls" else finish
        elif self._held_calls:
            yield self._make_chunk({"tool_calls": self._held_calls})
        yield self._make_chunk({}, finish)
        if self._includes_usage:
            usage: dict[str, Any] = encode_usage(reply.usage or Usage())
            yield {**self._head, "choices": [], "usage": usage}
        yield DONE
