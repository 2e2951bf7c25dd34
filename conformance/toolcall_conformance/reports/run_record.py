"""The record of a run: its items, what did not apply, and the causes of all findings; also read from a JSON report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from toolcall_conformance.reports.causes.grouping import root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord, command


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
    """A whole run. ``expected`` is the number of items selected to run; ``roots`` are the causes of all findings."""

    header: Mapping[str, Any]
    items: Sequence[ItemRecord]
    not_applicable: Sequence[NotApplicable]
    stale: Sequence[str]
    expected: int
    roots: Sequence[RootCause] = ()

    @property
    def complete(self) -> bool:
        """Whether every expected item ran."""
        return len(self.items) == self.expected

    @property
    def judged(self) -> bool:
        return any(item.judged for item in self.items)

    def again(self, *nodeids: str) -> str:
        """The command that runs just these items again, with the settings of the run."""
        return command(str(self.header.get("command", "pytest")), *nodeids)


_HEADER = (
    "tool", "corpus", "suite", "translator", "policy", "recordings", "strict", "command", "run", "python", "pytest",
)  # fmt: skip
_FIELDS = frozenset(each.name for each in fields(ItemRecord))


def header_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a report says of its run before the counts."""
    return {name: document[name] for name in _HEADER if name in document}


def items_of(document: Mapping[str, Any]) -> list[ItemRecord]:
    """The items of a report."""
    bodies = document.get("bodies", {})
    return [_item({name: plain[name] for name in _FIELDS & plain.keys()}, bodies) for plain in document["items"]]


def _item(plain: dict[str, Any], parts_by_key: Mapping[str, Any]) -> ItemRecord:
    """An item, its bodies taken from where the report has each once."""
    bodies = [
        {**body, "parts": {name: parts_by_key[key] for name, key in body["parts"].items()}}
        for body in plain.pop("bodies", ())
    ]
    return ItemRecord(**plain, bodies=bodies)


def run_of(document: Mapping[str, Any], harm: Harm) -> RunRecord:
    """The run of a report; its causes are found anew."""
    items = items_of(document)
    return RunRecord(
        header=header_of(document),
        items=items,
        not_applicable=[unsupported(nodeid) for nodeid in document.get("not_applicable", ())],
        stale=document["stale_known_failures"],
        # How many were to run a report does not say: of one that was stopped, more than did.
        expected=len(items) + (not document["footer"]["complete"]),
        roots=root_causes(items, harm),
    )


def unsupported(nodeid: str) -> NotApplicable:
    """An item that the translator does not support, from its node id."""
    case, check, client, upstream, _ = parts_of(nodeid)
    return NotApplicable(nodeid, case, check, client, upstream)


def parts_of(nodeid: str) -> tuple[str, str, str, str, str]:
    """The case, check, client, upstream and variant of a node id; within one format both ends are the same."""
    case, check, place = nodeid.partition("::")[2].rsplit("::", 2)
    client, between, rest = place.partition("-to-")
    upstream, _, variant = (rest if between else place).partition("-")
    return case, check, client if between else upstream, upstream, variant
