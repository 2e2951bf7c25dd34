"""Whose bodies a report keeps: those of the simplest items of each kind of finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from toolcall_conformance.reports.model import ItemRecord
from toolcall_conformance.reports.root_cause import simplicity
from toolcall_conformance.reports.seen import Key, Seen

# The simplest may be told with another cause: then the next one shows this.
_OF_EACH = 2


def of_all(items: Iterable[ItemRecord]) -> list[ItemRecord]:
    """The items, with bodies only of those that one report of all of them keeps; some have lost theirs already."""
    found = {item.nodeid: item for item in items}
    examples = Examples()
    for item in list(found.values()):
        if item.bodies:
            keeps, dropped = examples.offer(item)
            for nodeid in (*dropped, *(() if keeps else (item.nodeid,))):
                found[nodeid] = replace(found[nodeid], bodies=[])
    return list(found.values())


class Examples:
    """The simplest items of each kind of finding, of all that were offered.

    Which they are does not depend on the order, so that several processes can each offer theirs to one.
    """

    def __init__(self, of_each: int = _OF_EACH) -> None:
        self._of_each = of_each
        self._best: dict[Key, dict[str, tuple[Any, ...]]] = {}
        self._uses: dict[str, int] = {}

    def offer(self, item: ItemRecord) -> tuple[bool, list[str]]:
        """Whether an item is among the simplest so far, and the node ids of those that no longer are."""
        dropped: list[str] = []
        kept = [self._offer(seen, dropped) for seen in self._kinds(item)]
        return any(kept), [nodeid for nodeid in dropped if not self._uses.get(nodeid)]

    def _kinds(self, item: ItemRecord) -> list[Seen]:
        """Its simplest finding of each kind."""
        found: dict[Key, Seen] = {}
        for finding in item.findings:
            seen = Seen(item, finding)
            if seen.key not in found or simplicity(seen) < simplicity(found[seen.key]):
                found[seen.key] = seen
        return list(found.values())

    def _offer(self, seen: Seen, dropped: list[str]) -> bool:
        best, nodeid = self._best.setdefault(seen.key, {}), seen.item.nodeid
        self._uses[nodeid] = self._uses.get(nodeid, 0) + (nodeid not in best)
        best[nodeid] = simplicity(seen)
        if len(best) <= self._of_each:
            return True
        last = max(best, key=lambda one: best[one])
        del best[last]
        self._uses[last] -= 1
        if last != nodeid:
            dropped.append(last)
        return last != nodeid
