"""``corpus/quick.json``: the chosen items, and the shares that they were found to kill."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.checks import CHECKS, ONE_FORMAT, variants
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.trust.classes import CHECK
from toolcall_conformance.trust.quick import Chosen

WAYS = 2
"""How many cases come in for a way to play one that no fault was made in."""

Items = dict[str, dict[str, list[str]]]
"""By check, then by the last part of a node id: the cases."""


def content(corpus: Corpus, chosen: Sequence[Chosen], count: int | None, seed: int) -> Mapping[str, Any]:
    """The file as JSON, in the order of checks, routes and cases."""
    cases_by_check: dict[str, dict[str, set[str]]] = {}
    for selection in chosen:
        check, route = CHECK[selection.direction], f"{selection.client}-to-{selection.upstream}"
        there = {case.id for case in _ways(corpus, check, selection.client, selection.upstream).get("", ())}
        cases_by_check.setdefault(check, {}).setdefault(route, set()).update(there.intersection(selection.cases))
    for check, name, cases in _others(corpus, cases_by_check):
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


def _others(
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
