"""A root cause: findings that one repair mends, with the simplest item that shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.occurrence import CHECK_ORDER, LEVELS, Occurrence, sort_checks
from toolcall_conformance.reports.item_record import ItemRecord

# By a part of a body's label: the words for requests and for replies.
_DIRECTIONS = (("request", "in requests"), ("response", "in replies"))


@dataclass(slots=True)
class RootCause:
    """One fault of the translator, with its findings.

    ``echoes`` are its repetitions in whole conversations. ``other_rules`` are the rules that it breaks in addition,
    each with its element. ``harm`` is the weight of its gravest items. ``direction`` is ``in requests`` or ``in
    replies`` if another cause of the same rule is in the other direction, else empty. ``mark`` tells it
    from the causes that have its rule and way: the formats of its bodies, its place, or both.
    """

    occurrences: list[Occurrence]
    echoes: list[Occurrence] = field(default_factory=list)
    other_rules: dict[str, str] = field(default_factory=dict)
    place: str = ""
    harm: float = 0
    direction: str = ""
    mark: str = ""

    @property
    def rule(self) -> str:
        return self.occurrences[0].rule

    @property
    def element(self) -> str:
        return self.occurrences[0].element

    @property
    def level_number(self) -> int:
        """The level of its gravest finding as a number; 0 is the gravest."""
        return min(occurrence.level for occurrence in self.occurrences)

    @property
    def level(self) -> str:
        """The level of its gravest finding."""
        return LEVELS[self.level_number]

    @property
    def formats(self) -> list[str]:
        """The formats of the wrong bodies."""
        return sorted({occurrence.finding["format"] for occurrence in self.occurrences})

    @property
    def items(self) -> list[ItemRecord]:
        """Its items, each once, in the order of the run."""
        return list({occurrence.item.nodeid: occurrence.item for occurrence in self.occurrences}.values())

    @property
    def code_lines(self) -> dict[str, int]:
        """The lines of the translator's code in its findings, each with their number, the most frequent first."""
        lines = Counter(occurrence.finding["code"] for occurrence in self.occurrences if "code" in occurrence.finding)
        return dict(lines.most_common())

    @property
    def loop_item_count(self) -> int:
        """The number of further items of whole conversations in which it occurs."""
        return len({occurrence.item.nodeid for occurrence in self.echoes} - {item.nodeid for item in self.items})

    @property
    def directions(self) -> frozenset[str]:
        """``in requests``, ``in replies``, or both."""
        return frozenset(
            word for occurrence in self.occurrences for part, word in _DIRECTIONS if part in occurrence.finding["body"]
        )

    @property
    def is_known(self) -> bool:
        """Whether its findings are known failures: all are, or none."""
        return self.occurrences[0].is_known

    @property
    def fails(self) -> bool:
        """Whether it fails an item."""
        return any("standing" in occurrence.finding for occurrence in self.occurrences)

    @property
    def example(self) -> Occurrence:
        """Its simplest finding: grave before mild, whole before streamed, plain before variants, small."""
        return min((occurrence for occurrence in self.occurrences if occurrence.rule == self.rule), key=simplicity)

    def rule_texts(self, rules: Mapping[str, Rule]) -> Rule | None:
        """Return its rule with the texts for the example; None if the corpus does not have the rule."""
        return rules[self.rule].about(self.example.finding["message"]) if self.rule in rules else None

    def absorb(self, root: RootCause) -> None:
        """Add the rules and echoes of another root that is the same fault."""
        self.other_rules |= {root.rule: root.element, **root.other_rules}
        self.echoes += root.echoes

    def to_json(self) -> dict[str, Any]:
        """Return the entry of a JSON report."""
        checks = Counter(item.check for item in self.items)
        return {
            "rule": self.rule,
            "other_rules": sorted(self.other_rules),
            "level": self.level,
            "element": self.element,
            "formats": self.formats,
            "place": self.place,
            "checks": {name: checks[name] for name in sort_checks(checks)},
            "routes": sorted({f"{item.client}-to-{item.upstream}" for item in self.items}),
            "cases": len({item.case for item in self.items}),
            "items": len(self.items),
            "also_in_the_loop": self.loop_item_count,
            "known": self.is_known,
            "example": self.example.item.nodeid,
        }


def simplicity(occurrence: Occurrence) -> tuple[Any, ...]:
    item = occurrence.item
    return (
        occurrence.level,
        item.variant is not None,
        CHECK_ORDER.index(item.check) if item.check in CHECK_ORDER else len(CHECK_ORDER),
        len(item.findings) > 1,
        item.size,
        item.nodeid,
    )
