"""The state machine of a stream: before the first chunk, in the reply, after ``[DONE]``, after an error.

==========  =================  =====================  ==================
in          a chunk            ``[DONE]``             ``{"error": …}``
==========  =================  =====================  ==================
``BEFORE``  ``OPEN``           ``DONE``               ``FAILED``
``OPEN``    ``OPEN``           ``DONE``               ``FAILED``
``DONE``    after the end      said twice             after the end
``FAILED``  after the end      ``FAILED``             after the end
==========  =================  =====================  ==================

Events after the end are not read: the official SDK stops at ``[DONE]`` and raises at an error
(https://github.com/openai/openai-python/blob/main/src/openai/_streaming.py). After a breach the machine continues as
the SDK's accumulator does. If that raises, or takes two calls for one, it continues as clients made for such vendors
do, so that one fault is not reported as ten others.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Form, Words
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.formats.expected_values import intended_object, json_fault
from toolcall_conformance.formats.openai_chat.stream import calls as _calls
from toolcall_conformance.formats.openai_chat.stream import choice as _choice
from toolcall_conformance.formats.openai_chat.stream.choice import Choice
from toolcall_conformance.formats.rule import repeated_indexes
from toolcall_conformance.formats.stream_machine import Machine, rule_ids

RULES = rule_ids(
    "openai_chat",
    "stream-data",
    "stream-event-name",
    "stream-same-id",
    "stream-choice-index",
    "stream-choice-once",
    "stream-usage-kept",
    "stream-finish",
    "stream-end",
    "stream-after-end",
    *_choice.RULES,
    *_calls.RULES,
)
"""The rules that the machine checks; the schema checks the shape of single chunks."""


class ReplyState(Enum):
    BEFORE = "before"
    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


#: Keys of the reply that every chunk repeats; the last value that is not null is right.
_REPEATED_KEYS = ("system_fingerprint", "service_tier", "usage")


_DATA_FORM = Form({"anyOf": [{"type": "object"}, {"const": "[DONE]"}]})


def assemble(stream: Any) -> Assembled:
    """Assemble a parsed stream (``streaming.parse``). Never raises."""
    return _ChunkMachine(RULES).run(stream)


class _ChunkMachine(Machine):
    every_line_counts = True

    def __init__(self, ids: Iterable[str]) -> None:
        super().__init__(ids)
        self._state = ReplyState.BEFORE
        self._body: dict[str, Any] = {}
        self._chunk_without_usage: tuple[str, Any] | None = (
            None  # the first chunk without usage after one with it, and that usage
        )
        self._choices: list[Choice] = []

    def take(self, pointer: str, event: dict[str, Any]) -> None:
        """Take an event: a chunk, the end, or an error."""
        data = event.get("data")
        place = join(pointer, "data") if "data" in event else pointer
        if event.get("event"):
            self.report.add_once("stream-event-name", join(pointer, "event"), want=MISSING, got=event["event"])
        if isinstance(data, str) and data.startswith("[DONE]"):
            self._take_done(place)
        elif not isinstance(data, dict):
            want = intended_object(data, _DATA_FORM)
            message = (
                json_fault(data)
                if want is _DATA_FORM
                else "the data of an event must be JSON; this is written as Python writes it"
            )
            self.report.add("stream-data", place, message, want=want, got=event.get("data", MISSING))
        elif self._state in (ReplyState.DONE, ReplyState.FAILED):
            self.report.add_once("stream-after-end", place, want=MISSING, got=data)
        elif data.get("error"):
            self._state, self.error = ReplyState.FAILED, {"error": data["error"]}
        else:
            self._state = ReplyState.OPEN
            self._take_chunk(data, place)

    def _take_done(self, pointer: str) -> None:
        if self._state is ReplyState.DONE:
            self.report.add_once("stream-end", pointer, "[DONE] is there twice", want=MISSING, got="[DONE]")
        elif self._state is not ReplyState.FAILED:
            self._state = ReplyState.DONE

    def _take_chunk(self, chunk: dict[str, Any], pointer: str) -> None:
        begins = not self._body
        self._take_identity(chunk, pointer)
        if self._body.get("usage") and not chunk.get("usage"):
            self._chunk_without_usage = self._chunk_without_usage or (pointer, self._body["usage"])
        for key in _REPEATED_KEYS:
            if chunk.get(key) is not None:
                self._body[key] = chunk[key]
        entries = chunk.get("choices")
        for place, index in repeated_indexes(entries, join(pointer, "choices")):
            message = f"an entry before this one in the chunk is of the choice {index}, too"
            self.report.add_once("stream-choice-once", place, message, want=MISSING, got=index)
        for number, entry in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(entry, dict):
                self._take_entry(entry, join(pointer, "choices", number), begins=begins)

    def _take_entry(self, entry: dict[str, Any], pointer: str, *, begins: bool) -> None:
        """Take an entry of a chunk's choices; ``begins``: it is the stream's first chunk."""
        count = len(self._choices)
        choice = self._find_choice(entry, pointer)
        if begins and count == len(self._choices):
            # The official accumulator makes a choice of each entry of the first chunk, and raises for this one.
            message = "the first chunk has a second entry of this choice"
            self.report.add_once("stream-choice-index", join(pointer, "index"), message, want=count, got=choice.index)
        choice.take(entry, pointer)

    def _take_identity(self, chunk: dict[str, Any], pointer: str) -> None:
        """Take id, model and time of the reply; Azure's first chunk, without choices, has empty ones."""
        self._body.setdefault("object", "chat.completion")
        for key in ("id", "created", "model"):
            if chunk.get(key) not in (None, "") and not self._body.get(key):
                self._body[key] = chunk[key]
        chunk_id = chunk.get("id")
        if chunk_id and chunk_id != self._body.get("id"):
            self.report.add_once("stream-same-id", join(pointer, "id"), want=self._body.get("id"), got=chunk_id)

    def _find_choice(self, entry: dict[str, Any], pointer: str) -> Choice:
        """Return the choice of an entry, perhaps a new one; a wrong index is reported, and read as by the SDK."""
        index = entry.get("index")
        choice = next((choice for choice in self._choices if choice.index == index), None)
        if choice is not None:
            return choice
        number = len(self._choices)
        if not isinstance(index, int) or isinstance(index, bool):
            # The schema reports it; mostly there is one choice only.
            if self._choices:
                return self._choices[0]
            index = 0
        elif index < 0 and self._choices:
            # The official accumulator counts such an index from the end.
            self.report.add_once("stream-choice-index", join(pointer, "index"), want=number, got=index)
            return self._choices[max(index, -number)]
        elif index != number:
            self.report.add("stream-choice-index", join(pointer, "index"), want=number, got=index)
        self._choices.append(Choice(index, self.report))
        return self._choices[-1]

    def finish(self, pointer: str) -> Assembled:
        """Report what only the end shows, and return the assembled reply."""
        for choice in self._choices:
            choice.check_end()
        finished = [choice.state is _choice.ChoiceState.FINISHED for choice in self._choices]
        if self._state is not ReplyState.FAILED:
            self._check_end(pointer)
        if self._chunk_without_usage is not None and all(finished):  # a reply that was cut need not have a usage
            message = "the usage must be in the last chunk; this chunk is later and has none"
            later, usage = self._chunk_without_usage
            self.report.add_once("stream-usage-kept", later, message, want=usage, got=MISSING)
        return self.assembled_stream(
            self._assembled_reply() if self._body else None,
            self._choices[0].streamed_calls() if self._choices else (),
            failed=self._state is ReplyState.FAILED,
            is_complete=bool(finished) and all(finished),
            body_without_stop_reason=self._assembled_reply(blank="") if self._ends_without_reason() else None,
        )

    def _ends_without_reason(self) -> bool:
        """Whether ``[DONE]`` ended a reply with whole choices and blank reasons, as some servers do."""
        open_ones = [choice for choice in self._choices if choice.state is not _choice.ChoiceState.FINISHED]
        return self._state is ReplyState.DONE and bool(open_ones) and all(choice.is_whole for choice in open_ones)

    def _check_end(self, pointer: str) -> None:
        """Report choices without a finish_reason, and a missing ``[DONE]``."""
        for choice in self._choices:
            if choice.state is not _choice.ChoiceState.FINISHED:
                message = f"choice {choice.index} has no finish_reason; its last chunk must have it"
                got = choice.blank_reason if self._state is ReplyState.DONE and choice.is_whole else MISSING
                self.report.add("stream-finish", pointer, message, want=choice.possible_reasons, got=got)
        if not self._choices:
            self.report.add(
                "stream-finish",
                pointer,
                "the stream has no choice, and so no finish_reason",
                want=_choice.REASONS_WITHOUT_CALLS,
                got=MISSING,
            )
        if self._state is not ReplyState.DONE:
            self.report.add(
                "stream-end", pointer, "data: [DONE] must end the stream", want=Words("[DONE]"), got=MISSING
            )

    def _assembled_reply(self, blank: str | None = None) -> dict[str, Any]:
        """Return the reply; ``blank`` replaces the missing reasons of choices, None leaves them out."""
        choices = sorted(self._choices, key=lambda choice: choice.index)
        return self._body | {"choices": [choice.unary_choice(blank) for choice in choices]}


_DELTA_KEYS = ("role", "content", "tool_calls", "refusal")


def chunk_kind(data: dict[str, Any]) -> str:
    """Return the kind of a chunk: ``delta.content``, ``finish`` …, joined by ``+``; ``no choice`` if it has none."""
    choices = data.get("choices")
    kinds = set()
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            delta = choice.get("delta")
            if isinstance(delta, dict):
                kinds |= {f"delta.{key}" for key in _DELTA_KEYS if delta.get(key) is not None}
            kinds |= {"finish"} if choice.get("finish_reason") else set()
    return "+".join(sorted(kinds)) or "no choice"
