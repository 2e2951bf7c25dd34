"""Findings that another one of their item brings along: no repair of their own mends them."""

from __future__ import annotations

from toolcall_conformance.reports.seen import Seen, Told

_Place = tuple[str, str, str]


def without_followers(told: list[Told]) -> list[Told]:
    """Findings of one item without those that follow from others, whose rules go to these.

    The judge says of each what it follows from. One that is known does not lead one that is new.
    """
    numbers: dict[_Place, int] = {}
    for number, (one, others) in enumerate(told):
        for rule in (one.rule, *others):
            numbers.setdefault((*one.body, rule), number)
    exact = {(*one.body, one.rule, one.pointer): number for number, (one, _) in reversed([*enumerate(told)])}
    leaders: dict[int, int] = {}
    for number, (one, _) in enumerate(told):
        place = _cause_of(one)
        first = exact.get(place, numbers.get(place[:3])) if place is not None else None
        if first is not None and first != number and _gravity(told[first][0]) <= _gravity(one):
            leaders[number] = first
    for number in leaders:
        first = number
        while first in leaders:  # no finding follows from itself
            first = leaders[first]
        one, others = told[number]
        told[first][1].update({one.rule: one.element, **others})
    return [each for number, each in enumerate(told) if number not in leaders]


def _cause_of(one: Seen) -> tuple[str, str, str, str] | None:
    because = one.finding.get("because")
    if because is None or because.get("in_source"):
        return None
    node, _ = one.body
    return node, because.get("body", "").partition(",")[0], because["rule"], because.get("pointer", "")


def _gravity(one: Seen) -> tuple[bool, int]:
    return one.known, one.level
