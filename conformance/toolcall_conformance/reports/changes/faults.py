"""What is wrong with each item of a report, so that two reports can be compared item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class Fault:
    """One finding. ``fails``: it fails its item, and nobody expects it."""

    rule: str
    level: str
    signature: str
    place: tuple[str, str]
    fails: bool
    known: bool

    @classmethod
    def of(cls, finding: Mapping[str, Any]) -> Fault:
        """Make it of a finding in JSON."""
        is_known = "known" in finding
        return cls(
            rule=str(finding["rule"]),
            level=str(finding["level"]),
            signature=str(finding["signature"]),
            place=(str(finding["body"]), str(finding["pointer"])),
            fails="standing" in finding and not is_known,
            known=is_known,
        )


class Faults:
    """The faults of a run by item. ``retired``: ids that rules had once, each with those that replace it."""

    def __init__(self, run: RunRecord, retired: Mapping[str, Sequence[str]]) -> None:
        self.run = run
        self.items: Mapping[str, ItemRecord] = {item.nodeid: item for item in run.items}
        self.skipped = frozenset(item.nodeid for item in run.not_applicable)
        self._played = frozenset((item.case, item.client, item.upstream) for item in run.items)
        self._retired = retired
        self._by_item = {
            item.nodeid: [Fault.of(finding) for finding in item.findings if is_counted(item, finding)]
            for item in run.items
        }
        self._where: dict[str, dict[str, None]] = {}
        for nodeid, faults in self._by_item.items():
            for name in (name for fault in faults for name in self._names(fault)):
                self._where.setdefault(name, {})[nodeid] = None

    def of(self, nodeid: str) -> Sequence[Fault]:
        """The faults of an item; none of one that was not played."""
        return self._by_item.get(nodeid, ())

    def is_bad(self, nodeid: str) -> bool:
        """Whether anything fails an item, expected or not."""
        return any(fault.fails or fault.known for fault in self.of(nodeid))

    def judges(self, nodeid: str) -> bool:
        """Whether an item gave a verdict."""
        item = self.items.get(nodeid)
        return item is not None and item.judged

    def plays(self, case: str, client: str, upstream: str) -> bool:
        """Whether any item of a case was played on a route."""
        return (case, client, upstream) in self._played

    def like(self, nodeid: str, fault: Fault) -> list[Fault]:
        """The faults of an item that are the same as one of another report.

        One cause has one signature; where another suite told causes apart otherwise, the rule and place are the same.
        """
        return [
            other
            for other in self.of(nodeid)
            if fault.signature in self._names(other)
            or (fault.place == other.place and fault.rule in (other.rule, *self._retired.get(other.rule, ())))
        ]

    def with_any(self, signatures: frozenset[str]) -> list[str]:
        """The items with a fault of one of these signatures."""
        return list({nodeid: None for name in sorted(signatures) for nodeid in self._where.get(name, ())})

    def _names(self, fault: Fault) -> tuple[str, ...]:
        """The signature of a fault, under the ids too that its rule has by now."""
        rest = fault.signature.removeprefix(fault.rule)
        return fault.signature, *(f"{name}{rest}" for name in self._retired.get(fault.rule, ()))


def is_counted(item: ItemRecord, finding: Mapping[str, Any]) -> bool:
    """Whether a finding of an item is more than a note, and did not come in some tries only that fail nothing."""
    return finding["level"] != "NOTE" and (item.outcome == "failed" or "unstable" not in finding)
