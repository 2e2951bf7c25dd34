"""Compares the suites that judged two reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize


class EntryState(StrEnum):
    """The difference of a case or rule in two suites."""

    SAME = "same"
    NEW = "new"
    CHANGED = "changed"


# The tables of a suite, each with the noun for its entries; and the other parts that affect verdicts.
_NOUNS_BY_TABLE = {"cases": "case", "rules": "rule"}
_OTHER_PARTS = ("code", "data")


@dataclass(frozen=True, slots=True)
class SuitePair:
    """The suites of two reports; None for a report that is too old to have it.

    ``former_ids`` are the former ids of rules, by the current ones.
    """

    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None
    former_ids: Mapping[str, Sequence[str]]

    @property
    def are_known(self) -> bool:
        """Whether both suites are known."""
        return self.old is not None and self.new is not None

    def case_state(self, case_id: str) -> EntryState:
        """Return how a case differs; recordings are no cases of a suite, so they are the same."""
        return self._entry_state("cases", case_id)

    def rule_state(self, rule_id: str) -> EntryState:
        """Return how a rule differs; a rule with a former id is not new."""
        return self._entry_state("rules", rule_id)

    def judge_changes(self) -> list[str]:
        """Return sentences about what differs in addition to cases and rules."""
        return [f"the suite's {key} changed" for key in self._changed_parts()]

    def _changed_parts(self) -> list[str]:
        return [key for key in _OTHER_PARTS if self._suite("old")[key] != self._suite("new")[key]]

    def description(self) -> list[str]:
        """Return a line about how the suites differ; empty if they do not."""
        if not self.are_known:
            silent = [f"the {name} report does not show" for name in ("old", "new") if getattr(self, name) is None]
            subject = silent[0] if len(silent) == 1 else "the reports do not show"
            return [f"the suites cannot be compared: {subject} exactly which suite judged"]
        parts = self._changed_parts()
        for key, noun in _NOUNS_BY_TABLE.items():
            states = [self._entry_state(key, name) for name in self._suite("new")[key]]
            counts = [(kind, states.count(kind)) for kind in (EntryState.NEW, EntryState.CHANGED)]
            parts += [pluralize(number, f"{kind.value} {noun}") for kind, number in counts if number]
        return [f"the suites differ: {', '.join(parts)}"] if parts else []

    def _entry_state(self, table: str, entry_id: str) -> EntryState:
        new_entry = self._suite("new")[table].get(entry_id)
        old_entries = self._suite("old")[table]
        before = next(
            (
                old_entries[candidate]
                for candidate in (entry_id, *self.former_ids.get(entry_id, ()))
                if candidate in old_entries
            ),
            None,
        )
        if new_entry == before:
            return EntryState.SAME
        return EntryState.NEW if before is None else EntryState.CHANGED

    def _suite(self, side: str) -> Mapping[str, Any]:
        suite: Mapping[str, Any] | None = getattr(self, side)
        assert suite is not None, "ask `known` first"
        return suite
