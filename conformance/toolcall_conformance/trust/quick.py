"""Chooses few items that kill nearly what all kill: ``corpus/quick.json``, the selection ``toolcall::@quick``.

The classes that a run of faults has shown to be killed are covered greedily, the cheapest case for its kills first,
until all are, or until the share of the time is used up. What is left of that goes to shapes of sources that no chosen
case has yet: a translator may be wrong about what it is given, wherever it puts that.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.trust.classes import Class, Hosts, Shape, class_of, killed
from toolcall_conformance.trust.mutation import Mutation
from toolcall_conformance.trust.sampling import Lot, Sampler

SHARES = {"request": 0.1, "response": 0.1, "stream": 0.1, "loop": 0.1, "error": 0.5}
"""What part of the time of a direction on a route its chosen items may take; errors are few, and short."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen on one route in one direction: ``cases``, the best first.

    ``classes`` are those that the run killed, ``covered`` those of them that the cases kill. ``cost`` is the share of
    the time. ``alone`` are the cases that no other can stand in for: only they host some class.
    """

    direction: str
    client: str
    upstream: str
    cases: tuple[str, ...]
    classes: int
    covered: int
    cost: float
    alone: frozenset[str]


def chosen(sampler: Sampler, lots: Sequence[Lot]) -> list[tuple[list[Mutation], Chosen]]:
    """The faults of the lots of one route and direction, judged, and the cases that are chosen by them."""
    mutations = [mutation for lot in lots for mutation in sampler.made(lot)]
    return [(mutations, choose(Hosts(sampler, lots[0]), mutations))]


def choose(hosts: Hosts, mutations: Iterable[Mutation]) -> Chosen:
    """The cases for one route and direction, by the faults that were ``mutations`` there."""
    counts = Counter(class_of(mutation) for mutation in mutations if killed(mutation))
    costs = {case: cost for case in hosts.sampler.cases if (cost := hosts.cost(case))}
    budget = SHARES[hosts.lot.direction] * sum(costs.values())
    hosted = {case: [mutant_class for mutant_class in counts if hosts.hosts(case, mutant_class)] for case in costs}
    cases, left = _cover(hosts, counts, hosted, costs, budget)
    cases += _widen(hosts, cases, costs, budget - sum(costs[case] for case in cases))
    owners = Counter(mutant_class for classes in hosted.values() for mutant_class in classes)
    spent = sum(costs[case] for case in cases) / max(sum(costs.values()), 1)
    alone = frozenset(
        case for case, classes in hosted.items() if any(owners[mutant_class] == 1 for mutant_class in classes)
    )
    lot = hosts.lot
    covered = len(counts) - len(left)
    return Chosen(lot.direction, lot.client, lot.upstream, tuple(cases), len(counts), covered, spent, alone)


def _cover(
    hosts: Hosts,
    counts: Mapping[Class, int],
    hosted: Mapping[str, Sequence[Class]],
    costs: Mapping[str, float],
    budget: float,
) -> tuple[list[str], set[Class]]:
    """Cases that kill the classes, greedily, and the classes that are left. What a leading case kills is tried."""
    left = set(counts)
    chosen: list[str] = []

    def gain(case: str) -> float:
        return sum(counts[mutant_class] for mutant_class in hosted[case] if mutant_class in left) / costs[case]

    queue = [(-gain(case), case) for case in costs]
    heapq.heapify(queue)
    while queue and left:
        _, case = heapq.heappop(queue)
        now = gain(case)
        if not now or costs[case] > budget:
            continue
        if queue and -now > queue[0][0]:
            heapq.heappush(queue, (-now, case))
        elif kills := {
            mutant_class for mutant_class in hosted[case] if mutant_class in left and hosts.kills(case, mutant_class)
        }:
            chosen.append(case)
            left -= kills
            budget -= costs[case]
    return chosen, left


def _widen(hosts: Hosts, chosen: Sequence[str], costs: Mapping[str, float], budget: float) -> list[str]:
    """More cases within a budget: those that give a translator most shapes that none gives yet.

    A shape counts as often as there are cases with it: what one case has alone is seldom a matter of the format.
    """
    frequent = Counter(shape for case in costs for shape in hosts.shapes(case))
    shapes: set[Shape] = {shape for case in chosen for shape in hosts.shapes(case)}
    cases: list[str] = []
    while True:
        gains = {
            case: sum(frequent[shape] for shape in hosts.shapes(case) if shape not in shapes) / cost
            for case, cost in costs.items()
            if cost <= budget and case not in chosen and case not in cases
        }
        best = max(gains, key=lambda case: (gains[case], case), default="")
        if not best or not gains[best]:
            return cases
        cases.append(best)
        shapes.update(hosts.shapes(best))
        budget -= costs[best]


def lines(chosen: Sequence[Chosen], cases: Iterable[str]) -> Iterator[str]:
    """By direction and route the cases, the share of the time, and the classes; the cases that none needs."""
    yield f"{'cases':>6} {'time':>6} {'classes':>8} {'killed':>7}"
    for selection in chosen:
        share = f"{selection.covered / selection.classes:7.1%}" if selection.classes else f"{'-':>7}"
        yield (
            f"{len(selection.cases):6} {selection.cost:6.1%} {selection.classes:8,} {share}  "
            f"{selection.direction} {selection.client}-to-{selection.upstream}"
        )
    alone = {case for selection in chosen for case in selection.alone}
    needless = sorted(set(cases) - alone)
    yield f"cases that kill nothing that another does not: {len(needless)} of {len(needless) + len(alone)}"
    yield from (f"  {case}" for case in needless)
