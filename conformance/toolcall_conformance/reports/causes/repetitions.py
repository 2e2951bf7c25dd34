"""Findings that only repeat others or follow from them: in one body, in one item, or in the loop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from toolcall_conformance.basics.findings import Finding, Verdict
from toolcall_conformance.judge.causes import cause_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.occurrence import LEVELS, Key, Seen, Told, gravity
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord


def without_repetitions(occurrences: list[Seen], harm: Harm) -> Iterator[Told]:
    """Findings without those that say the same of one body, or follow from others; with the rules of those left out."""
    items: defaultdict[str, defaultdict[tuple[str, str], list[Seen]]] = defaultdict(lambda: defaultdict(list))
    for occurrence in occurrences:
        items[occurrence.item.nodeid][occurrence.body].append(occurrence)
    for bodies in items.values():
        yield from without_followers([each for same in bodies.values() for each in _each_once(same, harm)])


def _each_once(same: list[Seen], harm: Harm) -> Iterator[Told]:
    """Findings on one body without those that say the same in other words."""
    exact = min(
        ((occurrence.known, occurrence.level) for occurrence in same if occurrence.rule not in harm.echoes),
        default=(True, len(LEVELS)),
    )
    plain = [
        occurrence
        for occurrence in same
        if occurrence.rule not in harm.echoes or (occurrence.known, occurrence.level) < exact
    ]
    groups: defaultdict[Any, list[Seen]] = defaultdict(list)
    for number, occurrence in enumerate(plain):
        group = harm.group(occurrence.rule, occurrence.element)
        # Findings of one rule are as many faults; only other rules repeat it.
        groups[("alone", number) if group is None else group].append(occurrence)
    for alike in groups.values():
        rules = {occurrence.rule for occurrence in alike}
        first = min(
            alike,
            key=lambda occurrence: (occurrence.known, _follows_from(occurrence, rules), *gravity(occurrence, harm)),
        ).rule
        others = {occurrence.rule: occurrence.element for occurrence in alike if occurrence.rule != first}
        yield from ((occurrence, dict(others)) for occurrence in alike if occurrence.rule == first)


def _follows_from(occurrence: Seen, rules: Collection[str]) -> bool:
    """Whether a finding is the consequence of one of some rules in the same body."""
    because = occurrence.finding.get("because")
    return because is not None and not because.get("in_source") and because["rule"] in rules


def fold_loops(groups: dict[Key, RootCause], entries: list[Told], harm: Harm) -> None:
    """Move what the loop and round trips repeat to the root that shows it by itself."""
    direct_keys: defaultdict[tuple[Any, ...], list[tuple[Key, int]]] = defaultdict(list)
    for occurrence, others in entries:
        if not occurrence.whole:
            for key in [
                key for rule in {occurrence.rule: occurrence.element, **others}.items() for key in _kinds(*rule, harm)
            ]:
                direct_keys[*key, occurrence.item.case, occurrence.item.client, occurrence.item.upstream].append(
                    (occurrence.key, occurrence.level)
                )
    for root in groups.values():
        rest = []
        for occurrence in root.seen:
            if not occurrence.whole:  # of tens of thousands in one body, each would be held against all
                rest.append(occurrence)
                continue
            item = occurrence.item
            same = [key for key in _kinds(occurrence.rule, occurrence.element, harm) if key[1] is not None]
            before = [(rule, None) for rule, _ in harm.consequences.causes_of(occurrence.rule, way_back=False)]
            ends = [(item.client, item.upstream), (item.upstream, item.client)]
            there = [
                other
                for key in [*same, *before]
                for pair in (ends if item.check == "round_trip" else ends[:1])
                for other, level in direct_keys.get((*key, item.case, *pair), ())
                if (other[0], level) <= (occurrence.known, occurrence.level)
            ]
            if there:
                alone = occurrence.key._replace(way_back=False)
                groups[alone if alone in there else there[0]].echoed.append(occurrence)
            else:
                rest.append(occurrence)
        root.seen = rest


def _kinds(rule: str, element: str, harm: Harm) -> list[tuple[str, Any]]:
    """What a finding of the loop must share with another: rule and element, the group of what says the same, or that
    it follows from such a rule.
    """
    group = harm.group(rule, element)
    return [(rule, element), (rule, None), *([("", group)] if group is not None else [])]


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


def companions(
    findings: Sequence[Finding], corpus: Corpus, *, check: str, client: str, upstream: str
) -> dict[str, str]:
    """By rule the one that it goes with, for each rule of which no finding of the item stands by itself."""
    item = ItemRecord.of(
        nodeid="",
        case="",
        check=check,
        client=client,
        upstream=upstream,
        verdict=Verdict.FAIL,
        outcome="failed",
        findings=findings,
        facts=lambda finding: {"signature": str(cause_of(corpus, finding))},
    )
    entries = list(without_repetitions([Seen(item, finding) for finding in item.findings], Harm.of(corpus)))
    alone = {occurrence.rule for occurrence, _ in entries}
    return {rule: occurrence.rule for occurrence, others in reversed(entries) for rule in others if rule not in alone}
