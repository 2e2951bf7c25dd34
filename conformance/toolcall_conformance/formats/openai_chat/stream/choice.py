"""One choice of a streamed reply: empty, open, finished."""

from __future__ import annotations

from enum import Enum
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.jsonvalue import is_json, join
from toolcall_conformance.basics.reading.assembled import StreamedCall
from toolcall_conformance.formats.openai_chat.stream.calls import ChoiceCalls
from toolcall_conformance.formats.openai_chat.stream.deltas import merge_delta
from toolcall_conformance.formats.openai_chat.thoughts import THOUGHT_KEYS
from toolcall_conformance.formats.stream_machine import Report, missing_if_null

RULES = (
    "stream-role",
    "stream-list-once",
    "stream-finish-last",
    "stream-finish-once",
    "stream-finish-apart",
    "stream-finish-agrees",
)

# The keys of a message that clients read, in addition to its calls.
_READ_KEYS = ("content", "refusal", "audio", "annotations", "function_call", *THOUGHT_KEYS)


class ChoiceState(Enum):
    """The state of a choice: ``EMPTY`` before its first delta, ``FINISHED`` from its finish_reason on."""

    EMPTY = "empty"
    OPEN = "open"
    FINISHED = "finished"


CUT_REASONS = ("length", "content_filter")
REASONS_WITHOUT_CALLS = Words(" or ".join(("stop", *CUT_REASONS)))
"""The possible finish reasons of a choice without calls."""


