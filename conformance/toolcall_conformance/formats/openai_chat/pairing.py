"""Which call a result answers: by id, in the latest batch that has the id."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _OpenCall:
    ordinal: int
    answered: bool = False


@dataclass(slots=True)
class _MatchingCalls:
    """The calls of one batch that have the same key: an id, or a name."""

    batch: int
    first: _OpenCall
    waiting: deque[_OpenCall] = field(default_factory=deque)


@dataclass(slots=True)
class ChatPairing:
    """The calls read so far. Ids may come back in later batches, be empty, or be absent."""

    batch: int = 0
    """The number of the next batch."""
    _calls_by_key: dict[Hashable, _MatchingCalls] = field(default_factory=dict)

    def begin_batch(self) -> None:
        """Begin a batch: the calls of one assistant message."""
        self.batch += 1

    def add_call(self, ordinal: int, call_id: str | None, name: str | None, *, legacy: bool = False) -> None:
        """Add a call to the batch."""
        call = _OpenCall(ordinal)
        if legacy:
            self._add_waiting(("function", name), call)
            return
        self._add_waiting(("id", call_id), call)
        if call_id is None:
            self._add_waiting(("name", name), call)

    def answered_call(self, call_id: str | None, name: str | None) -> int | None:
        """Return the ordinal of the call that a tool message answers; None if there is none.

        Of calls with equal ids (some vendors send empty ones) it is the first unanswered one. A message without an id
        answers a call without an id, of its name if it has one.
        """
        by_name = call_id is None and name is not None
        return self._take_waiting(("name", name) if by_name else ("id", call_id))

    def answered_function_call(self, name: str | None) -> int | None:
        """Return the ordinal of the legacy ``function_call`` of this name, which a ``function`` message answers."""
        return self._take_waiting(("function", name))

    def _add_waiting(self, key: Hashable, call: _OpenCall) -> None:
        fitting = self._calls_by_key.get(key)
        if fitting is None or fitting.batch != self.batch:
            fitting = self._calls_by_key[key] = _MatchingCalls(self.batch, call)
        fitting.waiting.append(call)

    def _take_waiting(self, key: Hashable) -> int | None:
        fitting = self._calls_by_key.get(key)
        if fitting is None:
            return None
        while fitting.waiting and fitting.waiting[0].answered:
            fitting.waiting.popleft()
        call = fitting.waiting[0] if fitting.waiting else fitting.first
        call.answered = True
        return call.ordinal
