"""The record of a run: its items, what did not apply, and the causes of all findings; also read from a JSON report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord, run_command


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """An item that the translator does not support."""

    nodeid: str
    case: str
    check: str
    client: str
    upstream: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run. ``expected`` is the number of selected items; ``stale`` are sentences about stale known failures."""

    header: Mapping[str, Any]
    items: Sequence[ItemRecord]
    not_applicable: Sequence[NotApplicable]
    stale: Sequence[str]
    expected: int
    roots: Sequence[RootCause] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every expected item ran."""
        return len(self.items) == self.expected

    @property
    def is_judged(self) -> bool:
        return any(item.is_judged for item in self.items)

    def rerun_command(self, *nodeids: str) -> str:
        """Return the command that runs only these items again, with the settings of the run."""
        return run_command(str(self.header.get("command", "pytest")), *nodeids)


_HEADER_KEYS = (
    "tool", "corpus", "suite", "translator", "policy", "recordings", "strict", "command", "run", "python", "pytest",
)  # fmt: skip
_ITEM_KEYS = frozenset(each.name for each in fields(ItemRecord))


def report_header(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header of a report: its members before the counts."""
    return {name: document[name] for name in _HEADER_KEYS if name in document}


def report_items(document: Mapping[str, Any]) -> list[ItemRecord]:
    """Return the items of a report."""
    bodies = document.get("bodies", {})
    return [
        _read_item({name: plain[name] for name in _ITEM_KEYS & plain.keys()}, bodies) for plain in document["items"]
    ]


def _read_item(plain: dict[str, Any], parts_by_key: Mapping[str, Any]) -> ItemRecord:
    """Return an item with its bodies, which the report has once each in ``parts_by_key``."""
    bodies = [
        {**body, "parts": {name: parts_by_key[key] for name, key in body["parts"].items()}}
        for body in plain.pop("bodies", ())
    ]
    return ItemRecord(**plain, bodies=bodies)


def run_from_report(document: Mapping[str, Any], harm: Harm) -> RunRecord:
    """Return the run of a report; its findings are grouped by cause again."""
    items = report_items(document)
    return RunRecord(
        header=report_header(document),
        items=items,
        not_applicable=[unsupported_item(nodeid) for nodeid in document.get("not_applicable", ())],
        stale=document["stale_known_failures"],
        # A report does not have the number of selected items: in a stopped run it is larger.
        expected=len(items) + (not document["footer"]["complete"]),
        roots=find_root_causes(items, harm),
    )


def unsupported_item(nodeid: str) -> NotApplicable:
    """Return the record of an item that the translator does not support."""
    case, check, client, upstream, _ = split_nodeid(nodeid)
    return NotApplicable(nodeid, case, check, client, upstream)


def split_nodeid(nodeid: str) -> tuple[str, str, str, str, str]:
    """Return case, check, client, upstream and variant of a node id; within one format both ends are the same."""
    case, check, place = nodeid.partition("::")[2].rsplit("::", 2)
    client, between, rest = place.partition("-to-")
    upstream, _, variant = (rest if between else place).partition("-")
    return case, check, client if between else upstream, upstream, variant
