"""The faults of each item of a report, to compare two reports item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding as two reports compare it. ``fails``: it fails its item and is no known failure."""

    rule: str
    level: str
    signature: str
    place: tuple[str, str]
    fails: bool
    is_known: bool

    @classmethod
    def of(cls, finding: Mapping[str, Any]) -> Fault:
        """Make a fault of a finding in JSON."""
        is_known = "known" in finding
        return cls(
            rule=str(finding["rule"]),
            level=str(finding["level"]),
            signature=str(finding["signature"]),
            place=(str(finding["body"]), str(finding["pointer"])),
            fails="standing" in finding and not is_known,
            is_known=is_known,
        )


class Faults:
    """The faults of a run by item. ``retired`` are former ids of rules, each with the current ones."""

    def __init__(self, run: RunRecord, retired: Mapping[str, Sequence[str]]) -> None:
        self.run = run
        self.items: Mapping[str, ItemRecord] = {item.nodeid: item for item in run.items}
        self.skipped = frozenset(item.nodeid for item in run.not_applicable)
        self._played_routes = frozenset((item.case, item.client, item.upstream) for item in run.items)
        self._retired = retired
        self._faults_by_item = {
            item.nodeid: [Fault.of(finding) for finding in item.findings if is_counted(item, finding)]
            for item in run.items
        }
        self._items_by_signature: dict[str, dict[str, None]] = {}
        for nodeid, faults in self._faults_by_item.items():
            for name in (name for fault in faults for name in self._signatures(fault)):
                self._items_by_signature.setdefault(name, {})[nodeid] = None

    def of_item(self, nodeid: str) -> Sequence[Fault]:
        """Return the faults of an item; empty if it was not played."""
        return self._faults_by_item.get(nodeid, ())

    def has_failure(self, nodeid: str) -> bool:
        """Whether any fault fails an item, known or not."""
        return any(fault.fails or fault.is_known for fault in self.of_item(nodeid))

    def is_judged(self, nodeid: str) -> bool:
        """Whether an item gave a verdict."""
        item = self.items.get(nodeid)
        return item is not None and item.is_judged

    def is_played(self, case: str, client: str, upstream: str) -> bool:
        """Whether any item of a case was played on a route."""
        return (case, client, upstream) in self._played_routes

    def matching(self, nodeid: str, fault: Fault) -> list[Fault]:
        """Return the faults of an item that are the same as a fault of another report.

        They have the same signature, or, if another suite grouped causes otherwise, the same rule and place.
        """
        return [
            other
            for other in self.of_item(nodeid)
            if fault.signature in self._signatures(other)
            or (fault.place == other.place and fault.rule in (other.rule, *self._retired.get(other.rule, ())))
        ]

    def items_with(self, signatures: frozenset[str]) -> list[str]:
        """Return the items with a fault of one of these signatures."""
        return list({nodeid: None for name in sorted(signatures) for nodeid in self._items_by_signature.get(name, ())})

    def _signatures(self, fault: Fault) -> tuple[str, ...]:
        """Return the signature of a fault, also under the current ids of its rule."""
        rest = fault.signature.removeprefix(fault.rule)
        return fault.signature, *(f"{name}{rest}" for name in self._retired.get(fault.rule, ()))


def is_counted(item: ItemRecord, finding: Mapping[str, Any]) -> bool:
    """Whether a finding is more than a note, and not an unstable one that fails nothing."""
    return finding["level"] != "NOTE" and (item.outcome == "failed" or "unstable" not in finding)
