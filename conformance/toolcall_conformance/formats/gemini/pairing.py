"""Pairs functionResponses with functionCalls.

With ids Gemini pairs by id; without them a response belongs to the call of the same name in the model turn before it,
in order, and the remaining ones by position. Ids need to be unique within one model turn only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable
from dataclasses import replace

from toolcall_conformance.basics.reading import Call, Result, Turn


def pair_results(turns: list[Turn]) -> None:
    """Set ``call`` of every result in ``turns``, in place."""
    earlier: dict[str, list[Call]] = {}
    batch: list[Call] = []
    for turn in turns:
        calls = [item for item in turn.items if isinstance(item, Call)]
        if turn.side == "assistant" or calls:
            batch = calls
            for call in calls:
                if call.id is not None:
                    earlier.setdefault(call.id, []).append(call)
        results = [item for item in turn.items if isinstance(item, Result)]
        if results:
            answered = _TurnPairing(batch, earlier).answered_ordinals(results)
            turn.items = [
                replace(item, call=answered.get(item.pointer)) if isinstance(item, Result) else item
                for item in turn.items
            ]


class _TurnPairing:
    """The calls that the results of one turn may answer: each is taken once before any is taken again."""

    def __init__(self, batch: list[Call], earlier: dict[str, list[Call]]) -> None:
        self._batch = batch
        self._earlier = earlier
        self._taken: set[int] = set()
        self._back: dict[str, int] = {}
        self._of_id = _WaitingCalls((call.id, call) for call in batch if call.id is not None)
        # If no call has the id of a result, it can only mean a call without an id.
        self._pools = {
            has_id: _WaitingCalls(
                entry
                for call in batch
                if call.id is None or not has_id
                for entry in ((call.name, call), (_ANY_NAME, call))
            )
            for has_id in (False, True)
        }

    def answered_ordinals(self, results: list[Result]) -> dict[str, int]:
        """Return the ordinal of the answered call for each result, by the result's pointer."""
        ordinals: dict[str, int] = {}
        for way in (self._call_by_id, self._call_by_name, self._call_by_position):
            for position, result in enumerate(results):
                call = way(result, position) if result.pointer not in ordinals else None
                if call is not None:
                    ordinals[result.pointer] = call.ordinal
                    self._taken.add(call.ordinal)
        return ordinals

    def _call_by_id(self, result: Result, position: int) -> Call | None:
        """Return the call with the result's id: an unanswered one, else an answered one; None if there is none."""
        del position
        if result.id is None:
            return None
        if result.id in self._of_id:
            return self._of_id.next_call(result.id, self._taken) or self._of_id.first[result.id]
        older = self._earlier.get(result.id, [])
        back = self._back[result.id] = self._back.get(result.id, 0) + 1
        return older[-back if back <= len(older) else -1] if older else None

    def _call_by_name(self, result: Result, position: int) -> Call | None:
        del position
        return self._pools[result.id is not None].next_call(result.name, self._taken) if result.name else None

    def _call_by_position(self, result: Result, position: int) -> Call | None:
        if position < len(self._batch):
            call = self._batch[position]
            if call.ordinal not in self._taken and (result.id is None or call.id is None):
                return call
        return self._pools[result.id is not None].next_call(_ANY_NAME, self._taken)


_ANY_NAME = object()


class _WaitingCalls:
    """Calls in order, by the key with which a result may name them."""

    def __init__(self, entries: Iterable[tuple[Hashable, Call]]) -> None:
        self.first: dict[Hashable, Call] = {}
        self._waiting: dict[Hashable, deque[Call]] = {}
        for key, call in entries:
            self.first.setdefault(key, call)
            self._waiting.setdefault(key, deque()).append(call)

    def __contains__(self, key: Hashable) -> bool:
        return key in self.first

    def next_call(self, key: Hashable, ordinals: Collection[int]) -> Call | None:
        """Return the first call of this key that is not in ``ordinals``, those taken; None if all are."""
        waiting = self._waiting.get(key, ())
        while waiting and waiting[0].ordinal in ordinals:
            waiting.popleft()
        return waiting[0] if waiting else None
