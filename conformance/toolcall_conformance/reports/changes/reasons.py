"""Why a report has a fault that an earlier one has not: the suite changed, or the translator did."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.changes.faults import Fault, Faults
from toolcall_conformance.reports.changes.suites import Alike, Suites
from toolcall_conformance.reports.run_record import RunRecord


class Why(StrEnum):
    """What made a fault new."""

    TRANSLATOR = "translator"
    SUITE = "suite"
    SETTINGS = "settings"
    UNCLEAR = "unclear"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class ChangeReason:
    """What made a fault new, and how that is known."""

    why: Why
    says: str


class ReportSides:
    """Two reports: what they have in common decides what can have made a fault new.

    ``retired``: the ids that rules had once, each with those that replace it. ``hiding``: the rules whose breach hides
    what else is wrong with an item.
    """

    def __init__(
        self,
        old: RunRecord,
        new: RunRecord,
        rules: Mapping[str, Rule],
        retired: Mapping[str, Sequence[str]],
        hiding: Collection[str] = (),
    ) -> None:
        self._hiding = hiding
        self.old, self.new = Faults(old, retired), Faults(new, retired)
        self._rules = rules
        former: dict[str, list[str]] = {}
        for was, now in retired.items():
            for name in now:
                former.setdefault(name, []).append(was)
        self.suites = Suites(old.header.get("suite"), new.header.get("suite"), former)

    def reason(self, nodeid: str, fault: Fault) -> ChangeReason | None:
        """Why a failing fault of the new report did not fail the item in the old one; None where it did."""
        before = self.old.like(nodeid, fault)
        if any(fault.fails for fault in before):
            return None
        if nodeid not in self.old.items:
            if nodeid in self.old.skipped:
                return ChangeReason(Why.TRANSLATOR, "the translator did not do it before")
            return self._not_played(nodeid)
        if before:
            return self._graver(before[0], nodeid, fault)
        if hidden := self._hidden(nodeid):
            return ChangeReason(Why.HIDDEN, hidden)
        return self._appeared(nodeid, fault)

    def _hidden(self, nodeid: str) -> str:
        """What kept the old run from seeing more of an item, and is gone; empty where nothing did."""
        item = self.old.items[nodeid]
        if item.verdict in ("blocked", "error"):
            return f"the item was not judged before ({item.verdict})"
        rules = [fault.rule for fault in self.old.of(nodeid) if fault.rule in self._hiding]
        gone = [rule for rule in rules if rule not in {fault.rule for fault in self.new.of(nodeid)}]
        return f"{gone[0]} hid it before" if gone else ""

    def _not_played(self, nodeid: str) -> ChangeReason:
        """Why the old report does not have the item: the suite had none, or the run left it out."""
        item, message = self.new.items[nodeid], "the old report does not have the item"
        if not self.suites.known:
            return ChangeReason(Why.SETTINGS if self._same_versions else Why.SUITE, message)
        if self.suites.case(item.case) is Alike.NEW:
            return ChangeReason(Why.SUITE, "the case is new")
        changed = self.suites.judging() or self.suites.case(item.case) is Alike.CHANGED
        # Another way to play what the old run did play is new; else its arguments left the case or the route out.
        played = self.old.plays(item.case, item.client, item.upstream)
        return ChangeReason(Why.SUITE, "the item is new") if changed and played else ChangeReason(Why.SETTINGS, message)

    def _graver(self, before: Fault, nodeid: str, fault: Fault) -> ChangeReason:
        """Why what was there before fails the item now."""
        if before.known:
            return ChangeReason(Why.SETTINGS, "the known failures no longer excuse it")
        if before.level == fault.level:
            return ChangeReason(Why.SETTINGS, "the run is strict")
        reason = self._appeared(nodeid, fault) if self.suites.known else ChangeReason(Why.SUITE, "")
        return ChangeReason(reason.why, "; ".join(filter(None, (f"its level was {before.level}", reason.says))))

    def _appeared(self, nodeid: str, fault: Fault) -> ChangeReason:
        """Why there is a fault that was not there."""
        if not self.suites.known:
            return self._by_versions(fault)
        kinds = {"case": self.suites.case(self.new.items[nodeid].case), "rule": self.suites.rule(fault.rule)}
        for name, kind in kinds.items():
            if kind is Alike.NEW:
                return ChangeReason(Why.SUITE, f"the {name} is new")
        changed = [f"the {name} changed" for name, kind in kinds.items() if kind is Alike.CHANGED]
        judging = self.suites.judging()
        if not (changed or judging):
            return ChangeReason(
                Why.TRANSLATOR,
                "the suite and the translator's version are the same in both runs: its code or environment changed"
                if self._translator is Alike.SAME
                else "the suite is the same in both runs, so the translator caused it",
            )
        subjects = " and ".join(changed or judging)
        if self._translator is Alike.CHANGED:
            return ChangeReason(Why.UNCLEAR, f"{subjects}, and so did the translator")
        if self._translator is Alike.SAME or changed:
            return ChangeReason(Why.SUITE, subjects)
        return ChangeReason(Why.UNCLEAR, f"{subjects}, and the translator has no version")

    def _by_versions(self, fault: Fault) -> ChangeReason:
        """The same of reports that do not say exactly which suite judged."""
        rule, then = self._rules.get(fault.rule), str(self.old.run.header["corpus"]["version"])
        if rule is not None and ordered(rule.since) > ordered(then):
            return ChangeReason(Why.SUITE, f"the rule is new since {rule.since}")
        if self._same_versions:
            return ChangeReason(Why.UNCLEAR, "one version of the suite judged both, but perhaps not the same suite")
        if self._translator is Alike.SAME:
            return ChangeReason(Why.SUITE, "both are the same version of the translator")
        return ChangeReason(Why.UNCLEAR, "suite and translator both changed")

    @property
    def _same_versions(self) -> bool:
        """Whether suites of one version judged both."""
        return _versions(self.old)[:2] == _versions(self.new)[:2]

    @property
    def _translator(self) -> Alike | None:
        """Whether both judged one version of one translator; of one without a version nobody knows."""
        (_, _, *then), (_, _, *now) = _versions(self.old), _versions(self.new)
        if then == now:
            return None if now[1] is None else Alike.SAME
        return Alike.CHANGED


def _versions(side: Faults) -> tuple[Any, ...]:
    header = side.run.header
    translator = header["translator"]
    return header["tool"]["version"], header["corpus"]["version"], translator["name"], translator["version"]


def ordered(version: str) -> tuple[Any, ...]:
    """A version to compare by: its numbers, as far as there are some."""
    return tuple(map(int, re.findall(r"\d+", re.split(r"[-+]", version, maxsplit=1)[0])))
