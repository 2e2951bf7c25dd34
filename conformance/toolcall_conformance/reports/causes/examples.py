"""Selects the items whose bodies a report keeps: the simplest of each kind of finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from toolcall_conformance.reports.causes.occurrence import CauseKey, Occurrence
from toolcall_conformance.reports.causes.root_cause import simplicity
from toolcall_conformance.reports.item_record import ItemRecord

# The simplest may be the example of another cause: then the next one shows this cause.
_EXAMPLES_PER_KIND = 2


def keep_example_bodies(items: Iterable[ItemRecord]) -> list[ItemRecord]:
    """Return the items with the bodies that a report of all of them keeps; some may have lost theirs before."""
    items_by_id = {item.nodeid: item for item in items}
    examples = Examples()
    for item in list(items_by_id.values()):
        if item.bodies:
            keeps, dropped = examples.offer(item)
            for nodeid in (*dropped, *(() if keeps else (item.nodeid,))):
                items_by_id[nodeid] = replace(items_by_id[nodeid], bodies=[])
    return list(items_by_id.values())


class Examples:
    """The simplest of the offered items for each kind of finding.

    The selection does not depend on the order of offers, so several processes can offer their items to one.
    """

    def __init__(self, of_each: int = _EXAMPLES_PER_KIND) -> None:
        self._of_each = of_each
        self._best: dict[CauseKey, dict[str, tuple[Any, ...]]] = {}
        self._uses: dict[str, int] = {}

    def offer(self, item: ItemRecord) -> tuple[bool, list[str]]:
        """Return whether an item is among the simplest so far, and the node ids of those that no longer are."""
        dropped: list[str] = []
        offers = [self._offer(occurrence, dropped) for occurrence in self._simplest_by_key(item)]
        return any(offers), [nodeid for nodeid in dropped if not self._uses.get(nodeid)]

    def _simplest_by_key(self, item: ItemRecord) -> list[Occurrence]:
        """Return the item's simplest finding of each kind."""
        occurrences: dict[CauseKey, Occurrence] = {}
        for finding in item.findings:
            occurrence = Occurrence(item, finding)
            if occurrence.key not in occurrences or simplicity(occurrence) < simplicity(occurrences[occurrence.key]):
                occurrences[occurrence.key] = occurrence
        return list(occurrences.values())

    def _offer(self, occurrence: Occurrence, dropped: list[str]) -> bool:
        """Add an occurrence if it is among the simplest of its kind; ``dropped`` gets the node id that it replaces."""
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
