"""Joins root causes that are one fault seen twice."""

from __future__ import annotations

import bisect
import heapq
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.occurrence import Seen, gravity
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.causes.sources import PlayedRoutes
from toolcall_conformance.reports.features import in_any_format

# Of two formats' faults with one source, so many of the cases must be the same.
_SAME_CASES = 0.75

_Value = tuple[tuple[str, str], str, str, str]


def join_places(root_causes: Iterable[RootCause], harm: Harm) -> list[RootCause]:
    """Join roots whose findings are on wrong values that another root's are on, too."""
    roots = sorted(
        root_causes, key=lambda root: (min(gravity(occurrence, harm)[:3] for occurrence in root.seen), -len(root.seen))
    )
    owners: defaultdict[_Value, list[RootCause]] = defaultdict(list)
    roots_so_far = []
    for root in roots:
        values = [_value(occurrence) for occurrence in root.seen]
        owner = _owner_of_all([value for value in values if value is not None], owners) if None not in values else None
        if owner is not None:
            owner.take(root)
            continue
        roots_so_far.append(root)
        for value in values:
            if value is not None:
                owners[value].append(root)
    return roots_so_far


def _value(occurrence: Seen) -> _Value | None:
    """The one wrong value that a finding is on; None where that is not known, or holds more than one."""
    finding = occurrence.finding
    # What is absent may be missed by one rule in an object, and something else by another.
    if not finding["pointer"] or isinstance(finding.get("got", {}), (dict, list)):
        return None
    return occurrence.body, finding["format"], finding["pointer"], json.dumps(finding["got"])


def _owner_of_all(places: list[tuple[Any, ...]], owners: Mapping[tuple[Any, ...], list[RootCause]]) -> RootCause | None:
    """The root of the first place that stands at all the other places, too."""
    for root in owners.get(places[0], ()):
        if all(root in owners.get(place, ()) for place in places):
            return root
    return None


def join_formats(roots: Iterable[RootCause], played: PlayedRoutes) -> list[RootCause]:
    """Join roots that differ in the format alone: a fault of what reads the source, or of what all formats share."""
    return _joined(
        roots,
        _but_for_the_format,
        lambda root, other: _differ_in_format(root, other, played),
        lambda root: frozenset(root.formats),
    )


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
    root_causes: list[RootCause] = []
    alike: defaultdict[Hashable, _Alike] = defaultdict(lambda: _Alike(root_causes, apart_in))
    for root in roots:
        same = alike[key_of(root)]
        for number in same.candidates(root):
            other = root_causes[number]
            if is_one(root, other):
                same.remove(number)
                other.seen += root.seen
                other.take(root)
                same.add(number)
                break
        else:
            root_causes.append(root)
            same.add(len(root_causes) - 1)
    return root_causes


class _Alike:
    """Roots with one key, by their numbers, found without asking each: a body may have ten thousand causes."""

    def __init__(self, roots: list[RootCause], apart_in: Callable[[RootCause], frozenset[str]]) -> None:
        self._kept, self._apart_in = roots, apart_in
        self._groups: defaultdict[str, dict[frozenset[str], list[int]]] = defaultdict(dict)

    def candidates(self, root: RootCause) -> Iterator[int]:
        """The numbers of those that may be one with a root, the first ones first."""
        mine = self._apart_in(root)
        groups = (group for case in _cases(root) for group in self._groups[case].items())
        numbers = heapq.merge(*(numbers for apart, numbers in groups if not apart & mine))
        return (number for number, _ in itertools.groupby(numbers))

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
    occurrence = root.seen[0]
    owner, _, name = root.rule.partition("/")
    if owner == occurrence.finding["format"]:
        # Formats with a rule of one name demand the same of members that may have other names.
        return (
            root.known,
            name,
            root.element,
            occurrence.difference,
            in_any_format(occurrence.feature),
            occurrence.place.rpartition("/")[2],
        )
    # Pointers differ from format to format, names of settings do not.
    return (
        root.known,
        root.rule,
        root.element,
        occurrence.difference,
        in_any_format(occurrence.feature),
        "" if occurrence.place.startswith("/") else occurrence.place,
    )


