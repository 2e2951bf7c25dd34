"""Reading Gemini streams: every record has the shape of a reply, and the parts of all records are those of the reply.

Neighbouring texts are pieces of one text. Calls are whole, except from Vertex on request. The reply is complete when
the stream ends and any record had a finish reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, join_pieces
from toolcall_reference.basics.text_offsets import TextOffsets
from toolcall_reference.conversation import citations, failures
from toolcall_reference.conversation.intermediate import Body, Citation, Opaque
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.gemini.api import NAME
from toolcall_reference.formats.gemini.decode import (
    content_parts,
    decode_blocked_prompt,
    decode_call_head,
    decode_finish,
    decode_grounding,
    decode_head,
    decode_other_part,
    decode_state,
    decode_usage,
    lose_call,
    lose_candidates,
    lose_citations,
)
from toolcall_reference.formats.gemini.failures import decode_error_event
from toolcall_reference.formats.gemini.partial_arguments import PartialArguments
from toolcall_reference.formats.gemini.protojson import to_camel_case, with_camel_keys
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall


class StreamDecoder:
    """Decodes one stream; of several candidates the first."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._usage: Body = {}
        self._candidate: Body = {}
        self._candidate_index: Any = None  # the index of the first candidate
        self._has_finish = False  # whether its finish was decoded at least once
        self._feedback: Body | None = None
        self._thought: Body | None = None
        self._thoughts: list[str] = []
        self._call: OpenCall | None = None
        self._arguments = PartialArguments()
        self._pages: list[tuple[Body, Citation]] = []
        self._open_text = TextOffsets(keeps_text=False)  # offsets in the open text
        self._has_own_step = False  # the provider ran a step whose citations come with the last record

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """The deltas of a record."""
        if not self._draft.is_ended:
            self._decode_record(with_camel_keys(body))
        return self._draft.take_deltas()

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """The deltas of the end: the reply is complete if a record said why it ended."""
        del is_marked
        finished = self._candidate.get("finishReason") or self._feedback is not None
        if finished and not self._draft.is_ended:
            self._close_thought()
            self._close_call()
            self._cite_text()
            self._draft.close_all()
            reply = self._draft.reply
            reply.usage = decode_usage(self._usage)
            if self._feedback is not None and not self._candidate:
                decode_blocked_prompt(reply, self._feedback, self._losses)
            else:
                decode_finish(reply, self._candidate, calls=bool(self._draft.calls))
            if reply.finish == "error" and self._draft.calls:
                # The provider reports these calls as unusable, but they are already sent: only an error keeps a
                # client from running them.
                self._draft.fail_reply(failures.Failure("server_error", 502, reply.message or "the calls are unusable"))
            else:
                self._draft.end_reply()
        return self._draft.take_deltas()

    def _cite_text(self) -> None:
        """Cite the open text; citations come last, and those of a closed text are recorded as losses."""
        placed_citations = []
        for segment, citation in self._pages:
            citation.start, citation.end = citations.character_range(
                self._open_text, segment.get("startIndex") or 0, segment.get("endIndex")
            )
            placed_citations.append(citation)
        if placed_citations and not self._draft.cite_text(placed_citations):
            self._losses.add("citations", "they came when their text was complete; dropped")

    def _decode_record(self, body: Body) -> None:
        """Decode a record: error, usage, prompt feedback, and the first candidate."""
        if body.get("error"):
            self._draft.fail_reply(decode_error_event(to_camel_case(body), self._losses))
            return
        if body.get("usageMetadata") is not None:
            self._usage |= with_camel_keys(as_object(body["usageMetadata"], "usageMetadata"))
        if not self._draft.is_started:
            # A reply without an id gets a key from its whole first record.
            reply = decode_head(body if body.get("responseId") else to_camel_case(body))
            reply.usage = decode_usage(self._usage)
            self._draft.start_reply(reply)
        if body.get("promptFeedback", {}):
            self._feedback = as_object(to_camel_case(body["promptFeedback"]), "promptFeedback")
        for place, candidate in enumerate(as_list(body.get("candidates"), "candidates")):
            candidate = with_camel_keys(as_object(candidate, "a candidate"))
            index = candidate.get("index")
            candidate_index = place if index is None else index
            if self._candidate_index is None:
                self._candidate_index = candidate_index
            if candidate_index != self._candidate_index:
                lose_candidates(self._losses, 2)
            else:
                self._decode_candidate(candidate)

    def _decode_candidate(self, candidate: Body) -> None:
        """Decode the parts of a candidate, with its finish, citations and losses."""
        content = candidate.pop("content", None)
        says_more = len(candidate) > ("index" in candidate)
        if says_more:
            candidate = to_camel_case(candidate)
            lose_citations(candidate, self._losses)
            self._pages += [] if candidate.get("groundingMetadata") is None else list(decode_grounding(candidate))
        self._candidate |= {key: value for key, value in candidate.items() if value is not None}
        unusable = self._draft.reply
        if says_more or not self._has_finish:
            self._has_finish = True
            decode_finish(unusable, self._candidate, calls=False)
        for part in content_parts(content):
            call = part.get("functionCall")
            if part.get("thought") is True:
                self._add_thought(to_camel_case(part))
                continue
            self._close_thought()
            if isinstance(call, dict) and unusable.finish == "error":
                lose_call(str(call.get("name")), self._candidate, self._losses)
            elif isinstance(call, dict):
                self._add_call_piece(to_camel_case(call), part)
            elif isinstance(part.get("text"), str):
                self._open_text.add(part["text"])
                self._draft.add_text(part["text"], key=len(self._draft.calls))
                if "thoughtSignature" in part and decode_state(part):
                    self._draft.sign_text(decode_state(part))
            else:
                self._open_text = TextOffsets(keeps_text=False)
                self._has_own_step = self._has_own_step or "toolCall" in part
                for item in decode_other_part(part, self._losses):
                    self._draft.add_item(item)

    def _add_call_piece(self, call: Body, part: Body) -> None:
        """Add a piece of a call, which is closed unless more follows."""
        if call.get("name") or self._call is None:
            self._close_call()
            if not call.get("name"):
                return  # the end of a call that has ended
            self._call = self._draft.open_call(*decode_call_head(call), keep_text=self._has_own_step)
            self._arguments = PartialArguments()
        self._call.call.raw_context = self._call.call.raw_context | decode_state(part)
        self._arguments.add_piece(call)
        if call.get("willContinue") is not True:
            self._close_call()

    def _close_call(self) -> None:
        if self._call is not None:
            self._draft.close_call_with(self._call, self._arguments.value)
            self._call = None

    def _add_thought(self, part: Body) -> None:
        self._draft.close_text()
        if self._thought is None:
            self._thought, self._thoughts = {}, []
        self._thoughts.append(str(part.get("text") or ""))
        self._thought |= part

    def _close_thought(self) -> None:
        if self._thought is not None:
            self._draft.add_item(Opaque(NAME, "thought", self._thought | {"text": join_pieces(self._thoughts)}))
            self._thought = None
