"""Findings that another one of their item brings along: no repair of their own mends them."""

from __future__ import annotations

from toolcall_conformance.reports.seen import Seen, Told


def without_followers(told: list[Told]) -> list[Told]:
    """Findings of one item without those that follow from others, whose rules go to these.

    The judge names the cause of each. A cause that is a known failure does not lead a finding that is new.
    """
    at_place: dict[tuple[str, str, str, str], int] = {}
    of_rule: dict[tuple[str, str, str], int] = {}
    for number, (finding, others) in enumerate(told):
        at_place.setdefault((*finding.body, finding.rule, finding.pointer), number)
        for rule in (finding.rule, *others):
            of_rule.setdefault((*finding.body, rule), number)
    leaders: dict[int, int] = {}
    for number, (finding, _) in enumerate(told):
        cause = _cause_of(finding)
        first = at_place.get(cause, of_rule.get(cause[:3])) if cause is not None else None
        if first is not None and first != number and _gravity(told[first][0]) <= _gravity(finding):
            leaders[number] = first
    for number in leaders:
        first = number
        while first in leaders:  # no finding follows from itself
            first = leaders[first]
        finding, others = told[number]
        told[first][1].update({finding.rule: finding.element, **others})
    return [each for number, each in enumerate(told) if number not in leaders]


def _cause_of(seen: Seen) -> tuple[str, str, str, str] | None:
    because = seen.finding.get("because")
    if because is None or because.get("in_source"):
        return None
    node, _ = seen.body
    return node, because.get("body", "").partition(",")[0], because["rule"], because.get("pointer", "")


def _gravity(seen: Seen) -> tuple[bool, int]:
    return seen.known, seen.level
