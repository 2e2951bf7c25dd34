"""The table of operators, and the list of faults that are known to be seen by nobody: ``corpus/mutations``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.library import Corpus, CorpusError, read_json
from toolcall_conformance.trust.nodes import PlacedValue, matches
from toolcall_conformance.trust.operators.catalogue import OPERATORS


@dataclass(frozen=True, slots=True)
class Applies:
    """What an operator applies to: members, items or both; values of some kinds, or of any; bodies or conversations.

    ``donates``: it needs the like output of another case.
    """

    name: str
    place: str | None
    values: frozenset[str]
    across: bool = False
    donates: bool = False

    def fits(self, node: PlacedValue) -> bool:
        return self.place in (None, node.place) and (not self.values or node.kind in self.values)

    def is_in(self, direction: str) -> bool:
        """Whether it applies to what is translated in a direction."""
        return self.across == (direction == "loop")


@dataclass(frozen=True, slots=True)
class MutationPattern:
    """Which mutations an entry is about: no name means all of them; ``paths`` are pointers with ``*`` and ``**``.

    ``cases`` are the only ones of the corpus in which it is about them.
    """

    operators: frozenset[str]
    directions: frozenset[str]
    formats: frozenset[str]
    elements: frozenset[str]
    paths: tuple[str, ...]
    cases: frozenset[str] = frozenset()

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> MutationPattern:
        return cls(
            frozenset(raw.get("operators", ())),
            frozenset(raw.get("directions", ())),
            frozenset(raw.get("formats", ())),
            frozenset(raw.get("elements", ())),
            tuple(raw.get("paths", ())),
            frozenset(raw.get("cases", ())),
        )

    def is_for(self, direction: str, name: str, operator: str, element: str) -> bool:
        """Whether it is about a fault in a body of the format ``name``, wherever in it."""
        conditions = (
            (self.operators, operator),
            (self.directions, direction),
            (self.formats, name),
            (self.elements, element),
        )
        return all(not allowed or value in allowed for allowed, value in conditions)

    def is_of(self, place: str) -> bool:
        """Whether it is about faults at the place of this name, which begins with its case."""
        return not self.cases or place.partition("::")[0] in self.cases

    def is_at(self, pointer: str) -> bool:
        """Whether it is about a fault at this pointer."""
        return not self.paths or any(matches(path, pointer) for path in self.paths)


class MutationTable:
    """The files of ``corpus/mutations`` as objects. Raises CorpusError for a file that is not there or not right."""

    def __init__(self, corpus: Corpus) -> None:
        folder = corpus.root / "mutations"
        raw = read_json(folder / "operators.json")
        self.operators = tuple(_operators(raw["operators"]))
        self.elements: Mapping[str, Mapping[str, Any]] = raw["elements"]
        self.tops = {key: element for element, keys in raw["tops"].items() for key in keys}
        self.blind = tuple((MutationPattern.of(entry), entry) for entry in raw["blind"])
        self.equivalent = tuple((MutationPattern.of(entry), entry) for entry in raw["equivalent"])
        reviewed = read_json(folder / "reviewed.json")
        self.reviewed = tuple((MutationPattern.of(entry), entry) for entry in reviewed["survivors"])
        self.open = tuple((MutationPattern.of(entry), entry) for entry in reviewed["open"])

    def told_as(self, element: str) -> Sequence[str]:
        """The elements of findings that are about an element."""
        elements: Sequence[str] = self.elements[element]["told_as"]
        return elements

    def operator(self, name: str) -> Applies:
        """The operator of that name. Raises LookupError."""
        return next(operator for operator in self.operators if operator.name == name)


def _operators(raw: Mapping[str, Mapping[str, Any]]) -> Iterator[Applies]:
    if raw.keys() != OPERATORS.keys():
        differing = ", ".join(sorted(raw.keys() ^ OPERATORS.keys()))
        raise CorpusError(f"mutations/operators.json and the operators that there are differ in: {differing}")
    for name, entry in raw.items():
        values = frozenset(entry.get("values", ()))
        yield Applies(name, entry.get("place"), values, "across" in entry, "donor" in entry)
