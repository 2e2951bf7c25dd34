"""Which result answers which call, in the source's own terms.

Ids may be used again in later turns, so a result is looked up in the latest batch of calls first, unanswered calls
before answered ones; without ids (Gemini) it is the next unanswered call of that name, then of that place.
"""

from __future__ import annotations

from typing import Any

from .ids import mint
from .intermediate import UniversalToolCall
from .jsontext import RAW_ARGUMENTS_KEY, parse_object


class Ledger:
    """The calls of one body as a decoder meets them."""

    def __init__(self, *seed: object) -> None:
        self.calls: list[UniversalToolCall] = []
        self._seed = seed
        self._answered: set[str] = set()
        self._ids: set[str] = set()
        self._batch = -1

    def new_batch(self) -> None:
        """The next call belongs to another group of calls made at once."""
        self._batch += 1

    def call(self, given_id: str | None, name: str, arguments: dict[str, Any]) -> UniversalToolCall:
        """Enter a call whose arguments came as an object."""
        call = self.open(given_id, name)
        raw = _unwrapped(arguments)
        if raw is not None:
            call.text, call.readable = raw, False
        else:
            call.arguments = arguments
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
        arguments = parse_object(text)
        raw = _unwrapped(arguments or {})
        if arguments is None or raw is not None:
            call.text, call.readable = text if raw is None else raw, False
        else:
            call.arguments, call.text = arguments, text if text.strip() else "{}"
        return call

    def open(self, given_id: str | None, name: str, kind: str = "function") -> UniversalToolCall:
        """Enter a call whose arguments are still to come."""
        self._batch = max(self._batch, 0)
        place = len(self.calls)
        unique = given_id if given_id is not None else mint(*self._seed, place)
        again = 1
        while unique in self._ids:
            again += 1
            unique = f"{given_id or mint(*self._seed, place)}#{again}"
        self._ids.add(unique)
        call = UniversalToolCall(unique, name, {}, given_id=given_id, kind=kind, batch=self._batch)
        self.calls.append(call)
        return call

    def _latest(self) -> list[UniversalToolCall]:
        return [call for call in self.calls if call.batch == self._batch]

    def answer(self, given_id: str | None, name: str | None = None) -> UniversalToolCall | None:
        """The call that a result answers, or None; it then counts as answered."""
        found = self._by_id(given_id) if given_id is not None else self._by_place(name)
        if found is not None:
            self._answered.add(found.id)
        return found

    def _by_id(self, given_id: str) -> UniversalToolCall | None:
        latest = self._latest()
        earlier = [call for call in reversed(self.calls) if call.batch != self._batch]
        same = [call for call in [*latest, *earlier] if call.given_id == given_id]
        open_calls = [call for call in same if call.id not in self._answered]
        return next(iter(open_calls or same), None)

    def _by_place(self, name: str | None) -> UniversalToolCall | None:
        open_calls = [call for call in self._latest() if call.id not in self._answered]
        named = [call for call in open_calls if call.name == name]
        return next(iter(named or open_calls), None)


def _unwrapped(arguments: dict[str, Any]) -> str | None:
    """Text that could not be read, which we wrapped in an earlier exchange and the history brings back."""
    raw = arguments.get(RAW_ARGUMENTS_KEY)
    if len(arguments) == 1 and isinstance(raw, str) and parse_object(raw) is None:
        return raw
    return None
