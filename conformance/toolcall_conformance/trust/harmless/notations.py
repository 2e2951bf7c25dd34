"""Another legal notation of the same, as the corpus describes it, and the operators that rewrite to it, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.trust.nodes import matches, nodes

_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Site:
    """A place of a body that can be rewritten; ``choice`` names the other notation, where there are several."""

    pointer: str
    choice: str = ""


@dataclass(frozen=True, slots=True)
class Notation:
    """An entry of ``corpus/mutations/variants.json``. ``raw`` has what its operator alone reads."""

    name: str
    operator: str
    formats: frozenset[str]
    directions: frozenset[str]
    paths: tuple[str, ...]
    raw: Mapping[str, Any]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Notation:
        formats, directions = frozenset(raw["formats"]), frozenset(raw["directions"])
        return cls(raw["name"], raw["operator"], formats, directions, tuple(raw.get("paths", ())), raw)

    def is_for(self, name: str, direction: str, side: str) -> bool:
        """Whether it is one for bodies of a format and a direction, and for this side of a translation."""
        return name in self.formats and direction in self.directions and side in self.raw.get("sides", (side,))

    def fits(self, value: Any) -> bool:
        """Whether a value has what ``where``, ``having`` and ``lacking`` ask for."""
        conditions = self.raw.get("where", {}).items()
        if any(value_at(value, place) != expected for place, expected in conditions):
            return False
        if any(value_at(value, place) in (_NOTHING, None, "") for place in self.raw.get("having", ())):
            return False
        return all(value_at(value, place) in (_NOTHING, None) for place in self.raw.get("lacking", ()))


Sites = Callable[[Notation, Any], Iterable[Site]]
Change = Callable[[Notation, Any, Site], None]


@dataclass(frozen=True, slots=True)
class Operator:
    """Where it applies, and how it changes a body in place. The change raises Unfit where there is nothing to do."""

    sites: Sites
    change: Change


REWRITERS: dict[str, Operator] = {}


def rewriter(sites: Sites) -> Callable[[Change], Change]:
    """Enter an operator under the name of the function that changes a body."""

    def enter(change: Change) -> Change:
        REWRITERS[change.__name__.strip("_").replace("_", "-")] = Operator(sites, change)
        return change

    return enter


def value_at(value: Any, pointer: str) -> Any:
    """The value at a pointer; one that equals no other where there is none."""
    try:
        return resolve(value, pointer)
    except LookupError:
        return _NOTHING


def is_there(value: Any, pointer: str) -> bool:
    return value_at(value, pointer) is not _NOTHING


def matching_sites(notation: Notation, body: Any) -> Iterator[Site]:
    """The places that the paths name and whose values fit; the empty path is the body itself."""
    if "" in notation.paths and notation.fits(body):
        yield Site("")
    for node in nodes(body):
        if any(matches(path, node.pointer) for path in notation.paths) and notation.fits(node.value):
            yield Site(node.pointer)


def whole(_spelling: Notation, _body: Any) -> Iterator[Site]:
    """The whole body."""
    yield Site("")


def with_choices(sites: Sites, *choices: str) -> Sites:
    """Each site once with each choice."""

    def all_of_them(notation: Notation, body: Any) -> Iterator[Site]:
        for site in sites(notation, body):
            for choice in choices:
                yield Site(site.pointer, choice)

    return all_of_them
