"""Which faults to tell first, and which findings say the same: ``translation/harm.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.judge.consequences import ConsequenceTable, consequence_table
from toolcall_conformance.library import Corpus


@dataclass(frozen=True, slots=True)
class Repair:
    """Faults that one repair mends: of some rules or on some elements, that share what ``same`` names.

    ``own``: rules of the format itself only; ``copied``: what stands so in the source only; ``inside``: at a kind of
    place that holds this text only.
    """

    rules: frozenset[str]
    elements: frozenset[str]
    same: tuple[str, ...]
    own: bool = False
    copied: bool = False
    inside: str = ""

    def applies_to(self, rule: str, element: str) -> bool:
        """Whether findings of a rule on an element may be such faults."""
        return rule in self.rules or element in self.elements


@dataclass(frozen=True, slots=True)
class Harm:
    """How soon to tell a fault, by rule and by element; groups of what says the same; rules that only echo others;
    what one repair mends; and consequences.
    """

    steps: tuple[Mapping[str, Any], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    echoes: frozenset[str] = frozenset()
    consequences: ConsequenceTable = field(default_factory=ConsequenceTable)
    repairs: tuple[Repair, ...] = ()
    never_first: frozenset[str] = frozenset()

    @classmethod
    def of(cls, corpus: Corpus) -> Harm:
        """The data of a corpus."""
        raw = corpus.harm
        return cls(
            tuple(raw["order"]["steps"]),
            tuple(raw["alike"]["groups"]),
            frozenset(raw["echoes"]["rules"]),
            consequence_table(corpus),
            tuple(map(_parse_repair, raw["repairs"]["rows"])),
            frozenset(raw["order"]["never_first"]),
        )

    def rank(self, rule: str, element: str) -> int:
        """How soon to tell of it; 0 is the gravest."""
        for key, name in (("rules", rule), ("elements", element)):
            for number, step in enumerate(self.steps):
                if name in step.get(key, ()):
                    return number
        return len(self.steps)

    def weight(self, rule: str, element: str) -> float:
        """What each item with it weighs."""
        rank = self.rank(rule, element)
        return float(self.steps[rank]["weight"]) if rank < len(self.steps) else 1.0

    def is_detail(self, rule: str, element: str) -> bool:
        """Whether calls, results and words come first, however often it shows: settings and bookkeeping."""
        rank = self.rank(rule, element)
        return rank < len(self.steps) and bool(self.steps[rank].get("last", False))

    def group(self, rule: str, element: str) -> int | None:
        """The number of the group of findings that say the same, or None."""
        numbers: Iterable[int] = (
            number
            for number, group in enumerate(self.groups)
            if rule in group.get("rules", ()) or element in group.get("elements", ())
        )
        return next(iter(numbers), None)

    def rank_in_group(self, rule: str, element: str) -> int:
        """How early the group names the rule; 0 where it names elements, or there is no group."""
        number = self.group(rule, element)
        rules = self.groups[number].get("rules", ()) if number is not None else ()
        return rules.index(rule) if rule in rules else 0


def _parse_repair(raw: Mapping[str, Any]) -> Repair:
    return Repair(
        frozenset(raw.get("rules", ())),
        frozenset(raw.get("elements", ())),
        tuple(raw["same"]),
        raw.get("own", False),
        raw.get("copied", False),
        raw.get("inside", ""),
    )
