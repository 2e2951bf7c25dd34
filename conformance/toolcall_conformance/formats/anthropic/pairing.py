"""Pairs results with calls by id.

The calls of an assistant turn are a batch. Ids may come back in later turns, so a result answers the call of the latest
batch that has its id.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from toolcall_conformance.basics.reading import Call, Result, Turn


class AnthropicPairing:
    """The calls read so far. ``turns`` are the turns read so far: the reader adds to this list."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._count = 0
        # By id, the calls of the latest batch that has it: those without a result, and the first call.
        self._waiting: dict[str, deque[Call]] = {}
        self._first: dict[str, Call] = {}
        self._batch = -1
        self._group = -1

    def begin_message(self) -> None:
        """Put the results that follow into a new group."""
        self._group += 1

    def add_call(self, **properties: Any) -> Call:
        """Return a new call in the batch of the current assistant turn."""
        if not self._has_open_batch():
            self._batch += 1
        call = Call(ordinal=self._count, batch=self._batch, **properties)
        self._count += 1
        if call.id is not None:
            self._add_waiting(call.id, call)
        return call

    def _add_waiting(self, identity: str, call: Call) -> None:
        if identity not in self._first or self._first[identity].batch != call.batch:
            self._first[identity], self._waiting[identity] = call, deque()
        self._waiting[identity].append(call)

    def pair_result(self, *, id: str | None, **properties: Any) -> Result:
        """Return a new result, paired with the call that it answers."""
        call = self._answered_call(id)
        return Result(call=call, id=id, name=None, group=self._group, **properties)

    def _has_open_batch(self) -> bool:
        """Whether the assistant turn that is being read has a call already."""
        if not self._turns or self._turns[-1].side != "assistant":
            return False
        return any(isinstance(item, Call) for item in self._turns[-1].items)

    def _answered_call(self, identity: str | None) -> int | None:
        if identity is None or identity not in self._first:
            return None
        waiting = self._waiting[identity]
        return (waiting.popleft() if waiting else self._first[identity]).ordinal
