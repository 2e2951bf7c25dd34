"""Circumstances as objects: what lowers the level of findings without being a fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.library.files import CorpusError, read_json, require


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A circumstance of the bodies or of the run, not of a fault, that lowers the level of findings.

    ``at_most`` is the highest level that they can then have. ``rules`` are those that it applies to, and
    ``elements`` the elements of their findings; None for all. ``forms`` are JSON Schemas by rule: of such a rule it
    bears on those findings alone whose ``{"want", "got"}`` the schema takes, where what is absent has no member.
    ``next`` says what to do about a finding under it.
    """

    name: str
    at_most: Level
    rules: frozenset[str] | None
    forms: Mapping[str, Mapping[str, Any]]
    elements: frozenset[str] | None
    explanation: str
    why: str
    next: str
    evidence: tuple[Mapping[str, Any], ...]
    since: str

    def bears_on(self, rule: str, element: str) -> bool:
        """Whether it lowers the level of a finding of ``rule`` about ``element``."""
        return (self.rules is None or rule in self.rules) and (self.elements is None or element in self.elements)


def read_circumstance(path: Path) -> Circumstance:
    """The circumstance in a file; CorpusError for one that is wrong."""
    raw = read_json(path)
    require(path, raw, **dict.fromkeys(("name", "at_most", "explanation", "why", "next", "since"), str), evidence=list)
    if raw["name"] != path.stem:
        raise CorpusError(f"{path}: the name {raw['name']!r} differs from the file's; make the two the same")
    rules = frozenset(raw["rules"]) if "rules" in raw else None
    forms = raw.get("forms", {})
    if not forms.keys() <= (rules or frozenset()):
        raise CorpusError(f"{path}: forms names a rule that rules does not name; add it there")
    return Circumstance(
        name=raw["name"],
        at_most=Level(raw["at_most"]),
        rules=rules,
        forms=forms,
        elements=frozenset(raw["elements"]) if "elements" in raw else None,
        explanation=raw["explanation"],
        why=raw["why"],
        next=raw["next"],
        evidence=tuple(raw["evidence"]),
        since=raw["since"],
    )
