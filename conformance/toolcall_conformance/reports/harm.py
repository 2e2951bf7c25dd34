"""Which faults to tell first, which findings say the same, and which follow: ``translation/harm.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Where(StrEnum):
    """How near to a fault a finding must be to follow from it."""

    ITEM = "item"
    BODY = "body"
    WAY_BACK = "way_back"  # in the body that a round trip brings back
    SUBJECT = "subject"  # on the same call, result or tool
    AROUND = "around"  # one of the two places is within the other
    SAME = "same"  # at one place, where both miss something or neither does
    VALUE = "value"  # the same text is wrong
    WANT = "want"  # the same value is missing
    REPLY = "reply"  # in the reply that a stream's events make


@dataclass(frozen=True, slots=True)
class Following:
    """Where a finding of one of ``rules`` stands, one of ``follow`` needs no repair of its own."""

    rules: frozenset[str]
    follow: frozenset[str]
    where: Where


@dataclass(frozen=True, slots=True)
class Harm:
    """Ranks by rule and by element, groups of what says the same, rules that only echo others, and what follows."""

    steps: tuple[Mapping[str, Any], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    echoes: frozenset[str] = frozenset()
    following: tuple[Following, ...] = ()

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Harm:
        """Make it of the content of ``translation/harm.json``."""
        return cls(
            tuple(raw["order"]["steps"]),
            tuple(raw["alike"]["groups"]),
            frozenset(raw["echoes"]["rules"]),
            tuple(
                Following(frozenset(row["rules"]), frozenset(row["follow"]), Where(row["where"]))
                for row in raw["follows"]["rows"]
            ),
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

    def leading(self, rule: str) -> list[tuple[str, Where]]:
        """The rules from whose breach one of ``rule`` follows, each with how near it must be."""
        return [(other, row.where) for row in self.following if rule in row.follow for other in row.rules]
