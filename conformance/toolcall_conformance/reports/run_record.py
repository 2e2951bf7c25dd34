"""The record of a run: its items, what did not apply, and the causes of all findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.model import ItemRecord, command


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
