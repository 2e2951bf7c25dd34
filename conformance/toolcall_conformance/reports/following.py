"""Findings that another one of their item brings along: no repair of their own mends them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from toolcall_conformance.findings import MISSING, OneOf
from toolcall_conformance.reports.harm import Harm, Where
from toolcall_conformance.reports.seen import Seen, Told


def without_followers(told: list[Told], harm: Harm) -> list[Told]:
    """Findings of one item without those that follow from others, whose rules go to these."""
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
    return where is Where.ITEM or (one.body == other.body and _NEAR[where](one, other))


def _is_on_one_subject(one: Seen, other: Seen) -> bool:
    """Whether two findings are about one thing: ``result of call 1, shell`` is about ``call 1, shell``, too."""
    here, there = one.subject, other.subject
    return bool(here and there) and (here.endswith(there) or there.endswith(here))


def _has_one_value(one: Seen, other: Seen) -> bool:
    return isinstance(one.got, str) and one.got == other.got


def _misses_one_thing(one: Seen, other: Seen) -> bool:
    """Whether what the one misses is what the other misses, or one of its choices."""
    if any(each.got is not MISSING for each in (one, other)):
        return False
    here, there = (each.want.values if isinstance(each.want, OneOf) else (each.want,) for each in (one, other))
    return any(isinstance(value, str) and value in there for value in here)


def _is_around(one: Seen, other: Seen) -> bool:
    here, there = one.pointer, other.pointer
    return here == there or there.startswith(f"{here}/") or here.startswith(f"{there}/")


def _is_at_one_place(one: Seen, other: Seen) -> bool:
    return one.pointer == other.pointer and (one.difference == "lost") == (other.difference == "lost")


_NEAR: Mapping[Where, Callable[[Seen, Seen], bool]] = {
    Where.BODY: lambda _one, _other: True,
    Where.WAY_BACK: lambda one, _other: one.key.way_back,
    Where.SUBJECT: _is_on_one_subject,
    Where.VALUE: _has_one_value,
    Where.WANT: _misses_one_thing,
    Where.AROUND: _is_around,
    Where.SAME: _is_at_one_place,
    Where.REPLY: lambda one, other: other.put_together and not one.put_together,
}