class Choice:
    """A choice so far. It takes deltas in every state, as clients do."""

    def __init__(self, index: int, report: Report) -> None:
        self.index = index
        self.state = ChoiceState.EMPTY
        self._report = report
        self._calls = ChoiceCalls(report)
        self._role: str | None = None
        self._role_repeated = False
        self._late_delta_reported = False
        self._message: dict[str, Any] = {}
        self._legacy: tuple[str, list[str]] | None = None
        self._finish: Any = None
        self._finish_pointer = ""
        self.blank_reason: Any = MISSING
        """The blank finish_reason of the last entry, null or ""; MISSING if it has none."""
        self._logprobs: Any = None

    @property
    def possible_reasons(self) -> Words:
        """The possible finish reasons of the choice so far."""
        return Words(" or ".join(("tool_calls", *CUT_REASONS))) if self._calls.calls else REASONS_WITHOUT_CALLS

    def take(self, choice: dict[str, Any], pointer: str) -> None:
        """Take an entry of a chunk's ``choices``: first its delta, then its finish_reason."""
        raw = choice.get("delta")
        delta: dict[str, Any] = raw if isinstance(raw, dict) else {}
        place = join(pointer, "delta") if "delta" in choice else pointer
        if self.state is ChoiceState.FINISHED and _has_content(delta) and not self._late_delta_reported:
            self._late_delta_reported = True
            message = "this delta follows the finish_reason; it must precede it"
            self._report.add("stream-finish-last", place, message, want=Words("before the finish_reason"), got=delta)
        self._take_role(delta, place)
        opened = self._take_calls(delta, place)
        self._take_other_members(delta, place)
        if self.state is ChoiceState.EMPTY:
            self.state = ChoiceState.OPEN
        self._logprobs = merge_delta(self._logprobs, choice.get("logprobs"))
        self.blank_reason = choice.get("finish_reason", MISSING)
        if self.blank_reason is not MISSING and self.blank_reason:  # some vendors send "" until the end
            self._take_finish(choice["finish_reason"], join(pointer, "finish_reason"), opened)

    def _take_role(self, delta: dict[str, Any], pointer: str) -> None:
        """Take the role, which only the first delta may have."""
        role = delta.get("role")
        if self.state is ChoiceState.EMPTY:
            if not role:
                message = "the first delta must have the role"
                self._report.add("stream-role", pointer, message, want="assistant", got=missing_if_null(role))
        elif role and self._role and not self._role_repeated:
            self._role_repeated = True
            message = "the role must be there once; the official SDK concatenates the two"
            self._report.add("stream-role", join(pointer, "role"), message, want=MISSING, got=role)
        if isinstance(role, str) and role and self._role is None:
            self._role = role

    def _take_calls(self, delta: dict[str, Any], pointer: str) -> bool:
        entries = delta.get("tool_calls")
        opened = False
        for number, entry in enumerate(entries if isinstance(entries, list) else []):
            opened |= self._calls.add_entry(entry, join(pointer, "tool_calls", number))
        return opened

    def _take_other_members(self, delta: dict[str, Any], pointer: str) -> None:
        """Merge all members of a delta but role and tool_calls into the message."""
        for key, value in delta.items():
            if key == "content":
                self._message["content"] = _merge_content(self._message.get("content"), value)
            elif key not in ("role", "tool_calls"):
                self._check_list(key, value, join(pointer, key))
                self._message[key] = merge_delta(self._message.get(key), value)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict) and (legacy.get("name") or legacy.get("arguments")):
            if self._legacy is None:
                self._legacy = (join(pointer, "function_call"), [])
            if isinstance(legacy.get("arguments"), str):
                self._legacy[1].append(legacy["arguments"])

    def _check_list(self, key: str, value: Any, pointer: str) -> None:
        """Report a list entry without index: the official accumulator joins objects by index, and raises here."""
        before = self._message.get(key)
        if isinstance(value, list) and isinstance(before, list) and any(isinstance(entry, dict) for entry in before):
            position = next((place for place, entry in enumerate(value) if not _has_index(entry)), None)
            if position is not None:
                self._report.add_once("stream-list-once", join(pointer, position), want=MISSING, got=value[position])

    def _take_finish(self, finish: Any, pointer: str, opened: bool) -> None:
        if self.state is ChoiceState.FINISHED:
            self._report.add("stream-finish-once", pointer, want=None, got=finish)
        elif opened:
            message = "the finish_reason must be in a later chunk than the call"
            self._report.add("stream-finish-apart", pointer, message, want=Words("in a later chunk"), got=finish)
        self.state = ChoiceState.FINISHED
        self._finish, self._finish_pointer = finish, pointer

    def check_end(self) -> None:
        """Report what only the end of a finished choice shows."""
        if self.state is not ChoiceState.FINISHED:
            return
        self._calls.check_arguments(self._finish)
        if self._finish == "tool_calls" and not self._calls.calls:
            message = "no call precedes it: the calls are missing, or the reason is wrong"
            self._report.add("stream-finish-agrees", self._finish_pointer, message, want="stop", got=self._finish)

    @property
    def is_whole(self) -> bool:
        """Whether it has something that a client reads, and no call with cut arguments."""
        says = any(self._message.get(key) for key in _READ_KEYS)
        cut = any(not (call.custom or call.is_json()) and call.text.strip() for call in self._calls.calls)
        legacy = "".join(self._legacy[1]) if self._legacy is not None else ""
        return (says or bool(self._calls.calls)) and not cut and (not legacy.strip() or is_json(legacy))

    def unary_choice(self, blank: str | None = None) -> dict[str, Any]:
        """Return the choice as in a reply that is not streamed; ``blank`` replaces a finish_reason that never came."""
        message = {"role": self._role or "assistant", "content": None} | self._message
        if self._calls.calls:
            message["tool_calls"] = [call.unary_call() for call in self._calls.calls]
        body = {"index": self.index, "message": message}
        if self._logprobs is not None:
            body["logprobs"] = self._logprobs
        finish = self._finish or blank
        return body if finish is None else body | {"finish_reason": finish}

    def streamed_calls(self) -> list[StreamedCall]:
        """Return the calls, a legacy ``function_call`` last, as the reader does."""
        finished = self.state is ChoiceState.FINISHED
        calls = [call.streamed_call(finished) for call in self._calls.calls]
        function_call = self._message.get("function_call")
        name = function_call.get("name") if isinstance(function_call, dict) else None
        if self._legacy is not None and isinstance(name, str) and name:
            calls.append(StreamedCall(self._legacy[0], None, name, tuple(self._legacy[1]), None, finished))
        return calls


def _merge_content(so_far: Any, delta: Any) -> Any:
    """Return content after a delta: text is appended to text, as parts if a vendor streams parts."""
    if isinstance(so_far, str) and isinstance(delta, list):
        so_far = [{"type": "text", "text": so_far}] if so_far else []
    elif isinstance(so_far, list) and isinstance(delta, str):
        delta = [{"type": "text", "text": delta}] if delta else []
    return merge_delta(so_far, delta)


def _has_index(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("index"), int) and not isinstance(entry["index"], bool)


def _has_content(delta: dict[str, Any]) -> bool:
    """Whether a delta has more than a role; some vendors send empty deltas after the end."""
    return any(value for key, value in delta.items() if key != "role")
