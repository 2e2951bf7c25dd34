"""How much of what the whole corpus kills ``@quick`` kills, by faults that it was not chosen by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from toolcall_conformance.trust.classes import CHECK, Hosts, class_of, killed
from toolcall_conformance.trust.loops import PLAYED
from toolcall_conformance.trust.matrix import cell
from toolcall_conformance.trust.mutation import Mutation
from toolcall_conformance.trust.sampling import Lot, Sampler

Items = Mapping[str, Mapping[str, Sequence[str]]]
Cells = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Share:
    """Of one route and direction: how many faults the corpus killed, and of how many ``@quick`` kills the class.

    ``cells`` are the cells of the matrix with a fault that was killed, ``quick_cells`` those in which one of these is
    of a class that ``@quick`` kills. ``missed`` are the faults whose class it does not kill.
    """

    direction: str
    client: str
    upstream: str
    faults: int
    cells: Cells
    quick_cells: Cells
    missed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data, with the cells counted."""
        counts = {"cells": len(self.cells), "quick_cells": len(self.quick_cells)}
        return {**asdict(self), **counts, "missed": list(self.missed)}


@dataclass(frozen=True, slots=True)
class Measuring:
    """Measures the lots of one route and direction."""

    items: Items

    def __call__(self, sampler: Sampler, lots: Sequence[Lot]) -> list[tuple[list[Mutation], Share]]:
        lot, made = lots[0], [one for each in lots for one in sampler.made(each)]
        grave = [one for one in made if killed(one)]
        hosts = Hosts(sampler, lot)
        known = {wanted: self._kills(hosts, wanted) for wanted in {class_of(one) for one in grave}}
        seen = [one for one in grave if known[class_of(one)]]
        missed = tuple(one.name for one in grave if not known[class_of(one)])
        share = Share(lot.direction, lot.client, lot.upstream, len(grave), _cells(grave), _cells(seen), missed)
        return [(made, share)]

    def _kills(self, hosts: Hosts, wanted: tuple[str, str, str]) -> bool:
        found = self._cases(hosts.lot).items()
        return any(hosts.hosts(case, wanted) and hosts.kills(case, wanted, checks) for case, checks in found)

    def _cases(self, lot: Lot) -> Mapping[str, tuple[str, ...]]:
        """The chosen cases on a route, each with the checks that play it and may see a fault of this direction."""
        route, cases = f"{lot.client}-to-{lot.upstream}", dict[str, tuple[str, ...]]()
        for check in PLAYED if lot.direction == "loop" else (CHECK[lot.direction],):
            for case in self.items.get(check, {}).get(route, ()):
                cases[case] = (*cases.get(case, ()), check)
        return cases


def _cells(made: Iterable[Mutation]) -> Cells:
    return frozenset(cell(one) for one in made)


def lines(shares: Sequence[Share]) -> Iterator[str]:
    """A table: by route, by direction and in all, faults and cells that the corpus kills, and the shares of @quick."""
    yield f"{'faults':>8} {'quick':>7} {'cells':>8} {'quick':>7}"
    groups: dict[str, list[Share]] = {}
    for one in shares:
        groups.setdefault(f"{one.client}-to-{one.upstream}", []).append(one)
    for one in shares:
        groups.setdefault(one.direction, []).append(one)
    for name, group in {**groups, "in all": list(shares)}.items():
        count, found = total(group)
        cells, quick = cells_of(group)
        yield f"{count:8,} {_percent(found, count)} {cells:8,} {_percent(quick, cells)}  {name}"


def total(shares: Sequence[Share]) -> tuple[int, int]:
    """How many faults the corpus killed, and of how many ``@quick`` kills the class."""
    count = sum(one.faults for one in shares)
    return count, count - sum(len(one.missed) for one in shares)


def cells_of(shares: Sequence[Share]) -> tuple[int, int]:
    """How many cells, each counted on each route, the corpus and ``@quick`` kill."""
    return sum(len(one.cells) for one in shares), sum(len(one.quick_cells) for one in shares)


def _percent(part: int, of: int) -> str:
    return f"{part / of:7.1%}" if of else f"{'-':>7}"
