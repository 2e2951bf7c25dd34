"""Whose bodies a report keeps: those of the simplest items of each kind of finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from toolcall_conformance.reports.causes.occurrence import CauseKey, Occurrence
from toolcall_conformance.reports.causes.root_cause import simplicity
from toolcall_conformance.reports.item_record import ItemRecord

# The simplest may be told with another cause: then the next one shows this.
_EXAMPLES_PER_KIND = 2


def keep_example_bodies(items: Iterable[ItemRecord]) -> list[ItemRecord]:
    """The items, with bodies only of those that one report of all of them keeps; some have lost theirs already."""
    items_by_id = {item.nodeid: item for item in items}
    examples = Examples()
    for item in list(items_by_id.values()):
        if item.bodies:
            keeps, dropped = examples.offer(item)
            for nodeid in (*dropped, *(() if keeps else (item.nodeid,))):
                items_by_id[nodeid] = replace(items_by_id[nodeid], bodies=[])
    return list(items_by_id.values())


class Examples:
    """The simplest items of each kind of finding, of all that were offered.

    Which they are does not depend on the order, so that several processes can each offer theirs to one.
    """

    def __init__(self, of_each: int = _EXAMPLES_PER_KIND) -> None:
        self._of_each = of_each
        self._best: dict[CauseKey, dict[str, tuple[Any, ...]]] = {}
        self._uses: dict[str, int] = {}

    def offer(self, item: ItemRecord) -> tuple[bool, list[str]]:
        """Whether an item is among the simplest so far, and the node ids of those that no longer are."""
        dropped: list[str] = []
        offers = [self._offer(occurrence, dropped) for occurrence in self._simplest_by_key(item)]
        return any(offers), [nodeid for nodeid in dropped if not self._uses.get(nodeid)]

    def _simplest_by_key(self, item: ItemRecord) -> list[Occurrence]:
        """Its simplest finding of each kind."""
        occurrences: dict[CauseKey, Occurrence] = {}
        for finding in item.findings:
            occurrence = Occurrence(item, finding)
            if occurrence.key not in occurrences or simplicity(occurrence) < simplicity(occurrences[occurrence.key]):
                occurrences[occurrence.key] = occurrence
        return list(occurrences.values())

    def _offer(self, occurrence: Occurrence, dropped: list[str]) -> bool:
        best, nodeid = self._best.setdefault(occurrence.key, {}), occurrence.item.nodeid
        self._uses[nodeid] = self._uses.get(nodeid, 0) + (nodeid not in best)
        best[nodeid] = simplicity(occurrence)
        if len(best) <= self._of_each:
            return True
        last = max(best, key=lambda candidate: best[candidate])
        del best[last]
        self._uses[last] -= 1
        if last != nodeid:
            dropped.append(last)
        return last != nodeid
