"""The reason why a fault is new in a report: the suite, the translator, or the settings changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.changes.faults import Fault, Faults
from toolcall_conformance.reports.changes.suites import EntryState, SuitePair
from toolcall_conformance.reports.run_record import RunRecord


class Origin(StrEnum):
    """The origin of a new fault."""

    TRANSLATOR = "translator"
    SUITE = "suite"
    SETTINGS = "settings"
    UNCLEAR = "unclear"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class ChangeReason:
    """The origin of a new fault, and a text with the evidence."""

    origin: Origin
    text: str


class ReportSides:
    """Two reports, from whose common parts the origin of a new fault is derived.

    ``retired`` are former ids of rules, each with the current ones. ``hiding`` are rules whose breach hides other
    faults of an item.
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
        for old_id, new_ids in retired.items():
            for name in new_ids:
                former.setdefault(name, []).append(old_id)
        self.suites = SuitePair(old.header.get("suite"), new.header.get("suite"), former)

    def change_reason(self, nodeid: str, fault: Fault) -> ChangeReason | None:
        """Return why a failing fault of the new report did not fail the item in the old one; None if it did."""
        before = self.old.matching(nodeid, fault)
        if any(fault.fails for fault in before):
            return None
        if nodeid not in self.old.items:
            if nodeid in self.old.skipped:
                return ChangeReason(Origin.TRANSLATOR, "the translator did not do it before")
            return self._reason_not_played(nodeid)
        if before:
            return self._reason_graver(before[0], nodeid, fault)
        if hidden := self._hider_text(nodeid):
            return ChangeReason(Origin.HIDDEN, hidden)
        return self._reason_appeared(nodeid, fault)

    def _hider_text(self, nodeid: str) -> str:
        """Return a text about what hid other faults of an item in the old run; empty if nothing did."""
        item = self.old.items[nodeid]
        if item.verdict in ("blocked", "error"):
            return f"the item was not judged before ({item.verdict})"
        rules = [fault.rule for fault in self.old.of_item(nodeid) if fault.rule in self._hiding]
        gone = [rule for rule in rules if rule not in {fault.rule for fault in self.new.of_item(nodeid)}]
        return f"{gone[0]} hid it before" if gone else ""

    def _reason_not_played(self, nodeid: str) -> ChangeReason:
        """Return why the old report lacks the item: its suite lacked it, or the run left it out."""
        item, message = self.new.items[nodeid], "the old report does not have the item"
        if not self.suites.are_known:
            return ChangeReason(Origin.SETTINGS if self._has_same_versions else Origin.SUITE, message)
        if self.suites.case_state(item.case) is EntryState.NEW:
            return ChangeReason(Origin.SUITE, "the case is new")
        changed = self.suites.judge_changes() or self.suites.case_state(item.case) is EntryState.CHANGED
        # If the old run played the case on the route, the item is a new variant; else its arguments left it out.
        played = self.old.is_played(item.case, item.client, item.upstream)
        return (
            ChangeReason(Origin.SUITE, "the item is new")
            if changed and played
            else ChangeReason(Origin.SETTINGS, message)
        )

    def _reason_graver(self, before: Fault, nodeid: str, fault: Fault) -> ChangeReason:
        """Return why a fault that was there before fails the item now."""
        if before.is_known:
            return ChangeReason(Origin.SETTINGS, "the known failures no longer excuse it")
        if before.level == fault.level:
            return ChangeReason(Origin.SETTINGS, "the run is strict")
        reason = self._reason_appeared(nodeid, fault) if self.suites.are_known else ChangeReason(Origin.SUITE, "")
        return ChangeReason(reason.origin, "; ".join(filter(None, (f"its level was {before.level}", reason.text))))

    def _reason_appeared(self, nodeid: str, fault: Fault) -> ChangeReason:
        """Return why a fault is there that was not there before."""
        if not self.suites.are_known:
            return self._reason_by_versions(fault)
        kinds = {
            "case": self.suites.case_state(self.new.items[nodeid].case),
            "rule": self.suites.rule_state(fault.rule),
        }
        for name, kind in kinds.items():
            if kind is EntryState.NEW:
                return ChangeReason(Origin.SUITE, f"the {name} is new")
        changed = [f"the {name} changed" for name, kind in kinds.items() if kind is EntryState.CHANGED]
        judging = self.suites.judge_changes()
        if not (changed or judging):
            return ChangeReason(
                Origin.TRANSLATOR,
                "the suite and the translator's version are the same in both runs: its code or environment changed"
                if self._translator_state is EntryState.SAME
                else "the suite is the same in both runs, so the translator caused it",
            )
        subjects = " and ".join(changed or judging)
        if self._translator_state is EntryState.CHANGED:
            return ChangeReason(Origin.UNCLEAR, f"{subjects}, and so did the translator")
        if self._translator_state is EntryState.SAME or changed:
            return ChangeReason(Origin.SUITE, subjects)
        return ChangeReason(Origin.UNCLEAR, f"{subjects}, and the translator has no version")

    def _reason_by_versions(self, fault: Fault) -> ChangeReason:
        """Return why a fault is new if a report does not name its exact suite: from the versions."""
        rule, old_version = self._rules.get(fault.rule), str(self.old.run.header["corpus"]["version"])
        if rule is not None and version_key(rule.since) > version_key(old_version):
            return ChangeReason(Origin.SUITE, f"the rule is new since {rule.since}")
        if self._has_same_versions:
            return ChangeReason(Origin.UNCLEAR, "one version of the suite judged both, but perhaps not the same suite")
        if self._translator_state is EntryState.SAME:
            return ChangeReason(Origin.SUITE, "both are the same version of the translator")
        return ChangeReason(Origin.UNCLEAR, "suite and translator both changed")

    @property
    def _has_same_versions(self) -> bool:
        """Whether suites of the same version judged both reports."""
        return _versions(self.old)[:2] == _versions(self.new)[:2]

    @property
    def _translator_state(self) -> EntryState | None:
        """The difference of the translators; None if they have no version."""
        (_, _, *old_versions), (_, _, *new_versions) = _versions(self.old), _versions(self.new)
        if old_versions == new_versions:
            return None if new_versions[1] is None else EntryState.SAME
        return EntryState.CHANGED


def _versions(side: Faults) -> tuple[Any, ...]:
    header = side.run.header
    translator = header["translator"]
    return header["tool"]["version"], header["corpus"]["version"], translator["name"], translator["version"]


def version_key(version: str) -> tuple[Any, ...]:
    """Return the sort key of a version: its numbers."""
    return tuple(map(int, re.findall(r"\d+", re.split(r"[-+]", version, maxsplit=1)[0])))