def _but_for_the_depth(root: RootCause) -> Hashable:
    occurrence = root.seen[0]
    return (
        root.known,
        root.rule,
        root.element,
        occurrence.difference,
        occurrence.feature,
        occurrence.finding["format"],
        occurrence.place.replace("/**", ""),
    )


def _differ_in_format(root: RootCause, other: RootCause, played: PlayedRoutes) -> bool:
    """Whether two roots show at the same places of the same sources, in bodies of different formats."""
    if {*root.formats} & {*other.formats} or not _same_cases(root, other, played):
        return False
    both = {*root.formats, *other.formats}
    alone, others = ([occurrence for occurrence in each.seen if not occurrence.whole] for each in (root, other))
    if not alone and not others:
        # What the loop lost may have gone on the way down or up; one client alone shows that its format is misread.
        return len({occurrence.source for occurrence in (*root.seen, *other.seen)}) == 1
    sources, theirs = ({occurrence.source for occurrence in each} for each in (alone, others))
    places, there = (_source_places(each) for each in (alone, others))
    # Between one format and itself there is often nothing to show.
    return bool(sources and theirs) and sources - both == theirs - both and bool(places & there or places == there)


def _source_places(occurrences: Iterable[Seen]) -> set[str]:
    pointers = (occurrence.finding.get("source_pointer") for occurrence in occurrences)
    return {re.sub(r"/\d+", "/*", pointer) for pointer in pointers if pointer is not None}


def _same_cases(root: RootCause, other: RootCause, played: PlayedRoutes | None = None) -> bool:
    """Whether two roots show in the same cases, of those that were ``played`` where each of them shows."""
    left, right = _cases(root), _cases(other)
    if played is not None:
        left, right = left & played.cases_of(other), right & played.cases_of(root)
    return len(left & right) >= _SAME_CASES * len(left | right)


def _cases(root: RootCause) -> set[str]:
    return {item.case for item in root.items}


# So many of the cases and variants must be the same.
_SAME_TRIES = 0.75


def join_clients(roots: Iterable[RootCause]) -> list[RootCause]:
    """Part roots of the loop by client where that explains them: the same client fails alike with several providers.

    What a loop lost may have gone on the way down or up. If the clients of one provider fail in other cases and
    variants, and one of them fails with another provider in the same ones, its format is misread.
    """
    root_causes: list[RootCause] = []
    alike: defaultdict[Hashable, list[RootCause]] = defaultdict(list)
    for root in roots:
        root_causes.append(root)
        if all(occurrence.whole and not occurrence.key.way_back for occurrence in root.seen):
            alike[root.known, root.rule, root.element, root.seen[0].difference].append(root)
    for same in alike.values():
        for client in sorted({occurrence.source for root in same for occurrence in root.seen}):
            root_causes += _of_client(same, client)
    return [root for root in root_causes if root.seen]


def _of_client(roots: list[RootCause], client: str) -> list[RootCause]:
    """Take what one client shows with several providers out of their roots, as one root; none if it shows nothing."""
    parts = [
        (root, part)
        for root in roots
        if (part := [occurrence for occurrence in root.seen if occurrence.source == client])
    ]
    parts = [(root, part) for root, part in parts if len(part) == len(root.seen) or not _is_like_the_rest(root, part)]
    fitting = [(root, part) for root, part in parts if _are_same(parts[0][1], part)]
    if len(fitting) < 2:
        return []
    client_root = RootCause([])
    for root, part in fitting:
        part_ids = set(map(id, part))
        client_root.seen += part
        client_root.others |= root.others
        root.seen = [occurrence for occurrence in root.seen if id(occurrence) not in part_ids]
    return [client_root]


def _is_like_the_rest(root: RootCause, part: list[Seen]) -> bool:
    inside = set(map(id, part))
    return _are_same(part, [occurrence for occurrence in root.seen if id(occurrence) not in inside])


def _are_same(left: list[Seen], other: list[Seen]) -> bool:
    """Whether findings are of the same cases and variants."""
    here, there = ({(each.item.case, each.item.variant) for each in occurrences} for occurrences in (left, other))
    return len(here & there) >= _SAME_TRIES * len(here | there)
