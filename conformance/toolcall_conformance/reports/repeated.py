"""Findings that only repeat others: of one body in other words, or in the loop what a request or reply shows alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from toolcall_conformance.reports.following import without_followers
from toolcall_conformance.reports.harm import Harm
from toolcall_conformance.reports.root_cause import RootCause
from toolcall_conformance.reports.seen import LEVELS, Key, Seen, Told, gravity


def without_repetitions(found: list[Seen], harm: Harm) -> Iterator[Told]:
    """Findings without those that say the same of one body, or follow from others; with the rules of those left out."""
    items: defaultdict[str, defaultdict[tuple[str, str], list[Seen]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        items[one.item.nodeid][one.body].append(one)
    for bodies in items.values():
        yield from without_followers([each for same in bodies.values() for each in _each_once(same, harm)])


def _each_once(same: list[Seen], harm: Harm) -> Iterator[Told]:
    """Findings on one body without those that say the same in other words."""
    exact = min(((one.known, one.level) for one in same if one.rule not in harm.echoes), default=(True, len(LEVELS)))
    plain = [one for one in same if one.rule not in harm.echoes or (one.known, one.level) < exact]
    groups: defaultdict[Any, list[Seen]] = defaultdict(list)
    for number, one in enumerate(plain):
        group = harm.group(one.rule, one.element)
        # Findings of one rule are as many faults; only other rules repeat it.
        groups[("alone", number) if group is None else group].append(one)
    for alike in groups.values():
        rules = {one.rule for one in alike}
        first = min(alike, key=lambda one: (one.known, _follows_from(one, rules), *gravity(one, harm))).rule
        others = {one.rule: one.element for one in alike if one.rule != first}
        yield from ((one, dict(others)) for one in alike if one.rule == first)


def _follows_from(one: Seen, rules: Collection[str]) -> bool:
    """Whether a finding is the consequence of one of some rules in the same body."""
    because = one.finding.get("because")
    return because is not None and not because.get("in_source") and because["rule"] in rules


def fold_loops(groups: dict[Key, RootCause], told: list[Told], harm: Harm) -> None:
    """Move what the loop and round trips repeat to the root that shows it by itself."""
    shown: defaultdict[tuple[Any, ...], list[tuple[Key, int]]] = defaultdict(list)
    for one, others in told:
        if not one.whole:
            for key in [key for rule in {one.rule: one.element, **others}.items() for key in _kinds(*rule, harm)]:
                shown[*key, one.item.case, one.item.client, one.item.upstream].append((one.key, one.level))
    for root in groups.values():
        rest = []
        for one in root.seen:
            if not one.whole:  # of tens of thousands in one body, each would be held against all
                rest.append(one)
                continue
            item = one.item
            same = [key for key in _kinds(one.rule, one.element, harm) if key[1] is not None]
            before = [(rule, None) for rule, _ in harm.consequences.leading(one.rule, way_back=False)]
            ends = [(item.client, item.upstream), (item.upstream, item.client)]
            there = [
                other
                for key in [*same, *before]
                for pair in (ends if item.check == "round_trip" else ends[:1])
                for other, level in shown.get((*key, item.case, *pair), ())
                if (other[0], level) <= (one.known, one.level)
            ]
            if there:
                alone = one.key._replace(way_back=False)
                groups[alone if alone in there else there[0]].echoed.append(one)
            else:
                rest.append(one)
        root.seen = rest


def _kinds(rule: str, element: str, harm: Harm) -> list[tuple[str, Any]]:
    """What a finding of the loop must share with another: rule and element, the group of what says the same, or that
    it follows from such a rule.
    """
    group = harm.group(rule, element)
    return [(rule, element), (rule, None), *([("", group)] if group is not None else [])]
