"""Pairing of results with calls in a source body.

Ids may be reused in later turns, so a result's call is looked up in the latest batch first, unanswered calls before
answered ones. Without ids (Gemini) it is the next unanswered call of that name, then the next one by position.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from toolcall_reference.basics.jsontext import RAW_ARGUMENTS_KEY, copy_json, parse_object
from toolcall_reference.conversation.ids import mint_call_id
from toolcall_reference.conversation.intermediate import NO_STATE, UniversalToolCall, UniversalToolResult


class Ledger:
    """The calls of one body in the order of decoding, and their results."""

    def __init__(self, *seed: object) -> None:
        self.calls: list[UniversalToolCall] = []
        self.results: list[UniversalToolResult] = []
        self._seed = seed
        self._answered_ids: set[str] = set()
        self._ids: set[str] = set()
        self._batch = 0
        self._next_numbers: dict[str, int] = {}
        self._by_id: dict[str, UniversalToolCall] = {}
        self._reused_ids: dict[str, _CallsOfOneId] = {}
        self._batch_start = 0  # position of the first call of the latest batch
        self._next = 0  # position of its first call that may be open
        self._open_by_name: dict[str, deque[UniversalToolCall]] = {}  # the calls of that batch by name,
        self._entered = 0  # up to this position

    def new_batch(self) -> None:
        """Begin a new batch of parallel calls."""
        self._batch += 1
        self._batch_start = len(self.calls)

    def enter_call(self, given_id: str | None, tool_name: str, arguments: dict[str, Any]) -> UniversalToolCall:
        """Add a call whose arguments are an object, which remains the source's; see :func:`arguments_object`."""
        call = self.open_call(given_id, tool_name)
        call.arguments = arguments
        if RAW_ARGUMENTS_KEY in arguments:
            self._unwrap_raw_arguments(call)
        return call

    def enter_call_text(self, given_id: str | None, tool_name: str, text: str) -> UniversalToolCall:
        """Add a call whose arguments are JSON text; blank text means no arguments."""
        return self.fill_from_text(self.open_call(given_id, tool_name), text)

    def enter_custom_call(self, given_id: str | None, tool_name: str, text: str) -> UniversalToolCall:
        """Add a call of a free-text tool."""
        return self.fill_from_text(self.open_call(given_id, tool_name, "custom"), text)

    def fill_from_text(self, call: UniversalToolCall, text: str) -> UniversalToolCall:
        """Set an open call's arguments, or a free-text tool's input, from text."""
        if call.kind == "custom":
            call.arguments, call.text = {"input": text}, text
            return call
        if not text.strip():
            call.text = "{}"
            return call
        arguments = parse_object(text)
        if arguments is None:
            call.text, call.readable = text, False
            return call
        return self.fill_from_object(call, arguments, text)

    def fill_from_object(self, call: UniversalToolCall, arguments: dict[str, Any], text: str) -> UniversalToolCall:
        """Set an open call's arguments from an object that belongs to it alone, and its JSON text."""
        call.arguments, call.text = arguments, text
        if RAW_ARGUMENTS_KEY in arguments:
            self._unwrap_raw_arguments(call)
        return call

    def _unwrap_raw_arguments(self, call: UniversalToolCall) -> None:
        """Unwrap argument text that an earlier exchange wrapped because it was not JSON."""
        raw = call.arguments[RAW_ARGUMENTS_KEY]
        if len(call.arguments) == 1 and isinstance(raw, str) and parse_object(raw) is None:
            call.arguments, call.text, call.readable = {}, raw, False

    def open_call(self, given_id: str | None, tool_name: str, kind: str = "function") -> UniversalToolCall:
        """Add a call whose arguments follow later."""
        unique = mint_call_id(*self._seed, len(self.calls)) if given_id is None else given_id
        if unique in self._ids:
            unique = self._distinct_id(given_id or mint_call_id(*self._seed, len(self.calls)))
        self._ids.add(unique)
        call = UniversalToolCall(unique, tool_name, {}, NO_STATE, given_id, None, True, kind, self._batch)
        self.calls.append(call)
        if given_id is not None and self._by_id.setdefault(given_id, call) is not call:
            self._enter_reused_id(given_id, call)
        return call

    def _enter_reused_id(self, given_id: str, call: UniversalToolCall) -> None:
        if given_id not in self._reused_ids:
            self._reused_ids[given_id] = _CallsOfOneId(self._by_id[given_id])
        self._reused_ids[given_id].add(call)

    def _distinct_id(self, used_id: str) -> str:
        """An id like ``used_id`` that no earlier call has."""
        while (candidate := f"{used_id}#{self._next_numbers.get(used_id, 2)}") in self._ids:
            self._next_numbers[used_id] = self._next_numbers.get(used_id, 2) + 1
        return candidate

    def answer_call(self, given_id: str | None, tool_name: str | None = None) -> UniversalToolCall | None:
        """Find the call that a result answers and mark it as answered; None if there is none."""
        if given_id is None:
            call = self._find_by_place(tool_name)
        elif given_id in self._reused_ids:
            call = self._reused_ids[given_id].find_answered(self._batch, self._answered_ids)
        else:
            call = self._by_id.get(given_id)
        if call is not None:
            self._answered_ids.add(call.id)
        return call

    def _find_by_place(self, tool_name: str | None) -> UniversalToolCall | None:
        """The next open call of the latest batch with that name, else the next open one."""
        if self._next < self._batch_start:
            self._next = self._entered = self._batch_start
            self._open_by_name.clear()
        while self._next < len(self.calls) and self.calls[self._next].id in self._answered_ids:
            self._next += 1
        if self._next == len(self.calls):
            return None
        first = self.calls[self._next]
        return (
            first
            if first.name == tool_name or not isinstance(tool_name, str)
            else self._find_by_name(tool_name) or first
        )

    def _find_by_name(self, tool_name: str) -> UniversalToolCall | None:
        for call in self.calls[self._entered :]:
            self._open_by_name.setdefault(call.name, deque()).append(call)
        self._entered = len(self.calls)
        return (
            _next_open(self._open_by_name[tool_name], self._answered_ids) if tool_name in self._open_by_name else None
        )


