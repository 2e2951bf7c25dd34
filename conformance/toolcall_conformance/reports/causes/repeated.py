"""Findings that only repeat others: of one body in other words, or in the loop what a request or reply shows alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from toolcall_conformance.reports.causes.following import without_followers
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.causes.seen import LEVELS, Key, Seen, Told, gravity


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
            before = [(rule, None) for rule, _ in harm.consequences.leading(occurrence.rule, way_back=False)]
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
