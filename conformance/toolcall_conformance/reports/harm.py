"""Which faults to tell first, and which findings say the same: ``translation/harm.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.consequences import Table, table_of
from toolcall_conformance.library import Corpus


@dataclass(frozen=True, slots=True)
class Harm:
    """Ranks by rule and by element, groups of what says the same, rules that only echo others; and consequences."""

    steps: tuple[Mapping[str, Any], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    echoes: frozenset[str] = frozenset()
    consequences: Table = field(default_factory=Table)

    @classmethod
    def of(cls, corpus: Corpus) -> Harm:
        """The data of a corpus."""
        raw = corpus.harm
        return cls(
            tuple(raw["order"]["steps"]),
            tuple(raw["alike"]["groups"]),
            frozenset(raw["echoes"]["rules"]),
            table_of(corpus),
        )

    def rank(self, rule: str, element: str) -> int:
        """How soon to tell of it; 0 is the gravest."""
        for key, name in (("rules", rule), ("elements", element)):
            for number, step in enumerate(self.steps):
                if name in step.get(key, ()):
                    return number
        return len(self.steps)

    def group(self, rule: str, element: str) -> int | None:
        """The number of the group of findings that say the same, or None."""
        numbers: Iterable[int] = (
            number
            for number, group in enumerate(self.groups)
            if rule in group.get("rules", ()) or element in group.get("elements", ())
        )
        return next(iter(numbers), None)

    def place_in_group(self, rule: str, element: str) -> int:
        """How early the group names the rule; 0 where it names elements, or there is no group."""
        number = self.group(rule, element)
        rules = self.groups[number].get("rules", ()) if number is not None else ()
        return rules.index(rule) if rule in rules else 0
