"""Reading Gemini streams: every record is a reply of its own, and the parts of all of them are those of the reply.

Neighbouring texts are one text, in pieces. Calls are whole, but for Vertex on request. The reply is complete when the
stream ends and a finish reason was given, in whichever record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, joined
from toolcall_reference.basics.text_offsets import TextOffsets
from toolcall_reference.conversation import citations, failures
from toolcall_reference.conversation.intermediate import Body, Citation, Opaque
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.gemini.api import NAME
from toolcall_reference.formats.gemini.decode import (
    blocked,
    call_of,
    decode_usage,
    head,
    lose_call,
    lose_candidates,
    lose_citations,
    other_part,
    pages_of,
    parts_of,
    state_of,
    tail,
)
from toolcall_reference.formats.gemini.failures import decode_error_event
from toolcall_reference.formats.gemini.partial_arguments import Arguments
from toolcall_reference.formats.gemini.protojson import camel, fields
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.draft import Draft, OpenCall


class StreamDecoder:
    """One stream; of several candidates the first."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._draft = Draft(NAME)
        self._usage: Body = {}
        self._candidate: Body = {}
        self._which: Any = None  # the index of the first candidate
        self._told = False  # whether it has said why it ended, or that it goes on
        self._feedback: Body | None = None
        self._thought: Body | None = None
        self._thoughts: list[str] = []
        self._call: OpenCall | None = None
        self._arguments = Arguments()
        self._pages: list[tuple[Body, Citation]] = []
        self._said = TextOffsets(keeps_text=False)  # the text that is open
        self._searched = False  # the provider ran a step of its own, whose pages come with the last record

    def decode_event(self, body: Body, /) -> Iterable[Delta]:
        """What a record tells."""
        if not self._draft.is_ended:
            self._record(fields(body))
        return self._draft.take_deltas()

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]:
        """The stream is over: complete if something said why the reply ended."""
        del is_marked
        finished = self._candidate.get("finishReason") or self._feedback is not None
        if finished and not self._draft.is_ended:
            self._end_thought()
            self._end_call()
            self._cite()
            self._draft.close_all()
            reply = self._draft.reply
            reply.usage = decode_usage(self._usage)
            if self._feedback is not None and not self._candidate:
                blocked(reply, self._feedback, self._losses)
            else:
                tail(reply, self._candidate, calls=bool(self._draft.calls))
            if reply.finish == "error" and self._draft.calls:
                # The provider itself calls these calls unusable, but they have gone out: only an error keeps anybody
                # from running them.
                self._draft.fail_reply(failures.Failure("server_error", 502, reply.message or "the calls are unusable"))
            else:
                self._draft.end_reply()
        return self._draft.take_deltas()

    def _cite(self) -> None:
        """The sources come last: of a text that is complete already nobody can be told any more."""
        placed_citations = []
        for segment, citation in self._pages:
            citation.start, citation.end = citations.character_range(
                self._said, segment.get("startIndex") or 0, segment.get("endIndex")
            )
            placed_citations.append(citation)
        if placed_citations and not self._draft.cite_text(placed_citations):
            self._losses.add("citations", "they came when their text was complete; dropped")

    def _record(self, body: Body) -> None:
        if body.get("error"):
            self._draft.fail_reply(decode_error_event(camel(body), self._losses))
            return
        if body.get("usageMetadata") is not None:
            self._usage |= fields(as_object(body["usageMetadata"], "usageMetadata"))
        if not self._draft.is_started:
            # A reply without an id is known by all that its first record says.
            reply = head(body if body.get("responseId") else camel(body))
            reply.usage = decode_usage(self._usage)
            self._draft.start_reply(reply)
        if body.get("promptFeedback", {}):
            self._feedback = as_object(camel(body["promptFeedback"]), "promptFeedback")
        for place, candidate in enumerate(as_list(body.get("candidates"), "candidates")):
            candidate = fields(as_object(candidate, "a candidate"))
            index = candidate.get("index")
            which = place if index is None else index
            if self._which is None:
                self._which = which
            if which != self._which:
                lose_candidates(self._losses, 2)
            else:
                self._parts(candidate)

    def _parts(self, candidate: Body) -> None:
        content = candidate.pop("content", None)
        says_more = len(candidate) > ("index" in candidate)
        if says_more:
            candidate = camel(candidate)
            lose_citations(candidate, self._losses)
            self._pages += [] if candidate.get("groundingMetadata") is None else list(pages_of(candidate))
        self._candidate |= {key: value for key, value in candidate.items() if value is not None}
        unusable = self._draft.reply
        if says_more or not self._told:
            self._told = True
            tail(unusable, self._candidate, calls=False)
        for part in parts_of(content):
            call = part.get("functionCall")
            if part.get("thought") is True:
                self._think(camel(part))
                continue
            self._end_thought()
            if isinstance(call, dict) and unusable.finish == "error":
                lose_call(str(call.get("name")), self._candidate, self._losses)
            elif isinstance(call, dict):
                self._piece_of_call(camel(call), part)
            elif isinstance(part.get("text"), str):
                self._said.add(part["text"])
                self._draft.add_text(part["text"], key=len(self._draft.calls))
                if "thoughtSignature" in part and state_of(part):
                    self._draft.sign_text(state_of(part))
            else:
                self._said = TextOffsets(keeps_text=False)
                self._searched = self._searched or "toolCall" in part
                for item in other_part(part, self._losses):
                    self._draft.add_item(item)

    def _piece_of_call(self, call: Body, part: Body) -> None:
        if call.get("name") or self._call is None:
            self._end_call()
            if not call.get("name"):
                return  # the end of a call that has ended
            self._call = self._draft.open_call(*call_of(call), beside=self._searched)
            self._arguments = Arguments()
        self._call.call.raw_context = self._call.call.raw_context | state_of(part)
        self._arguments.add(call)
        if call.get("willContinue") is not True:
            self._end_call()

    def _end_call(self) -> None:
        if self._call is not None:
            self._draft.close_call_with(self._call, self._arguments.value)
            self._call = None

    def _think(self, part: Body) -> None:
        self._draft.close_text()
        if self._thought is None:
            self._thought, self._thoughts = {}, []
        self._thoughts.append(str(part.get("text") or ""))
        self._thought |= part

    def _end_thought(self) -> None:
        if self._thought is not None:
            self._draft.add_item(Opaque(NAME, "thought", self._thought | {"text": joined(self._thoughts)}))
            self._thought = None
