"""Which faults to tell first, and which findings say the same: the corpus's ``translation/harm.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Harm:
    """Ranks by rule and by element, groups of what says the same, and the rules that only echo others."""

    steps: tuple[Mapping[str, Any], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    echoes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Harm:
        """Make it of the content of ``translation/harm.json``."""
        return cls(tuple(raw["order"]["steps"]), tuple(raw["alike"]["groups"]), frozenset(raw["echoes"]["rules"]))

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

    def brings(self, rule: str, element: str) -> frozenset[str]:
        """The elements of a reply that go wrong where the events of its stream break the rule."""
        number = self.group(rule, element)
        return frozenset() if number is None else frozenset(self.groups[number].get("brings", ()))

    def place_in_group(self, rule: str, element: str) -> int:
        """How early the group names the rule; 0 where it names elements, or there is no group."""
        number = self.group(rule, element)
        rules = self.groups[number].get("rules", ()) if number is not None else ()
        return rules.index(rule) if rule in rules else 0
