"""Whether the same suite judged two reports, as far as a finding of an item is concerned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize


class Alike(StrEnum):
    """How the same case or rule is in two suites."""

    SAME = "same"
    NEW = "new"
    CHANGED = "changed"


# The tables of a suite, each with what it is a table of; and the rest of what judges.
_TABLES = {"cases": "case", "rules": "rule"}
_REST = ("code", "data")


@dataclass(frozen=True, slots=True)
class Suites:
    """What two reports say of their suites, None where one is too old to say it.

    ``former``: the ids that rules had once, by those that they have now.
    """

    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None
    former: Mapping[str, Sequence[str]]

    @property
    def known(self) -> bool:
        """Whether both say it."""
        return self.old is not None and self.new is not None

    def case(self, name: str) -> Alike:
        """Recordings are no cases of a suite, so they are the same."""
        return self._alike("cases", name)

    def rule(self, name: str) -> Alike:
        """A rule under a former id is no new one."""
        return self._alike("rules", name)

    def judging(self) -> list[str]:
        """What of the judge differs beside cases and rules."""
        return [f"the suite's {key} changed" for key in self._rest()]

    def _rest(self) -> list[str]:
        return [key for key in _REST if self._of("old")[key] != self._of("new")[key]]

    def told(self) -> list[str]:
        """How they differ, in a line; none where they judge alike."""
        if not self.known:
            silent = [f"the {name} report does not show" for name in ("old", "new") if getattr(self, name) is None]
            subject = silent[0] if len(silent) == 1 else "the reports do not show"
            return [f"the suites cannot be compared: {subject} exactly which suite judged"]
        parts = self._rest()
        for key, noun in _TABLES.items():
            states = [self._alike(key, name) for name in self._of("new")[key]]
            counts = [(kind, states.count(kind)) for kind in (Alike.NEW, Alike.CHANGED)]
            parts += [pluralize(number, f"{kind.value} {noun}") for kind, number in counts if number]
        return [f"the suites differ: {', '.join(parts)}"] if parts else []

    def _alike(self, key: str, name: str) -> Alike:
        now = self._of("new")[key].get(name)
        then = self._of("old")[key]
        before = next((then[candidate] for candidate in (name, *self.former.get(name, ())) if candidate in then), None)
        if now == before:
            return Alike.SAME
        return Alike.NEW if before is None else Alike.CHANGED

    def _of(self, side: str) -> Mapping[str, Any]:
        suite: Mapping[str, Any] | None = getattr(self, side)
        assert suite is not None, "ask `known` first"
        return suite
