"""Which result answers which call, in the source's own terms.

Ids may be used again in later turns, so a result is looked up in the latest batch of calls first, unanswered calls
before answered ones; without ids (Gemini) it is the next unanswered call of that name, then of that place.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from toolcall_reference.basics.jsontext import RAW_ARGUMENTS_KEY, copied, parse_object
from toolcall_reference.conversation.ids import mint
from toolcall_reference.conversation.intermediate import NO_STATE, UniversalToolCall, UniversalToolResult


class Ledger:
    """The calls of one body as a decoder meets them, and what it enters as their results."""

    def __init__(self, *seed: object) -> None:
        self.calls: list[UniversalToolCall] = []
        self.results: list[UniversalToolResult] = []
        self._seed = seed
        self._answered: set[str] = set()
        self._ids: set[str] = set()
        self._batch = 0
        self._again: dict[str, int] = {}
        self._of_id: dict[str, UniversalToolCall] = {}
        self._used_again: dict[str, _Alike] = {}
        self._begun = 0  # the place of the first call of the latest batch,
        self._next = 0  # and of the first one of them that may be open
        self._named: dict[str, deque[UniversalToolCall]] = {}  # the calls of that batch,
        self._entered = 0  # as far as they have been entered there

    def new_batch(self) -> None:
        """The next call belongs to another group of calls made at once."""
        self._batch += 1
        self._begun = len(self.calls)

    def call(self, given_id: str | None, name: str, arguments: dict[str, Any]) -> UniversalToolCall:
        """Enter a call whose arguments came as an object, which stays the source's; see :func:`arguments_object`."""
        call = self.open(given_id, name)
        call.arguments = arguments
        if RAW_ARGUMENTS_KEY in arguments:
            self._unwrap(call)
        return call

    def call_text(self, given_id: str | None, name: str, text: str) -> UniversalToolCall:
        """Enter a call whose arguments came as JSON text; blank text means no arguments."""
        return self.fill(self.open(given_id, name), text)

    def custom(self, given_id: str | None, name: str, text: str) -> UniversalToolCall:
        """Enter a call of a free-text tool."""
        return self.fill(self.open(given_id, name, "custom"), text)

    def fill(self, call: UniversalToolCall, text: str) -> UniversalToolCall:
        """Give an open call what came as text: its arguments, or the input of a free-text tool."""
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
        return self.fill_with(call, arguments, text)

    def fill_with(self, call: UniversalToolCall, arguments: dict[str, Any], text: str) -> UniversalToolCall:
        """Give an open call its arguments, an object that nobody else has, and the text of it."""
        call.arguments, call.text = arguments, text
        if RAW_ARGUMENTS_KEY in arguments:
            self._unwrap(call)
        return call

    def _unwrap(self, call: UniversalToolCall) -> None:
        """Text that could not be read, which we wrapped in an earlier exchange and the history brings back."""
        raw = call.arguments[RAW_ARGUMENTS_KEY]
        if len(call.arguments) == 1 and isinstance(raw, str) and parse_object(raw) is None:
            call.arguments, call.text, call.readable = {}, raw, False

    def open(self, given_id: str | None, name: str, kind: str = "function") -> UniversalToolCall:
        """Enter a call whose arguments are still to come."""
        unique = mint(*self._seed, len(self.calls)) if given_id is None else given_id
        if unique in self._ids:
            unique = self._told_apart(given_id or mint(*self._seed, len(self.calls)))
        self._ids.add(unique)
        call = UniversalToolCall(unique, name, {}, NO_STATE, given_id, None, True, kind, self._batch)
        self.calls.append(call)
        if given_id is not None and self._of_id.setdefault(given_id, call) is not call:
            self._enter_again(given_id, call)
        return call

    def _enter_again(self, given_id: str, call: UniversalToolCall) -> None:
        if given_id not in self._used_again:
            self._used_again[given_id] = _Alike(self._of_id[given_id])
        self._used_again[given_id].add(call)

    def _told_apart(self, name: str) -> str:
        """Another name than those of the calls that have this one already."""
        while (candidate := f"{name}#{self._again.get(name, 2)}") in self._ids:
            self._again[name] = self._again.get(name, 2) + 1
        return candidate

    def answer(self, given_id: str | None, name: str | None = None) -> UniversalToolCall | None:
        """The call that a result answers, or None; it then counts as answered."""
        if given_id is None:
            call = self._by_place(name)
        elif given_id in self._used_again:
            call = self._used_again[given_id].meant(self._batch, self._answered)
        else:
            call = self._of_id.get(given_id)
        if call is not None:
            self._answered.add(call.id)
        return call

    def _by_place(self, name: str | None) -> UniversalToolCall | None:
        """The next call of the latest batch that is of that name, else the next one."""
        if self._next < self._begun:
            self._next = self._entered = self._begun
            self._named.clear()
        while self._next < len(self.calls) and self.calls[self._next].id in self._answered:
            self._next += 1
        if self._next == len(self.calls):
            return None
        first = self.calls[self._next]
        return first if first.name == name or not isinstance(name, str) else self._by_name(name) or first

    def _by_name(self, name: str) -> UniversalToolCall | None:
        for call in self.calls[self._entered :]:
            self._named.setdefault(call.name, deque()).append(call)
        self._entered = len(self.calls)
        return _next(self._named[name], self._answered) if name in self._named else None


class _Alike:
    """The calls of one id; each is looked at once, however many there are."""

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

    def meant(self, batch: int, answered: set[str]) -> UniversalToolCall:
        """The next of the latest ``batch``, else the last one before it; those that are answered only for want."""
        while self._open:
            calls = self._open[-1]
            call = _next(calls, answered) if calls[-1].batch == batch else _last(calls, answered)
            if call is not None:
                return call
            self._open.pop()
        return self._first if self._first.batch == batch else self._last


def _next(calls: deque[UniversalToolCall], answered: set[str]) -> UniversalToolCall | None:
    while calls and calls[0].id in answered:
        calls.popleft()
    return calls[0] if calls else None


def _last(calls: deque[UniversalToolCall], answered: set[str]) -> UniversalToolCall | None:
    while calls and calls[-1].id in answered:
        calls.pop()
    return calls[-1] if calls else None


def arguments_object(call: UniversalToolCall) -> dict[str, Any]:
    """What a format writes that takes only an object; text that is none is wrapped."""
    if not call.readable:
        return {RAW_ARGUMENTS_KEY: call.text}
    # Those that came as text were made an object here; any other object is still the source's.
    arguments: dict[str, Any] = copied(call.arguments) if call.text is None else call.arguments
    return arguments
