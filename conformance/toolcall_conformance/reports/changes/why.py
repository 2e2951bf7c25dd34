"""Why a report has a fault that an earlier one has not: the suite is newer, or the translator is another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.changes.faults import Fault, Faults


class Why(StrEnum):
    """What made a fault new."""

    TRANSLATOR = "translator"
    SUITE = "suite"
    SETTINGS = "settings"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Reason:
    """What made a fault new, and how that is known."""

    why: Why
    says: str


@dataclass(frozen=True, slots=True)
class Sides:
    """Two reports: what they have in common decides what can have made a fault new."""

    old: Faults
    new: Faults
    rules: Mapping[str, Rule]

    @property
    def one_suite(self) -> bool:
        """Whether one suite judged both."""
        return all(self._header(key, "version") for key in ("tool", "corpus"))

    @property
    def one_translator(self) -> bool:
        """Whether both judged one version of one translator; of one without a version nobody knows."""
        version = self.new.run.header["translator"]["version"]
        return version is not None and all(self._header("translator", key) for key in ("name", "version"))

    def _header(self, key: str, part: str) -> bool:
        old, new = (side.run.header[key][part] for side in (self.old, self.new))
        return bool(old == new)

    def reason(self, nodeid: str, fault: Fault) -> Reason | None:
        """Why a failing fault of the new report did not fail the item in the old one; None where it did."""
        before = self.old.like(nodeid, fault)
        if any(one.fails for one in before):
            return None
        if nodeid not in self.old.items:
            if nodeid in self.old.skipped:
                return Reason(Why.TRANSLATOR, "the translator did not do it before")
            return Reason(Why.SETTINGS if self.one_suite else Why.SUITE, "the old report does not have the item")
        if before:
            return self._graver(before[0], fault)
        if not self.old.judges(nodeid):
            return Reason(Why.TRANSLATOR, "the item gave no verdict before")
        return self._appeared(fault)

    def _graver(self, before: Fault, fault: Fault) -> Reason:
        """Why what was there before fails the item now."""
        if before.known:
            return Reason(Why.SETTINGS, "the known failures no longer excuse it")
        if before.level != fault.level:
            return Reason(Why.SUITE, f"its level was {before.level}")
        return Reason(Why.SETTINGS, "the run is strict")

    def _appeared(self, fault: Fault) -> Reason:
        rule, then = self.rules.get(fault.rule), str(self.old.run.header["corpus"]["version"])
        if rule is not None and ordered(rule.since) > ordered(then):
            return Reason(Why.SUITE, f"the rule is new since {rule.since}")
        if self.one_suite:
            return Reason(Why.TRANSLATOR, "the same suite judged both")
        if self.one_translator:
            return Reason(Why.SUITE, "both are the same version of the translator")
        return Reason(Why.UNCLEAR, "suite and translator both changed")


def ordered(version: str) -> tuple[Any, ...]:
    """A version to compare by: its numbers, as far as there are some."""
    return tuple(map(int, re.findall(r"\d+", re.split(r"[-+]", version, maxsplit=1)[0])))
