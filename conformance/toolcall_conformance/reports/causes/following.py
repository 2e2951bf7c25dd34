"""Findings that another one of their item brings along: no repair of their own mends them."""

from __future__ import annotations

from toolcall_conformance.reports.causes.seen import Seen, Told


def without_followers(entries: list[Told]) -> list[Told]:
    """Findings of one item without those that follow from others, whose rules go to these.

    The judge names the cause of each. A cause that is a known failure does not lead a finding that is new.
    """
    at_place: dict[tuple[str, str, str, str], int] = {}
    of_rule: dict[tuple[str, str, str], int] = {}
    for number, (finding, others) in enumerate(entries):
        at_place.setdefault((*finding.body, finding.rule, finding.pointer), number)
        for rule in (finding.rule, *others):
            of_rule.setdefault((*finding.body, rule), number)
    leaders: dict[int, int] = {}
    for number, (finding, _) in enumerate(entries):
        cause = _cause_of(finding)
        first = at_place.get(cause, of_rule.get(cause[:3])) if cause is not None else None
        if first is not None and first != number and _gravity(entries[first][0]) <= _gravity(finding):
            leaders[number] = first
    for number in leaders:
        first = number
        while first in leaders:  # no finding follows from itself
            first = leaders[first]
        finding, others = entries[number]
        entries[first][1].update({finding.rule: finding.element, **others})
    return [each for number, each in enumerate(entries) if number not in leaders]


def _cause_of(occurrence: Seen) -> tuple[str, str, str, str] | None:
    because = occurrence.finding.get("because")
    if because is None or because.get("in_source"):
        return None
    node, _ = occurrence.body
    return node, because.get("body", "").partition(",")[0], because["rule"], because.get("pointer", "")


def _gravity(occurrence: Seen) -> tuple[bool, int]:
    return occurrence.known, occurrence.level
