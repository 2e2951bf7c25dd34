"""Pairs outputs with calls by ``call_id``, the format's only link."""

from __future__ import annotations

from collections import deque


class ResponsesPairing:
    """The calls read so far, by ``call_id``.

    A ``call_id`` may come back in a later turn (gateways for models without ids count from ``call_0`` in each), and
    faulty bodies have it twice in one turn. So an output answers an unanswered call before an answered one, the latest
    batch before an earlier one, and within a batch the calls in their order.
    """

    def __init__(self) -> None:
        # By id, the batches with unanswered calls: each with the ordinals of these calls, in order.
        self._waiting: dict[str, list[tuple[int, deque[int]]]] = {}
        self._latest: dict[str, tuple[int, int]] = {}

    def add_call(self, call_id: str | None, ordinal: int, batch: int) -> None:
        """Add a call; without an id it can never be answered."""
        if call_id is None:
            return
        batches = self._waiting.setdefault(call_id, [])
        if not batches or batches[-1][0] != batch:
            batches.append((batch, deque()))
        batches[-1][1].append(ordinal)
        if call_id not in self._latest or self._latest[call_id][0] != batch:
            self._latest[call_id] = batch, ordinal

    def answered_call(self, call_id: str | None) -> int | None:
        """Return the ordinal of the call that an output with this ``call_id`` answers; None if there is none."""
        if call_id is None or call_id not in self._latest:
            return None
        batches = self._waiting[call_id]
        if not batches:
            return self._latest[call_id][1]
        ordinal = batches[-1][1].popleft()
        if not batches[-1][1]:
            batches.pop()
        return ordinal
