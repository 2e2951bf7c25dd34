"""Root causes that are one fault seen twice, and so are told as one."""

from __future__ import annotations

import bisect
import heapq
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from toolcall_conformance.reports.features import in_any_format
from toolcall_conformance.reports.harm import Harm
from toolcall_conformance.reports.root_cause import RootCause
from toolcall_conformance.reports.seen import Seen, gravity

# Of two formats' faults with one source, so many of the cases must be the same.
_SAME_CASES = 0.75

_Value = tuple[tuple[str, str], str, str, str]


def join_places(found: Iterable[RootCause], harm: Harm) -> list[RootCause]:
    """Join roots whose findings are on wrong values that another root's are on, too."""
    roots = sorted(found, key=lambda root: (min(gravity(one, harm)[:3] for one in root.seen), -len(root.seen)))
    owners: defaultdict[_Value, list[RootCause]] = defaultdict(list)
    kept = []
    for root in roots:
        values = [_value(one) for one in root.seen]
        owner = _owner_of_all([value for value in values if value is not None], owners) if None not in values else None
        if owner is not None:
            owner.take(root)
            continue
        kept.append(root)
        for value in values:
            if value is not None:
                owners[value].append(root)
    return kept


def _value(one: Seen) -> _Value | None:
    """The one wrong value that a finding is on; None where that is not known, or holds more than one."""
    finding = one.finding
    # What is absent may be missed by one rule in an object, and something else by another.
    if not finding["pointer"] or isinstance(finding.get("got", {}), (dict, list)):
        return None
    return one.body, finding["format"], finding["pointer"], json.dumps(finding["got"])


def _owner_of_all(places: list[tuple[Any, ...]], owners: Mapping[tuple[Any, ...], list[RootCause]]) -> RootCause | None:
    """The root of the first place that stands at all the other places, too."""
    for root in owners.get(places[0], ()):
        if all(root in owners.get(place, ()) for place in places):
            return root
    return None


def join_formats(roots: Iterable[RootCause]) -> list[RootCause]:
    """Join roots that differ in the format alone: a fault of what reads the source, or of what all formats share."""
    return _joined(roots, _but_for_the_format, _differ_in_format, lambda root: frozenset(root.formats))


def join_depths(roots: Iterable[RootCause]) -> list[RootCause]:
    """Join roots that differ in the depth in a schema alone, and show in the same cases."""
    return _joined(roots, _but_for_the_depth, _same_cases, lambda _root: frozenset())


def _joined(
    roots: Iterable[RootCause],
    key_of: Callable[[RootCause], Hashable],
    is_one: Callable[[RootCause, RootCause], bool],
    apart_in: Callable[[RootCause], frozenset[str]],
) -> list[RootCause]:
    """Join each root to the first one before it that has its key and is one with it.

    Two roots that are one have a case in common, and nothing that they are ``apart_in``.
    """
    kept: list[RootCause] = []
    alike: defaultdict[Hashable, _Alike] = defaultdict(lambda: _Alike(kept, apart_in))
    for root in roots:
        same = alike[key_of(root)]
        for number in same.candidates(root):
            other = kept[number]
            if is_one(root, other):
                same.remove(number)
                other.seen += root.seen
                other.take(root)
                same.add(number)
                break
        else:
            kept.append(root)
            same.add(len(kept) - 1)
    return kept


class _Alike:
    """Roots with one key, by their numbers, found without asking each: a body may have ten thousand causes."""

    def __init__(self, kept: list[RootCause], apart_in: Callable[[RootCause], frozenset[str]]) -> None:
        self._kept, self._apart_in = kept, apart_in
        self._groups: defaultdict[str, dict[frozenset[str], list[int]]] = defaultdict(dict)

    def candidates(self, root: RootCause) -> Iterator[int]:
        """The numbers of those that may be one with a root, the first ones first."""
        mine = self._apart_in(root)
        groups = (group for case in _cases(root) for group in self._groups[case].items())
        found = heapq.merge(*(numbers for apart, numbers in groups if not apart & mine))
        return (number for number, _ in itertools.groupby(found))

    def add(self, number: int) -> None:
        """Enter a root as it is now."""
        root = self._kept[number]
        for case in _cases(root):
            bisect.insort(self._groups[case].setdefault(self._apart_in(root), []), number)

    def remove(self, number: int) -> None:
        """Take out a root that is about to change."""
        root = self._kept[number]
        for case in _cases(root):
            numbers = self._groups[case][self._apart_in(root)]
            del numbers[bisect.bisect_left(numbers, number)]


def _but_for_the_format(root: RootCause) -> Hashable:
    one = root.seen[0]
    owner, _, name = root.rule.partition("/")
    if owner == one.finding["format"]:
        # Formats with a rule of one name demand the same of members that may have other names.
        return root.known, name, root.element, one.difference, in_any_format(one.feature), one.place.rpartition("/")[2]
    # Pointers differ from format to format, names of settings do not.
    return (
        root.known,
        root.rule,
        root.element,
        one.difference,
        in_any_format(one.feature),
        "" if one.place.startswith("/") else one.place,
    )


def _but_for_the_depth(root: RootCause) -> Hashable:
    one = root.seen[0]
    return (
        root.known,
        root.rule,
        root.element,
        one.difference,
        one.feature,
        one.finding["format"],
        one.place.replace("/**", ""),
    )


def _differ_in_format(root: RootCause, other: RootCause) -> bool:
    """Whether two roots show at the same places of the same sources, in bodies of different formats."""
    if {*root.formats} & {*other.formats} or not _same_cases(root, other):
        return False
    both = {*root.formats, *other.formats}
    alone, others = ([one for one in each.seen if not one.whole] for each in (root, other))
    if not alone and not others:
        # What the loop lost may have gone on the way down or up; one client alone shows that its format is misread.
        return len({one.source for one in (*root.seen, *other.seen)}) == 1
    sources, theirs = ({one.source for one in each} for each in (alone, others))
    places, there = (_source_places(each) for each in (alone, others))
    # Between one format and itself there is often nothing to show.
    return bool(sources and theirs) and sources - both == theirs - both and bool(places & there or places == there)


def _source_places(seen: Iterable[Seen]) -> set[str]:
    found = (one.finding.get("source_pointer") for one in seen)
    return {re.sub(r"/\d+", "/*", pointer) for pointer in found if pointer is not None}


def _same_cases(root: RootCause, other: RootCause) -> bool:
    one, two = _cases(root), _cases(other)
    return len(one & two) >= _SAME_CASES * len(one | two)


def _cases(root: RootCause) -> set[str]:
    return {item.case for item in root.items}
