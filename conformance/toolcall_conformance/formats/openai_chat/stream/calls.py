"""The calls of one choice: to which call a fragment belongs, and what it may hold.

The first entry of ``delta.tool_calls`` with a new ``index`` opens a call, with id, type and name; later entries have
its arguments. Some vendors leave the index out, or give every call the same one: then another id or name opens a new
call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeGuard

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Words
from toolcall_conformance.basics.jsonvalue import is_json, join, join_text
from toolcall_conformance.basics.reading import Unreadable
from toolcall_conformance.basics.reading.arguments import read_arguments
from toolcall_conformance.basics.reading.assembled import StreamedCall
from toolcall_conformance.formats.expected_values import TEXT, intended_json_text, json_fault
from toolcall_conformance.formats.openai_chat.stream.deltas import merge_delta
from toolcall_conformance.formats.stream_machine import (
    Report,
    integer_fault,
    intended_integer,
    is_integer,
    missing_if_null,
)

RULES = (
    "stream-call-index",
    "stream-call-own-index",
    "stream-call-id",
    "stream-call-name",
    "stream-call-type",
    "stream-call-once",
    "stream-calls-in-turn",
    "stream-arguments-json",
)

_KNOWN_KEYS = frozenset({"index", "id", "type", "function", "custom"})


@dataclass(slots=True)
class OpenCall:
    """A call so far. ``index`` is its index in the stream; None if it has none."""

    pointer: str
    ordinal: int
    index: int | None
    report: Report
    id: str | None = None
    name: str | None = None
    type: str | None = None
    custom: bool = False
    fragments: list[str] = field(default_factory=list)
    value: Any = None  # arguments that are no text, which some vendors send
    is_left: bool = False  # whether another call began or continued after it
    other_members: dict[str, Any] = field(default_factory=dict)
    pointers: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return join_text(self.fragments)

    @property
    def subject(self) -> str:
        return f"call {self.ordinal + 1}, {self.name or 'without a name'}"

    def unary_call(self) -> dict[str, Any]:
        """Return the call as in a reply that is not streamed; members that never came are absent."""
        content = self.value if self.value is not None and not self.text else self.text
        holder: dict[str, Any] = {} if self.name is None else {"name": self.name}
        holder["input" if self.custom else "arguments"] = content
        identity = {"id": self.id, "type": self.type or ("custom" if self.custom else "function")}
        body: dict[str, Any] = {key: value for key, value in identity.items() if value is not None}
        key = "custom" if self.custom else "function"
        extra = self.other_members.get(key)
        return body | self.other_members | {key: (extra | holder) if isinstance(extra, dict) else holder}

    def streamed_call(self, finished: bool) -> StreamedCall:
        """Return the call as the stream has it, with its fragments.

        The end of its choice closes it. Before that clients take a call for complete when the next one begins, as the
        official SDK does (``tool_calls.function.arguments.done``); but half a JSON text is not complete.
        """
        closed = finished or (self.is_left and (self.custom or not self.text.strip() or self.is_json()))
        return StreamedCall(self.pointer, self.id, self.name, tuple(self.fragments), None, closed, tuple(self.pointers))

    def is_json(self) -> bool:
        return is_json(self.text)


class ChoiceCalls:
    """The calls of one choice, in order."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.calls: list[OpenCall] = []
        self._calls_by_index: dict[int, list[OpenCall]] = {}
        self._current: OpenCall | None = None

    def add_entry(self, entry: Any, pointer: str) -> bool:
        """Add an entry of ``delta.tool_calls``. Return whether it opens a call."""
        if not isinstance(entry, dict):
            return False
        index = entry.get("index", 0)
        if not is_integer(index):
            number = intended_integer(index)
            want = len(self.calls) if number is None else number
            message = integer_fault("the index", index)
            self._report.add_once("stream-call-index", join(pointer, "index"), message, want=want, got=index)
            entry = entry | {"index": number}
        holder: dict[str, Any] = next(
            (entry[key] for key in ("function", "custom") if isinstance(entry.get(key), dict)), {}
        )
        call = self._continued_call(entry, holder)
        opens = call is None
        if call is None:
            call = self._open_call(entry, holder, pointer)
        else:
            self._continue_call(call, entry, holder, pointer)
        if self._current is not None and self._current is not call:
            self._current.is_left = True
        self._current = call
        call.pointers.append(pointer)
        piece = holder.get("input" if call.custom else "arguments")
        if isinstance(piece, str):
            call.fragments.append(piece)
        elif piece is not None:
            call.value = piece
        extra = {key: value for key, value in entry.items() if key not in _KNOWN_KEYS}
        holder_members = {key: value for key, value in holder.items() if key not in ("name", "arguments", "input")}
        merge_delta(
            call.other_members,
            extra | ({"custom" if call.custom else "function": holder_members} if holder_members else {}),
        )
        return opens

    def _continued_call(self, entry: dict[str, Any], holder: dict[str, Any]) -> OpenCall | None:
        """Return the call that an entry continues; None if it opens one."""
        index, call_id, name = entry.get("index"), _nonempty_text(entry.get("id")), _nonempty_text(holder.get("name"))
        if _is_index(index):
            placed = self._calls_by_index.get(index)
            call = placed[-1] if placed else None
            stray = index >= 0 and self.calls and _continues_complete_call(self.calls[-1], holder)
            if call is None and self.calls and not name and (index < 0 or not call_id) and not stray:
                # The official accumulator counts a negative index from the end. A new index without id and name begins
                # no call that a client could run; servers that write so: https://github.com/dirac-run/dirac/pull/215
                call = self.calls[-1]
        elif call_id:
            call = next((call for call in reversed(self.calls) if call.id == call_id), None)
        else:
            call = self.calls[-1] if self.calls and not name else None
        if call is None or not name or call.name is None:
            return call
        if call_id and call.id:
            return None if call_id != call.id else call
        # Without ids the same name means the same call, unless that is complete.
        nameless = not call_id and not call.id
        return None if nameless and (name != call.name or call.is_json()) else call

    def _open_call(self, entry: dict[str, Any], holder: dict[str, Any], pointer: str) -> OpenCall:
        """Open a call with its first entry, and report a missing or wrong index, id, name or type."""
        index = entry.get("index")
        call = OpenCall(
            pointer, len(self.calls), index if _is_index(index) else None, self._report.part_report(pointer)
        )
        call.id = entry["id"] if isinstance(entry.get("id"), str) else None
        call.name = holder["name"] if isinstance(holder.get("name"), str) else None
        call.type = entry["type"] if isinstance(entry.get("type"), str) else None
        call.custom = not isinstance(entry.get("function"), dict) and isinstance(entry.get("custom"), dict)
        placed = [] if call.index is None else self._calls_by_index.setdefault(call.index, [])
        if "index" not in entry:
            self._report_once(call, "stream-call-index", pointer, "the entry has no index", call.ordinal)
        elif placed:
            message = f"{placed[0].subject}, opened at {placed[0].pointer}, has this index already"
            at = join(pointer, "index")  # clients mix up the earlier call with it
            self._report.add("stream-call-own-index", at, message, want=call.ordinal, got=index, subject=call.subject)
        elif _is_index(index) and index != call.ordinal:
            message = f"the call has the index {index}; number of calls before it: {call.ordinal}"
            self._report_once(call, "stream-call-index", join(pointer, "index"), message, call.ordinal, index)
        if not call.id:
            self._report_once(call, "stream-call-id", pointer, "", TEXT, entry.get("id"))
        if not call.name:
            self._report_once(call, "stream-call-name", pointer, "", TEXT, holder.get("name"))
        if call.type not in ("function", "custom"):
            want = "custom" if call.custom else "function"
            self._report_once(call, "stream-call-type", pointer, "", want, entry.get("type"))
        self.calls.append(call)
        placed.append(call)
        return call

    def _continue_call(self, call: OpenCall, entry: dict[str, Any], holder: dict[str, Any], pointer: str) -> None:
        """Continue a call, and report an index, an order, or a repeated member that clients mistake."""
        index = entry.get("index")
        if "index" not in entry:
            self._report_once(call, "stream-call-index", pointer, "the entry has no index", call.index)
        elif _is_index(index) and index != call.index and (index < 0 or index not in self._calls_by_index):
            message = f"the call has the index {call.index}, and continues with {index}"
            self._report_once(call, "stream-call-index", join(pointer, "index"), message, call.index, index)
        if call.is_left and self._current is not call:
            ahead = self._current.subject if self._current is not None else "another call"
            message = f"this fragment follows the start of {ahead}; it must precede it"
            self._report_once(call, "stream-calls-in-turn", pointer, message)
        if "type" in entry and entry["type"] != call.type:
            message = "type is there again, with another value"
            self._report_once(call, "stream-call-type", join(pointer, "type"), message, call.type, entry["type"])
        call.type = call.type or _nonempty_text(entry.get("type"))
        call.id = self._merge_repeated_text(call, "id", call.id, entry.get("id"), pointer)
        call.name = self._merge_repeated_text(call, "name", call.name, holder.get("name"), pointer)

    def _merge_repeated_text(
        self, call: OpenCall, key: str, earlier: str | None, text: Any, pointer: str
    ) -> str | None:
        """Return the id or name after a later entry: the same is only repeated, another is appended, as in the SDK."""
        if not isinstance(text, str) or not text:
            return earlier
        if not earlier:
            return text
        message = f"the {key} of a call must be there once; the official SDK concatenates the two"
        self._report_once(call, "stream-call-once", pointer, message, MISSING, text)
        return earlier if text == earlier else earlier + text

    def check_arguments(self, finish: Any) -> None:
        """Report arguments that are no JSON object; the last call of a reply that was cut may be cut, too."""
        cut = finish in ("length", "content_filter")
        for call in self.calls[:-1] if cut else self.calls:
            if call.custom or call.value is not None:
                continue
            want: Any = NOT_KNOWN
            if not call.text.strip():
                message, want = "a call without arguments must have {}, in one fragment or more", Words("{}")
            elif not call.is_json():
                message = json_fault(call.text, "the joined fragments must be JSON, and are not")
                want = intended_json_text(call.text)
            elif isinstance(read_arguments(call.text), Unreadable | dict):
                continue
            else:
                message, want = "the joined fragments must be a JSON object", intended_json_text(call.text)
            self._report_once(call, "stream-arguments-json", call.pointer, message, want, call.text)

    def _report_once(
        self, call: OpenCall, slug: str, pointer: str, message: str = "", want: Any = NOT_KNOWN, got: Any = None
    ) -> None:
        """Report one finding per rule and call: a fault of one fragment is mostly in all."""
        call.report.add_once(
            slug, pointer, message, want=missing_if_null(want), got=missing_if_null(got), subject=call.subject
        )


def _continues_complete_call(call: OpenCall, holder: dict[str, Any]) -> bool:
    """Whether an entry has more arguments for a call whose arguments are complete."""
    arguments = holder.get("arguments")
    adds = isinstance(arguments, str) and bool(arguments.strip())
    return adds and not call.custom and bool(call.text.strip()) and call.is_json()


def _nonempty_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _is_index(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
