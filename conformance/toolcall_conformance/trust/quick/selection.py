"""Chooses few items that kill nearly what all kill: ``corpus/quick.json``, the selection ``toolcall::@quick``.

The classes that a run of faults has shown to be killed are covered greedily, the cheapest case for its kills first,
until all are, or until the share of the time is used up. The rest of the time goes to shapes of sources that no chosen
case has yet: a translator may be wrong about its source, wherever it puts that.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.checks import CHECKS, ONE_FORMAT, variants
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.trust.mutation import Mutation
from toolcall_conformance.trust.quick.classes import CHECK, CaseIndex, Class, Shape, class_of, is_killed
from toolcall_conformance.trust.sampling import Lot, Sampler

SHARES = {"request": 0.1, "response": 0.1, "stream": 0.1, "loop": 0.1, "error": 0.5}
"""What part of the time of a direction on a route its chosen items may take; errors are few, and short."""


@dataclass(frozen=True, slots=True)
class QuickSelection:
    """What was chosen on one route in one direction: ``cases``, the best first.

    ``classes`` are those that the run killed, ``covered`` those of them that the cases kill. ``cost`` is the share of
    the time. ``needed`` are the cases that no other can stand in for: only they host some class.
    """

    direction: str
    client: str
    upstream: str
    cases: tuple[str, ...]
    classes: int
    covered: int
    cost: float
    needed: frozenset[str]


def select(sampler: Sampler, lots: Sequence[Lot]) -> list[tuple[list[Mutation], QuickSelection]]:
    """The faults of the lots of one route and direction, judged, and the cases that are chosen by them."""
    mutations = [mutation for lot in lots for mutation in sampler.mutations(lot)]
    return [(mutations, choose_cases(CaseIndex(sampler, lots[0]), mutations))]


def choose_cases(case_index: CaseIndex, mutations: Iterable[Mutation]) -> QuickSelection:
    """The cases for one route and direction, by the faults made there, ``mutations``."""
    counts = Counter(class_of(mutation) for mutation in mutations if is_killed(mutation))
    costs = {case: cost for case in case_index.sampler.cases if (cost := case_index.cost(case))}
    budget = SHARES[case_index.lot.direction] * sum(costs.values())
    hosted = {case: [mutant_class for mutant_class in counts if case_index.hosts(case, mutant_class)] for case in costs}
    cases, left = _cover(case_index, counts, hosted, costs, budget)
    cases += _widen(case_index, cases, costs, budget - sum(costs[case] for case in cases))
    owners = Counter(mutant_class for classes in hosted.values() for mutant_class in classes)
    spent = sum(costs[case] for case in cases) / max(sum(costs.values()), 1)
    alone = frozenset(
        case for case, classes in hosted.items() if any(owners[mutant_class] == 1 for mutant_class in classes)
    )
    lot = case_index.lot
    covered = len(counts) - len(left)
    return QuickSelection(lot.direction, lot.client, lot.upstream, tuple(cases), len(counts), covered, spent, alone)


def _cover(
    case_index: CaseIndex,
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
        current_gain = gain(case)
        if not current_gain or costs[case] > budget:
            continue
        if queue and -current_gain > queue[0][0]:
            heapq.heappush(queue, (-current_gain, case))
        elif kills := {
            mutant_class
            for mutant_class in hosted[case]
            if mutant_class in left and case_index.kills(case, mutant_class)
        }:
            chosen.append(case)
            left -= kills
            budget -= costs[case]
    return chosen, left


def _widen(case_index: CaseIndex, chosen: Sequence[str], costs: Mapping[str, float], budget: float) -> list[str]:
    """More cases within a budget: those that give a translator most shapes that none gives yet.

    A shape counts as often as there are cases with it: what one case has alone is seldom a matter of the format.
    """
    frequent = Counter(shape for case in costs for shape in case_index.shapes(case))
    shapes: set[Shape] = {shape for case in chosen for shape in case_index.shapes(case)}
    cases: list[str] = []
    while True:
        gains = {
            case: sum(frequent[shape] for shape in case_index.shapes(case) if shape not in shapes) / cost
            for case, cost in costs.items()
            if cost <= budget and case not in chosen and case not in cases
        }
        best = max(gains, key=lambda case: (gains[case], case), default="")
        if not best or not gains[best]:
            return cases
        cases.append(best)
        shapes.update(case_index.shapes(best))
        budget -= costs[best]


def lines(chosen: Sequence[QuickSelection], cases: Iterable[str]) -> Iterator[str]:
    """By direction and route the cases, the share of the time, and the classes; the cases that none needs."""
    yield f"{'cases':>6} {'time':>6} {'classes':>8} {'killed':>7}"
    for selection in chosen:
        share = f"{selection.covered / selection.classes:7.1%}" if selection.classes else f"{'-':>7}"
        yield (
            f"{len(selection.cases):6} {selection.cost:6.1%} {selection.classes:8,} {share}  "
            f"{selection.direction} {selection.client}-to-{selection.upstream}"
        )
    alone = {case for selection in chosen for case in selection.needed}
    needless = sorted(set(cases) - alone)
    yield f"cases that kill nothing that another does not: {len(needless)} of {len(needless) + len(alone)}"
    yield from (f"  {case}" for case in needless)


WAYS = 2
"""How many cases come in for a way to play one that no fault was made in."""

Items = dict[str, dict[str, list[str]]]
"""By check, then by the last part of a node id: the cases."""


def content(corpus: Corpus, chosen: Sequence[QuickSelection], count: int | None, seed: int) -> Mapping[str, Any]:
    """The file as JSON, in the order of checks, routes and cases."""
    cases_by_check: dict[str, dict[str, set[str]]] = {}
    for selection in chosen:
        check, route = CHECK[selection.direction], f"{selection.client}-to-{selection.upstream}"
        case_ids = {case.id for case in _ways(corpus, check, selection.client, selection.upstream).get("", ())}
        cases_by_check.setdefault(check, {}).setdefault(route, set()).update(case_ids.intersection(selection.cases))
    for check, name, cases in _other_items(corpus, cases_by_check):
        cases_by_check.setdefault(check, {})[name] = set(cases)
    items = {
        check: {
            name: sorted(cases_by_check[check][name])
            for name in sorted(cases_by_check[check])
            if cases_by_check[check][name]
        }
        for check in CHECKS
        if check in cases_by_check
    }
    return {"faults": count, "seed": seed, "items": items}


def _other_items(
    corpus: Corpus, cases_by_check: Mapping[str, Mapping[str, Iterable[str]]]
) -> Iterator[tuple[str, str, list[str]]]:
    """For each other way to play a case on a route the smallest cases, each of another family."""
    for check in CHECKS:
        for client in corpus.formats:
            for upstream in [client] if check in ONE_FORMAT else corpus.formats:
                place = client if check in ONE_FORMAT else f"{client}-to-{upstream}"
                for name, cases in _ways(corpus, check, client, upstream).items():
                    whole = f"{place}-{name}" if name else place
                    if whole not in cases_by_check.get(check, {}):
                        yield check, whole, _smallest(cases, {client, upstream})


def _ways(corpus: Corpus, check: str, client: str, upstream: str) -> dict[str, list[Case]]:
    cases_by_way: dict[str, list[Case]] = {}
    for case in corpus.cases.values():
        if {client, upstream} <= set(case.formats):
            for name in variants(corpus, check, case, client, upstream):
                cases_by_way.setdefault(name, []).append(case)
    return cases_by_way


def _smallest(cases: Sequence[Case], formats: Iterable[str]) -> list[str]:
    sizes = {case.id: sum(_size(case, name) for name in formats) for case in cases}
    families: dict[str, str] = {}
    for case in sorted(sizes, key=lambda case_id: (sizes[case_id], case_id)):
        families.setdefault(case.split("/")[0], case)
    return [*families.values()][:WAYS]


def _size(case: Case, name: str) -> int:
    return sum(map(case.files.size, case.bodies(name)))
