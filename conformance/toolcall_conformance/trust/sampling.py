"""Which faults are made: all, or a sample spread evenly over operators, routes, elements and members."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from toolcall_conformance.trust.mutation import Mutation, SoundOutput, Workshop
from toolcall_conformance.trust.nodes import PlacedValue
from toolcall_conformance.trust.operators.catalogue import Unfit
from toolcall_conformance.trust.places import DIRECTIONS, Direction, Place, places
from toolcall_conformance.trust.table import Applies

TRIES = 40
"""The number of cases in a row without a fault after which a lot ends."""

NODES = 12
"""At how many members of one body it is tried."""


@dataclass(frozen=True, slots=True)
class Lot:
    """The faults of one operator on one route in one direction: ``limit`` of them, or all."""

    direction: Direction
    client: str
    upstream: str
    operator: str
    limit: int | None
    seed: int

    @property
    def name(self) -> str:
        return f"{self.direction} {self.client} {self.upstream} {self.operator}"


def lots(
    formats: tuple[str, ...], operators: Sequence[Applies], count: int | None, seed: int, *, same: bool = False
) -> list[Lot]:
    """The lots of a run between all pairs of formats, those of one route together; ``count`` is shared out evenly.

    ``same``: on routes with one format on both ends, too.
    """
    routes = [(client, upstream) for client in formats for upstream in formats if same or client != upstream]
    entries = [
        (way, *route, operator.name)
        for way in DIRECTIONS
        for route in routes
        for operator in operators
        if operator.is_in(way)
    ]
    return [
        Lot(*entry, limit, seed) for entry, limit in zip(entries, share_out(count, len(entries), seed), strict=True)
    ]


def share_out(count: int | None, parts: int, seed: int) -> list[int | None]:
    """How many each of so many parts gets of ``count``, evenly, the rest by lot; None, which means all, without one."""
    if count is None:
        return [None] * parts
    share, rest = divmod(count, parts)
    extra = set(random.Random(seed).sample(range(parts), rest))  # noqa: S311 - no secret is drawn
    return [share + (part in extra) for part in range(parts)]


class Sampler:
    """Makes the faults of lots, in a workshop; in some cases of the corpus alone, if they are named."""

    def __init__(self, workshop: Workshop, cases: Sequence[str] = ()) -> None:
        self.workshop = workshop
        self.cases = tuple(cases) or tuple(workshop.harness.corpus.cases)
        self.places = lru_cache(maxsize=400)(self._places)

    def mutations(self, lot: Lot) -> Iterator[Mutation]:
        """The faults of a lot, judged."""
        candidates = self._all(lot) if lot.limit is None else islice(self._some(lot), lot.limit)
        for baseline, node, output in candidates:
            yield self.workshop.judge_output(baseline, lot.operator, node.pointer, output)

    def _places(self, direction: Direction, client: str, upstream: str, case: str) -> list[Place]:
        shop = self.workshop
        return places(shop.driver, shop.harness, shop.harness.corpus.cases[case], direction, (client, upstream))

    def of_case(self, lot: Lot, case: str) -> list[Place]:
        """The places of a case for a lot."""
        return self.places(lot.direction, lot.client, lot.upstream, case)

    def donor_output(self, lot: Lot, place: Place) -> Any:
        """The output of the next case on the same route; None where there is none."""
        cases = self.cases
        next_index = cases.index(place.case) + 1
        for case in cases[next_index:] + cases[:next_index]:
            candidates = self.of_case(lot, case) if case != place.case else []
            if candidates:
                return candidates[0].output
        return None

    def _all(self, lot: Lot) -> Iterator[tuple[SoundOutput, PlacedValue, Any]]:
        applies = self.workshop.table.operator(lot.operator)
        for case in self.cases:
            for place in self.of_case(lot, case):
                baseline = self.workshop.baseline(place)
                for node in baseline.nodes if baseline else ():
                    output = self._output(lot, place, applies, node)
                    if baseline and output is not None:
                        yield baseline, node, output

    def _some(self, lot: Lot) -> Iterator[tuple[SoundOutput, PlacedValue, Any]]:
        """One fault a place, at the members that were damaged least so far; the places in a random order."""
        drawn = random.Random(f"{lot.seed} {lot.name}")  # noqa: S311 - see above
        applies = self.workshop.table.operator(lot.operator)
        cases = list(self.cases)
        counts: Counter[str] = Counter()
        done: set[tuple[str, str]] = set()
        in_vain = 0
        while in_vain < TRIES:
            drawn.shuffle(cases)
            for case in cases:
                candidate = self._one(lot, case, applies, drawn, counts, done)
                in_vain = in_vain + 1 if candidate is None else 0
                if candidate is not None:
                    yield candidate

    def _one(
        self,
        lot: Lot,
        case: str,
        applies: Applies,
        drawn: random.Random,
        counts: Counter[str],
        done: set[tuple[str, str]],
    ) -> tuple[SoundOutput, PlacedValue, Any] | None:
        at = self.of_case(lot, case)
        place = drawn.choice(at) if at else None
        baseline = self.workshop.baseline(place) if place is not None else None
        if place is None or baseline is None:
            return None
        fitting = [node for node in baseline.nodes if applies.fits(node) and (place.name, node.pointer) not in done]
        drawn.shuffle(fitting)
        keys = {node.pointer: _keys(baseline, node) for node in fitting}
        fitting.sort(key=lambda node: [counts[key] for key in keys[node.pointer]])
        for node in fitting[:NODES]:
            output = self._output(lot, place, applies, node)
            if output is not None:
                counts.update(keys[node.pointer])
                done.add((place.name, node.pointer))
                return baseline, node, output
        return None

    def _output(self, lot: Lot, place: Place, applies: Applies, node: PlacedValue) -> Any:
        """The damaged output; None where the operator changes nothing."""
        if not applies.fits(node):
            return None
        donor = self.donor_output(lot, place) if applies.donates else None
        try:
            return self.workshop.apply(place, lot.operator, node.pointer, donor)
        except Unfit:
            return None


def _keys(baseline: SoundOutput, node: PlacedValue) -> tuple[str, ...]:
    """By what faults are spread: the element, then the member. Of an event the member alone tells the element."""
    pattern = baseline.pattern(node.pointer)
    return (pattern,) if baseline.place.direction == "stream" else (baseline.element(node.pointer), pattern)
