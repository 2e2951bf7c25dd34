"""How much of what the whole corpus kills ``@quick`` kills, by faults that it was not chosen by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from toolcall_conformance.trust.loops import CONVERSATION_CHECKS
from toolcall_conformance.trust.matrix import cell
from toolcall_conformance.trust.mutation import Mutation
from toolcall_conformance.trust.quick.classes import CHECK, CaseIndex, class_of, is_killed
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
        lot, mutations = lots[0], [mutation for each in lots for mutation in sampler.mutations(each)]
        grave = [mutation for mutation in mutations if is_killed(mutation)]
        hosts = CaseIndex(sampler, lot)
        kills = {
            mutant_class: self._kills(hosts, mutant_class)
            for mutant_class in {class_of(mutation) for mutation in grave}
        }
        quick_kills = [mutation for mutation in grave if kills[class_of(mutation)]]
        missed = tuple(mutation.name for mutation in grave if not kills[class_of(mutation)])
        share = Share(lot.direction, lot.client, lot.upstream, len(grave), _cells(grave), _cells(quick_kills), missed)
        return [(mutations, share)]

    def _kills(self, hosts: CaseIndex, mutant_class: tuple[str, str, str]) -> bool:
        entries = self._cases(hosts.lot).items()
        return any(
            hosts.hosts(case, mutant_class) and hosts.kills(case, mutant_class, checks) for case, checks in entries
        )

    def _cases(self, lot: Lot) -> Mapping[str, tuple[str, ...]]:
        """The chosen cases on a route, each with the checks that play it and may see a fault of this direction."""
        route, cases = f"{lot.client}-to-{lot.upstream}", dict[str, tuple[str, ...]]()
        for check in CONVERSATION_CHECKS if lot.direction == "loop" else (CHECK[lot.direction],):
            for case in self.items.get(check, {}).get(route, ()):
                cases[case] = (*cases.get(case, ()), check)
        return cases


def _cells(mutations: Iterable[Mutation]) -> Cells:
    return frozenset(cell(mutation) for mutation in mutations)


def lines(shares: Sequence[Share]) -> Iterator[str]:
    """A table: by route, by direction and in all, faults and cells that the corpus kills, and the shares of @quick."""
    yield f"{'faults':>8} {'quick':>7} {'cells':>8} {'quick':>7}"
    groups: dict[str, list[Share]] = {}
    for share in shares:
        groups.setdefault(f"{share.client}-to-{share.upstream}", []).append(share)
    for share in shares:
        groups.setdefault(share.direction, []).append(share)
    for name, group in {**groups, "in all": list(shares)}.items():
        count, kill_count = total(group)
        cells, quick = cells_of(group)
        yield f"{count:8,} {_percent(kill_count, count)} {cells:8,} {_percent(quick, cells)}  {name}"


def total(shares: Sequence[Share]) -> tuple[int, int]:
    """How many faults the corpus killed, and of how many ``@quick`` kills the class."""
    count = sum(share.faults for share in shares)
    return count, count - sum(len(share.missed) for share in shares)


def cells_of(shares: Sequence[Share]) -> tuple[int, int]:
    """How many cells, each counted on each route, the corpus and ``@quick`` kill."""
    return sum(len(share.cells) for share in shares), sum(len(share.quick_cells) for share in shares)


def _percent(part: int, total: int) -> str:
    return f"{part / total:7.1%}" if total else f"{'-':>7}"
