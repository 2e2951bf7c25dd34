"""Which function finds the places where two bodies rest on an equivalence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolcall_conformance.findings import MISSING, Finding, Tolerated
from toolcall_conformance.jsonvalue import resolve
from toolcall_conformance.translation.pair import Pair


@dataclass(frozen=True, slots=True)
class Bodies:
    """Two bodies as they stand (``before``, ``after``), and the pair of their readings with its calls aligned."""

    pair: Pair
    before: Any
    after: Any

    def source(self, pointer: str | None) -> Any:
        """What stands at a place of the source; MISSING where nothing does."""
        return _at(self.before, pointer)

    def output(self, pointer: str | None) -> Any:
        """What stands at a place of the output; MISSING where nothing does."""
        return _at(self.after, pointer)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place of the output, and one of the source, that say the same in different words."""

    pointer: str
    source_pointer: str | None = None
    want: Any = MISSING
    got: Any = MISSING


Tolerance = Callable[[Bodies], Iterator[Occurrence]]
#: The functions by the name of their equivalence, which is a folder of ``corpus/equivalences``.
TOLERANCES: Final[dict[str, Tolerance]] = {}


def tolerance(name: str) -> Callable[[Tolerance], Tolerance]:
    """Register a function under the name of its equivalence."""

    def register(function: Tolerance) -> Tolerance:
        if name in TOLERANCES:  # pragma: no cover - for whoever writes the next one
            raise ValueError(f"two functions for the equivalence {name}")
        TOLERANCES[name] = function
        return function

    return register


def tolerated(pair: Pair, source: Any, output: Any, found: Iterable[Finding]) -> Iterator[Tolerated]:
    """The differences that were accepted. What ``found`` reports as a MUST at a place was not accepted there."""
    bodies = Bodies(pair, source, output)
    refused = {
        place
        for finding in found
        if finding.is_must
        for place in (("output", finding.pointer), ("source", finding.source_pointer))
        if place[1]
    }
    for name, function in TOLERANCES.items():
        known = set()
        for place in _places(function, bodies):
            key = (place.pointer, place.source_pointer)
            if key not in known and not refused & {("output", key[0]), ("source", key[1])}:
                known.add(key)
                yield Tolerated(name, place.pointer, place.source_pointer, place.want, place.got)


def _places(function: Tolerance, bodies: Bodies) -> list[Occurrence]:
    try:
        return list(function(bodies))
    except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
        return []  # nested so deep that nothing can be said


def _at(body: Any, pointer: str | None) -> Any:
    try:
        return MISSING if pointer is None else resolve(body, pointer)
    except LookupError:  # pragma: no cover - a reading points at what is there
        return MISSING
