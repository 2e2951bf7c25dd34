"""Findings that only repeat others: of one body in other words, or in the loop what a request or reply shows alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.reports.harm import Harm
from toolcall_conformance.reports.root_cause import Key, RootCause
from toolcall_conformance.reports.seen import LEVELS, Seen, gravity


def without_repetitions(found: list[Seen], harm: Harm) -> Iterator[tuple[Seen, dict[str, str]]]:
    """Findings without those that say the same of one body in other words; with the rules of those left out."""
    bodies: defaultdict[tuple[str, str], list[Seen]] = defaultdict(list)
    for one in found:
        bodies[one.body].append(one)
    for same in bodies.values():
        exact = min(
            ((one.known, one.level) for one in same if one.rule not in harm.echoes), default=(True, len(LEVELS))
        )
        plain = [one for one in same if one.rule not in harm.echoes or (one.known, one.level) < exact]
        groups: defaultdict[Any, list[Seen]] = defaultdict(list)
        for number, one in enumerate(plain):
            group = harm.group(one.rule, one.element)
            # Findings of one rule are as many faults; only other rules repeat it.
            groups[("alone", number) if group is None else group].append(one)
        for alike in groups.values():
            first = min(alike, key=lambda one: gravity(one, harm)).rule
            others = {one.rule: one.element for one in alike if one.rule != first}
            yield from ((one, others) for one in alike if one.rule == first)


def fold_loops(groups: dict[Key, RootCause], harm: Harm) -> None:
    """Move what the loop and round trips repeat to the root that shows it by itself."""
    shown: defaultdict[tuple[Any, ...], list[tuple[Key, int]]] = defaultdict(list)
    for name, root in groups.items():
        for one in root.seen:
            if not one.whole:
                for key in _kinds(one, harm):
                    shown[*key, one.item.case, one.item.client, one.item.upstream].append((name, one.level))
    for name, root in groups.items():
        rest = []
        for one in root.seen:
            item = one.item
            ends = [(item.client, item.upstream), (item.upstream, item.client)]
            there = [
                other
                for key in _kinds(one, harm)
                for pair in (ends if item.check == "round_trip" else ends[:1])
                for other, level in shown.get((*key, item.case, *pair), ())
                if (other[0], level) <= (one.known, one.level)
            ]
            if one.whole and there:
                groups[name if name in there else there[0]].echoed.append(one)
            else:
                rest.append(one)
        root.seen = rest


def _kinds(one: Seen, harm: Harm) -> list[tuple[str, Any]]:
    """What a finding must share with one of the loop: rule and element, or the group of what says the same."""
    element = one.element
    group = harm.group(one.rule, element)
    return [(one.rule, element), *([("", group)] if group is not None else [])]
