"""Findings that need no repair of their own: they say in other words, or bring along, what another one says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.reports.harm import Harm, Where
from toolcall_conformance.reports.root_cause import RootCause
from toolcall_conformance.reports.seen import LEVELS, Key, Seen, gravity

# A finding, and the rules that it stands for with it, each with its element.
Told = tuple[Seen, dict[str, str]]


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
        told = []
        for alike in groups.values():
            first = min(alike, key=lambda one: gravity(one, harm)).rule
            others = {one.rule: one.element for one in alike if one.rule != first}
            told += [(one, dict(others)) for one in alike if one.rule == first]
        yield from _without_followers(told, harm)


def _without_followers(told: list[Told], harm: Harm) -> list[Told]:
    """Findings on one body without those that follow from others, whose rules go to these."""
    by_rule: defaultdict[str, list[int]] = defaultdict(list)
    for number, (one, _) in enumerate(told):
        by_rule[one.rule].append(number)
    leaders = {
        number: found for number in range(len(told)) if (found := _leader(number, told, by_rule, harm)) is not None
    }
    for number in leaders:
        first = number
        while first in leaders:  # no rule follows from itself
            first = leaders[first]
        one, others = told[number]
        told[first][1].update({one.rule: one.element, **others})
    return [each for number, each in enumerate(told) if number not in leaders]


def _leader(number: int, told: list[Told], by_rule: Mapping[str, list[int]], harm: Harm) -> int | None:
    """The number of the first finding that another one follows from, and that is as grave."""
    one = told[number][0]
    found = (
        other
        for rule, where in harm.leading(one.rule)
        for other in by_rule.get(rule, ())
        # Of one rule's findings the first leads.
        if (rule != one.rule or other < number)
        and _gravity(told[other][0]) <= _gravity(one)
        and _is_near(told[other][0], one, where)
    )
    return next(found, None)


def _gravity(one: Seen) -> tuple[bool, int]:
    return one.known, one.level


def _is_near(one: Seen, other: Seen, where: Where) -> bool:
    if where is Where.REPLY:
        return other.put_together and not one.put_together
    if where is Where.SUBJECT:
        return _is_on_one_subject(one.subject, other.subject)
    if where is Where.VALUE:
        return isinstance(one.finding.get("got"), str) and one.finding["got"] == other.finding.get("got")
    here, there = (str(each.finding["pointer"]) for each in (one, other))
    if where is Where.AROUND:
        return here == there or there.startswith(f"{here}/") or here.startswith(f"{there}/")
    if where is Where.SAME:
        return here == there and (one.difference == "lost") == (other.difference == "lost")
    return True


def _is_on_one_subject(one: str, other: str) -> bool:
    """Whether two findings are about one thing: ``result of call 1, shell`` is about ``call 1, shell``, too."""
    return bool(one and other) and (one.endswith(other) or other.endswith(one))


def fold_loops(groups: dict[Key, RootCause], told: list[Told], harm: Harm) -> None:
    """Move what the loop and round trips repeat to the root that shows it by itself."""
    shown: defaultdict[tuple[Any, ...], list[tuple[Key, int]]] = defaultdict(list)
    for one, others in told:
        if not one.whole:
            for key in [key for rule in {one.rule: one.element, **others}.items() for key in _kinds(*rule, harm)]:
                shown[*key, one.item.case, one.item.client, one.item.upstream].append((one.key, one.level))
    for name, root in groups.items():
        rest = []
        for one in root.seen:
            item = one.item
            same = [key for key in _kinds(one.rule, one.element, harm) if key[1] is not None]
            ends = [(item.client, item.upstream), (item.upstream, item.client)]
            there = [
                other
                for key in [*same, *((rule, None) for rule, _ in harm.leading(one.rule))]
                for pair in (ends if item.check == "round_trip" else ends[:1])
                for other, level in shown.get((*key, item.case, *pair), ())
                if (other[0], level) <= (one.known, one.level)
            ]
            if one.whole and there:
                groups[name if name in there else there[0]].echoed.append(one)
            else:
                rest.append(one)
        root.seen = rest


def _kinds(rule: str, element: str, harm: Harm) -> list[tuple[str, Any]]:
    """What a finding of the loop must share with another: rule and element, the group of what says the same, or that
    it follows from such a rule.
    """
    group = harm.group(rule, element)
    return [(rule, element), (rule, None), *([("", group)] if group is not None else [])]
