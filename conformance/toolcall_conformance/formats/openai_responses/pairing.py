"""Which output answers which call: the format links them by ``call_id`` and nothing else."""

from __future__ import annotations


class Ledger:
    """The calls so far, by ``call_id``.

    A ``call_id`` may come again in a later turn (gateways before models without ids count from ``call_0`` each time),
    and faulty bodies have it twice at once. So an output answers an unanswered call before an answered one, the latest
    batch before an earlier one, and within a batch the calls in their order.
    """

    def __init__(self) -> None:
        self._calls: dict[str, list[tuple[int, int]]] = {}
        self._answered: set[int] = set()

    def enter(self, call_id: str | None, ordinal: int, batch: int) -> None:
        """Note a call; one without a usable id can never be answered."""
        if call_id is not None:
            self._calls.setdefault(call_id, []).append((batch, ordinal))

    def answer(self, call_id: str | None) -> int | None:
        """The ordinal of the call that an output with this ``call_id`` answers, None if there is no such call."""
        known = self._calls.get(call_id, []) if call_id is not None else []
        if not known:
            return None
        open_calls = [entry for entry in known if entry[1] not in self._answered] or known
        latest = max(batch for batch, _ in open_calls)
        ordinal = min(ordinal for batch, ordinal in open_calls if batch == latest)
        self._answered.add(ordinal)
        return ordinal
