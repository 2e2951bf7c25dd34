"""Turns, batches of calls, and which result answers which call.

Neighbouring messages of one role are one turn, as the API joins them. The calls of an assistant turn are a batch; a
result answers by id a call of the latest batch. Ids may come back in later turns, so an older batch is asked only when
the latest has no such id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_conformance.reading import Call, Reading, Result, Turn
from toolcall_conformance.reading.model import Item


class Conversation:
    """Collects the turns of one body while it is read."""

    def __init__(self, reading: Reading) -> None:
        self._turns = reading.turns
        self._calls: list[Call] = []
        self._answered: set[int] = set()
        self._batch = -1
        self._side: str | None = None
        self._group = -1

    def begin_message(self) -> None:
        """The next result is the first of a new message."""
        self._group += 1

    def add(self, side: str, items: Iterable[Item]) -> None:
        """Put items into the turn of ``side``: the current one, or a new one after the other side spoke."""
        for item in items:
            if not self._turns or self._turns[-1].side != side:
                self._turns.append(Turn(side, item.pointer))
            self._turns[-1].items.append(item)

    def call(self, **properties: Any) -> Call:
        """A call in the batch of the current assistant turn."""
        if not self._open_batch():
            self._batch += 1
        call = Call(ordinal=len(self._calls), batch=self._batch, **properties)
        self._calls.append(call)
        return call

    def result(self, *, id: str | None, **properties: Any) -> Result:
        """A result, paired with the call that it answers."""
        call = self._find(id)
        if call is not None:
            self._answered.add(call)
        return Result(call=call, id=id, name=None, group=self._group, **properties)

    def _open_batch(self) -> bool:
        """Whether the turn being read has calls already."""
        if not self._turns or self._turns[-1].side != "assistant":
            return False
        return any(isinstance(item, Call) for item in self._turns[-1].items)

    def _find(self, identity: str | None) -> int | None:
        if identity is None:
            return None
        same = [call for call in self._calls if call.id == identity]
        if not same:
            return None
        newest = [call for call in same if call.batch == same[-1].batch]
        waiting = [call for call in newest if call.ordinal not in self._answered]
        return (waiting or newest)[0].ordinal
