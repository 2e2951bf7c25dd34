"""Writing Gemini streams: text as it comes, calls whole, and a last record that says why the reply ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolcall_reference.basics.text_offsets import TextOffsets
from toolcall_reference.conversation.citations import shift_citation
from toolcall_reference.conversation.intermediate import Body, Citation, Reply, Text, UniversalToolCall
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.gemini.api import IDS, NAMES
from toolcall_reference.formats.gemini.encode import encode_body, encode_finish, encode_grounding, encode_part
from toolcall_reference.formats.gemini.failures import encode_error
from toolcall_reference.formats.gemini.settings import CLIENT_RUN, tool_kinds
from toolcall_reference.streaming.deltas import (
    Delta,
    ItemClosed,
    ItemOpened,
    ItemPiece,
    ReplyEnded,
    ReplyFailed,
    ReplyStarted,
    WholeItem,
)
from toolcall_reference.streaming.filters import BlankTextFilter


class StreamEncoder:
    """One stream: the data of each event; they have no names."""

    whole_reply: Body | None = None

    def __init__(self, target: Target) -> None:
        target.use_names(NAMES, [], [])
        self._target = target
        self._not_blank = BlankTextFilter()
        self._reply = Reply("", [], "other")
        self._begun: dict[int, int] = {}
        # What a source says is told word for word only where it was asked for: a stream holds no text.
        self._keeps = any(key not in CLIENT_RUN for key in tool_kinds(target.client_request))
        # Clients join neighbouring pieces of text, so these are one part: what each part says, and its sources.
        self._part = 0
        self._spoken: dict[int, TextOffsets] = {}
        self._cited: dict[int, list[Citation]] = {}

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body]]:
        """The records that tell of ``delta``."""
        for output in self._not_blank(delta):
            for body in self._records(output):
                yield "", body

    def _records(self, delta: Delta) -> Iterable[Body]:
        if isinstance(delta, ItemPiece):
            return self._grow(delta)
        if isinstance(delta, ReplyStarted):
            self._reply = delta.reply
        elif isinstance(delta, ItemOpened) and isinstance(delta.item, Text):
            self._begun[delta.place] = len(self._spoken.get(self._part, ()))
        elif isinstance(delta, ItemOpened) and isinstance(delta.item, UniversalToolCall):
            self._target.assign_next_id(delta.item, IDS)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, Text):
            start = self._begun.pop(delta.place)
            placed_citations = [
                shift_citation(citation, start, len(self._spoken.get(self._part, ())) - start)
                for citation in delta.item.citations
            ]
            self._cited.setdefault(self._part, []).extend(placed_citations)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, UniversalToolCall):
            self._part += 1 + (self._part in self._spoken)
            return [self._record(encode_part(delta.item, self._target.call_ids, self._target))]
        elif isinstance(delta, WholeItem):
            parts = encode_part(delta.item, {}, self._target)
            if parts:
                self._part += len(parts) + (self._part in self._spoken)
                return [self._record(parts)]
        elif isinstance(delta, ReplyEnded):
            self._reply = delta.reply
            return [self._record([{"text": ""}], encode_finish(delta.reply, self._target))]
        elif isinstance(delta, ReplyFailed):
            return [encode_error(delta.failure)[1]]
        return ()

    def _grow(self, delta: ItemPiece) -> Iterable[Body]:
        """The record of a piece of text; calls are told when they are whole."""
        if delta.place not in self._begun:
            return ()
        if self._part not in self._spoken:
            self._spoken[self._part] = TextOffsets(keeps_text=self._keeps)
        self._spoken[self._part].add(delta.text)
        return [self._record([{"text": delta.text}])]

    def _record(self, parts: list[Body], finish: str | None = None) -> Body:
        candidate: Body = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if finish is not None:
            candidate = {"content": candidate["content"], "finishReason": finish, "index": 0}
            cited = [
                (part, self._spoken.get(part, TextOffsets()), citations) for part, citations in self._cited.items()
            ]
            candidate |= encode_grounding(cited)
        body = encode_body(self._reply, self._target, candidate)
        if self._reply.usage is None and finish is None:
            del body["usageMetadata"]  # not known yet, which is not zero
        return body
