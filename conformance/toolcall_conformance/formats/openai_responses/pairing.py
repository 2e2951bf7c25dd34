"""Which output answers which call: the format links them by ``call_id`` and nothing else."""

from __future__ import annotations

from collections import deque


class ResponsesPairing:
    """The calls so far, by ``call_id``.

    A ``call_id`` may come again in a later turn (gateways before models without ids count from ``call_0`` each time),
    and faulty bodies have it twice at once. So an output answers an unanswered call before an answered one, the latest
    batch before an earlier one, and within a batch the calls in their order.
    """

    def __init__(self) -> None:
        # Of each id its batches; of each batch the calls that wait, in order. Batches without such are gone.
        self._waiting: dict[str, list[tuple[int, deque[int]]]] = {}
        self._latest: dict[str, tuple[int, int]] = {}

    def add_call(self, call_id: str | None, ordinal: int, batch: int) -> None:
        """Note a call; one without a usable id can never be answered."""
        if call_id is None:
            return
        batches = self._waiting.setdefault(call_id, [])
        if not batches or batches[-1][0] != batch:
            batches.append((batch, deque()))
        batches[-1][1].append(ordinal)
        if call_id not in self._latest or self._latest[call_id][0] != batch:
            self._latest[call_id] = batch, ordinal

    def answered_call(self, call_id: str | None) -> int | None:
        """The ordinal of the call that an output with this ``call_id`` answers, None if there is no such call."""
        if call_id is None or call_id not in self._latest:
            return None
        batches = self._waiting[call_id]
        if not batches:
            return self._latest[call_id][1]
        ordinal = batches[-1][1].popleft()
        if not batches[-1][1]:
            batches.pop()
        return ordinal
