"""Writing Gemini streams: text piece by piece, calls whole, and a last record with the finish reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolcall_reference.basics.text_offsets import TextOffsets
from toolcall_reference.conversation.citations import shift_citation
from toolcall_reference.conversation.intermediate import Body, Citation, Reply, Text, UniversalToolCall
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.gemini.api import IDS, NAMES
from toolcall_reference.formats.gemini.encode import encode_body, encode_finish, encode_grounding, encode_part
from toolcall_reference.formats.gemini.failures import encode_error
from toolcall_reference.formats.gemini.settings import CLIENT_RUN_KINDS, tool_kinds
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
    """Encodes one stream as unnamed events."""

    whole_reply: Body | None = None

    def __init__(self, target: Target) -> None:
        target.use_names(NAMES, [], [])
        self._target = target
        self._not_blank = BlankTextFilter()
        self._reply = Reply("", [], "other")
        self._text_starts: dict[int, int] = {}
        # Cited words are repeated only for clients with provider-run tools; otherwise no text is stored.
        self._keeps_text = any(key not in CLIENT_RUN_KINDS for key in tool_kinds(target.client_request))
        # Clients join neighbouring pieces of text into one part: the text and citations of each part.
        self._part_index = 0
        self._texts: dict[int, TextOffsets] = {}
        self._citations: dict[int, list[Citation]] = {}

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body]]:
        """The records of ``delta``."""
        for output in self._not_blank(delta):
            for body in self._encode_records(output):
                yield "", body

    def _encode_records(self, delta: Delta) -> Iterable[Body]:
        if isinstance(delta, ItemPiece):
            return self._encode_piece(delta)
        if isinstance(delta, ReplyStarted):
            self._reply = delta.reply
        elif isinstance(delta, ItemOpened) and isinstance(delta.item, Text):
            self._text_starts[delta.place] = len(self._texts.get(self._part_index, ()))
        elif isinstance(delta, ItemOpened) and isinstance(delta.item, UniversalToolCall):
            self._target.assign_next_id(delta.item, IDS)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, Text):
            start = self._text_starts.pop(delta.place)
            placed_citations = [
                shift_citation(citation, start, len(self._texts.get(self._part_index, ())) - start)
                for citation in delta.item.citations
            ]
            self._citations.setdefault(self._part_index, []).extend(placed_citations)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, UniversalToolCall):
            self._part_index += 1 + (self._part_index in self._texts)
            return [self._make_record(encode_part(delta.item, self._target.call_ids, self._target))]
        elif isinstance(delta, WholeItem):
            parts = encode_part(delta.item, {}, self._target)
            if parts:
                self._part_index += len(parts) + (self._part_index in self._texts)
                return [self._make_record(parts)]
        elif isinstance(delta, ReplyEnded):
            self._reply = delta.reply
            return [self._make_record([{"text": ""}], encode_finish(delta.reply, self._target))]
        elif isinstance(delta, ReplyFailed):
            return [encode_error(delta.failure)[1]]
        return ()

    def _encode_piece(self, delta: ItemPiece) -> Iterable[Body]:
        """The record of a piece of text; calls are written when they are whole."""
        if delta.place not in self._text_starts:
            return ()
        if self._part_index not in self._texts:
            self._texts[self._part_index] = TextOffsets(keeps_text=self._keeps_text)
        self._texts[self._part_index].add(delta.text)
        return [self._make_record([{"text": delta.text}])]

    def _make_record(self, parts: list[Body], finish: str | None = None) -> Body:
        candidate: Body = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if finish is not None:
            candidate = {"content": candidate["content"], "finishReason": finish, "index": 0}
            cited = [
                (part, self._texts.get(part, TextOffsets()), citations) for part, citations in self._citations.items()
            ]
            candidate |= encode_grounding(cited)
        body = encode_body(self._reply, self._target, candidate)
        if self._reply.usage is None and finish is None:
            del body["usageMetadata"]  # not known yet, which is not zero
        return body
