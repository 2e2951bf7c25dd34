"""The order and grouping of faults in reports: ``translation/harm.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.judge.consequences import ConsequenceTable, consequence_table
from toolcall_conformance.library import Corpus


@dataclass(frozen=True, slots=True)
class Repair:
    """Faults that one repair mends: those of these rules or elements that share what ``same`` names.

    ``own``: only rules of the format itself; ``copied``: only faults that the source has, too; ``inside``: only kinds
    of places that contain this text; ``want``: only where one of these words is expected; ``source_formats``: only in
    bodies that were translated from one of these; ``feature``: only faults with this feature; ``checks``: only those
    that show in these checks alone.
    """

    rules: frozenset[str]
    elements: frozenset[str]
    same: tuple[str, ...]
    own: bool = False
    copied: bool = False
    inside: str = ""
    want: frozenset[str] = frozenset()
    source_formats: frozenset[str] = frozenset()
    feature: str = ""
    checks: frozenset[str] = frozenset()

    def applies_to(self, rule: str, element: str) -> bool:
        """Whether findings of this rule on this element may be such faults."""
        return rule in self.rules or element in self.elements


@dataclass(frozen=True, slots=True)
class Harm:
    """The harm of faults.

    ``steps`` order rules and elements from the most harmful on; ``groups`` are synonyms; ``echoes`` are rules that only
    repeat others; ``repairs`` are faults that one repair mends; ``never_first`` are rules that only hide others.
    """

    steps: tuple[Mapping[str, Any], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    echoes: frozenset[str] = frozenset()
    consequences: ConsequenceTable = field(default_factory=ConsequenceTable)
    repairs: tuple[Repair, ...] = ()
    never_first: frozenset[str] = frozenset()

    @classmethod
    def of(cls, corpus: Corpus) -> Harm:
        """Read the harm table of a corpus."""
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
        """Return the step of a fault; 0 is the most harmful."""
        for key, name in (("rules", rule), ("elements", element)):
            for number, step in enumerate(self.steps):
                if name in step.get(key, ()):
                    return number
        return len(self.steps)

    def weight(self, rule: str, element: str) -> float:
        """Return the weight of an item with this fault."""
        rank = self.rank(rule, element)
        return float(self.steps[rank]["weight"]) if rank < len(self.steps) else 1.0

    def is_detail(self, rule: str, element: str) -> bool:
        """Whether calls, results and words come first, however often it shows: settings and bookkeeping."""
        rank = self.rank(rule, element)
        return rank < len(self.steps) and bool(self.steps[rank].get("last", False))

    def group(self, rule: str, element: str) -> int | None:
        """Return the number of the group of synonyms, or None."""
        numbers: Iterable[int] = (
            number
            for number, group in enumerate(self.groups)
            if rule in group.get("rules", ()) or element in group.get("elements", ())
        )
        return next(iter(numbers), None)

    def companions(self, rule: str, element: str, others: Iterable[str]) -> str:
        """Return those of other rules of one body that show another fault of the rule's group, as one word."""
        number = self.group(rule, element)
        apart = self.groups[number].get("apart", ()) if number is not None else ()
        return "+".join(sorted({rule, *others}.intersection(apart)))

    def rank_in_group(self, rule: str, element: str) -> int:
        """Return the position of the rule in its group; 0 if the group has elements only, or there is none."""
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
        frozenset(raw.get("want", ())),
        frozenset(raw.get("from", ())),
        raw.get("feature", ""),
        frozenset(raw.get("checks", ())),
    )
