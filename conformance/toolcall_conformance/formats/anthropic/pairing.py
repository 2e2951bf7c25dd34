"""Batches of calls, and which result answers which call.

The calls of an assistant turn are a batch; a result answers by id a call of the latest batch. Ids may come back in
later turns, so an older batch is asked only when the latest has no such id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcall_conformance.reading import Call, Result, Turn


class AnthropicPairing:
    """The calls so far. ``turns`` are those read so far, which the reader adds to."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._calls: list[Call] = []
        self._answered: set[int] = set()
        self._batch = -1
        self._group = -1

    def begin_message(self) -> None:
        """The next result is the first of a new message."""
        self._group += 1

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