class _CallsOfOneId:
    """The calls that share one id; each is visited once, however many there are."""

    def __init__(self, call: UniversalToolCall) -> None:
        self._first = self._last = call  # the first is that of the last call's batch
        self._open = [deque([call])]  # by batch

    def add(self, call: UniversalToolCall) -> None:
        if self._open and self._open[-1][-1].batch == call.batch:
            self._open[-1].append(call)
        else:
            self._open.append(deque([call]))
        if self._last.batch != call.batch:
            self._first = call
        self._last = call

    def find_answered(self, batch: int, answered_ids: set[str]) -> UniversalToolCall:
        """The next open call of ``batch``, else the last open one before it, else an answered one."""
        while self._open:
            calls = self._open[-1]
            call = _next_open(calls, answered_ids) if calls[-1].batch == batch else _last_open(calls, answered_ids)
            if call is not None:
                return call
            self._open.pop()
        return self._first if self._first.batch == batch else self._last


def _next_open(calls: deque[UniversalToolCall], answered_ids: set[str]) -> UniversalToolCall | None:
    while calls and calls[0].id in answered_ids:
        calls.popleft()
    return calls[0] if calls else None


def _last_open(calls: deque[UniversalToolCall], answered_ids: set[str]) -> UniversalToolCall | None:
    while calls and calls[-1].id in answered_ids:
        calls.pop()
    return calls[-1] if calls else None


def arguments_object(call: UniversalToolCall) -> dict[str, Any]:
    """A call's arguments for a format that takes only objects; text that is not JSON is wrapped."""
    if not call.readable:
        return {RAW_ARGUMENTS_KEY: call.text}
    # An object that was parsed from text here needs a copy; any other still belongs to the source.
    arguments: dict[str, Any] = copy_json(call.arguments) if call.text is None else call.arguments
    return arguments
