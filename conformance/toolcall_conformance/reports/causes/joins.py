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
from toolcall_conformance.reports.causes.occurrence import Occurrence, gravity
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.causes.sources import PlayedRoutes
from toolcall_conformance.reports.features import format_independent

# The share of cases that faults in two formats must have in common.
_MIN_SHARED_CASES = 0.75

_TRANSLATION = "translation/"

_WrongValue = tuple[tuple[str, str], str, str, str]


def join_places(root_causes: Iterable[RootCause], harm: Harm) -> list[RootCause]:
    """Join roots whose findings are all on the wrong values of another root."""
    roots = sorted(
        root_causes,
        key=lambda root: (
            min(gravity(occurrence, harm)[:3] for occurrence in root.occurrences),
            -len(root.occurrences),
        ),
    )
    owners: defaultdict[_WrongValue, list[RootCause]] = defaultdict(list)
    roots_so_far = []
    for root in roots:
        values = [_wrong_value(occurrence) for occurrence in root.occurrences]
        owner = _common_owner([value for value in values if value is not None], owners) if None not in values else None
        if owner is not None:
            owner.absorb(root)
            continue
        roots_so_far.append(root)
        for value in values:
            if value is not None:
                owners[value].append(root)
    return [root for root in roots_so_far if not _absorb_into_larger(root, owners)]


def _absorb_into_larger(root: RootCause, owners: Mapping[_WrongValue, list[RootCause]]) -> bool:
    """Let a larger root of the format's own rules absorb a root of a translation rule. Return whether one did.

    Two translation rules may report two faults of one value, so only the format's own rules absorb.
    """
    wrong_values = [_wrong_value(occurrence) for occurrence in root.occurrences]
    values = {value for value in wrong_values if value is not None}
    if None in wrong_values or not root.rule.startswith(_TRANSLATION):
        return False
    for owner in owners[next(iter(values))]:
        is_larger = len(owner.items) > len(root.items) and not owner.rule.startswith(_TRANSLATION)
        is_as_grave = (owner.is_known, owner.level_number) == (root.is_known, root.level_number)
        if is_larger and is_as_grave and all(owner in owners[value] for value in values):
            owner.absorb(root)
            return True
    return False


def _wrong_value(occurrence: Occurrence) -> _WrongValue | None:
    """Return the place and text of a finding's wrong value; None if it is unknown or an object or list."""
    finding = occurrence.finding
    # Two rules may miss different members of one object.
    if not finding["pointer"] or isinstance(finding.get("got", {}), (dict, list)):
        return None
    return occurrence.body_key, finding["format"], finding["pointer"], json.dumps(finding["got"])


def _common_owner(places: list[tuple[Any, ...]], owners: Mapping[tuple[Any, ...], list[RootCause]]) -> RootCause | None:
    """Return the first root that owns all these values, or None."""
    for root in owners.get(places[0], ()):
        if all(root in owners.get(place, ()) for place in places):
            return root
    return None


def join_formats(roots: Iterable[RootCause], played: PlayedRoutes) -> list[RootCause]:
    """Join roots that differ only in the format: the reader of the source or shared code has the fault."""
    return _join(
        roots,
        _key_without_format,
        lambda root, other: _differ_in_format(root, other, played),
        lambda root: frozenset(root.formats),
    )


def join_depths(roots: Iterable[RootCause]) -> list[RootCause]:
    """Join roots that differ only in their depth in a schema, and occur in the same cases."""
    return _join(roots, _key_without_depth, _have_same_cases, lambda _root: frozenset())


def _join(
    roots: Iterable[RootCause],
    key_of: Callable[[RootCause], Hashable],
    is_one: Callable[[RootCause, RootCause], bool],
    apart_in: Callable[[RootCause], frozenset[str]],
) -> list[RootCause]:
    """Join each root to the first earlier root with its key for which ``is_one`` is true.

    Such roots have a case in common, and no value of ``apart_in``.
    """
    root_causes: list[RootCause] = []
    alike: defaultdict[Hashable, _RootIndex] = defaultdict(lambda: _RootIndex(root_causes, apart_in))
    for root in roots:
        same = alike[key_of(root)]
        for number in same.candidates(root):
            other = root_causes[number]
            if is_one(root, other):
                same.remove(number)
                other.occurrences += root.occurrences
                other.absorb(root)
                same.add(number)
                break
        else:
            root_causes.append(root)
            same.add(len(root_causes) - 1)
    return root_causes


class _RootIndex:
    """An index of roots with one key, by cases: a body may have ten thousand causes."""

    def __init__(self, roots: list[RootCause], apart_in: Callable[[RootCause], frozenset[str]]) -> None:
        self._kept, self._apart_in = roots, apart_in
        self._groups: defaultdict[str, dict[frozenset[str], list[int]]] = defaultdict(dict)

    def candidates(self, root: RootCause) -> Iterator[int]:
        """Yield, in order, the numbers of the roots that may be one with this root."""
        mine = self._apart_in(root)
        groups = (group for case in _case_ids(root) for group in self._groups[case].items())
        numbers = heapq.merge(*(numbers for apart, numbers in groups if not apart & mine))
        return (number for number, _ in itertools.groupby(numbers))

    def add(self, number: int) -> None:
        """Add a root in its current state."""
        root = self._kept[number]
        for case in _case_ids(root):
            bisect.insort(self._groups[case].setdefault(self._apart_in(root), []), number)

    def remove(self, number: int) -> None:
        """Remove a root that is about to change."""
        root = self._kept[number]
        for case in _case_ids(root):
            numbers = self._groups[case][self._apart_in(root)]
            del numbers[bisect.bisect_left(numbers, number)]


def _key_without_format(root: RootCause) -> Hashable:
    """Return what roots must share to be one fault in several formats."""
    occurrence = root.occurrences[0]
    owner, _, name = root.rule.partition("/")
    if owner == occurrence.finding["format"]:
        # Formats with a rule of one name demand the same of members that may have other names.
        return (
            root.is_known,
            name,
            root.element,
            occurrence.difference,
            format_independent(occurrence.feature),
            occurrence.place.rpartition("/")[2],
        )
    # Pointers differ from format to format, names of settings do not.
    return (
        root.is_known,
        root.rule,
        root.element,
        occurrence.difference,
        format_independent(occurrence.feature),
        "" if occurrence.place.startswith("/") else occurrence.place,
    )


def _key_without_depth(root: RootCause) -> Hashable:
    """Return what roots must share to be one fault at several depths of a schema."""
    occurrence = root.occurrences[0]
    return (
        root.is_known,
        root.rule,
        root.element,
        occurrence.difference,
        occurrence.feature,
        occurrence.finding["format"],
        occurrence.place.replace("/**", ""),
    )


def _differ_in_format(root: RootCause, other: RootCause, played: PlayedRoutes) -> bool:
    """Whether two roots occur at the same places of the same sources, in bodies of different formats."""
    if {*root.formats} & {*other.formats} or not _have_same_cases(root, other, played):
        return False
    both = {*root.formats, *other.formats}
    alone, others = (
        [occurrence for occurrence in each.occurrences if not occurrence.is_conversation] for each in (root, other)
    )
    if not alone and not others:
        # A loop may lose something in requests or in replies; a single client shows that its format is misread.
        return len({occurrence.source for occurrence in (*root.occurrences, *other.occurrences)}) == 1
    sources, theirs = ({occurrence.source for occurrence in each} for each in (alone, others))
    places, there = (_source_places(each) for each in (alone, others))
    # A route within one format often shows nothing.
    return bool(sources and theirs) and sources - both == theirs - both and bool(places & there or places == there)


def _source_places(occurrences: Iterable[Occurrence]) -> set[str]:
    pointers = (occurrence.finding.get("source_pointer") for occurrence in occurrences)
    return {re.sub(r"/\d+", "/*", pointer) for pointer in pointers if pointer is not None}


def _have_same_cases(root: RootCause, other: RootCause, played: PlayedRoutes | None = None) -> bool:
    """Whether two roots show in the same cases, of those that were ``played`` where each of them shows."""
    left, right = _case_ids(root), _case_ids(other)
    if played is not None:
        left, right = left & played.cases_of(other), right & played.cases_of(root)
    return len(left & right) >= _MIN_SHARED_CASES * len(left | right)


def _case_ids(root: RootCause) -> set[str]:
    return {item.case for item in root.items}


# The share of cases and variants that faults of one client must have in common.
_MIN_SHARED_VARIANTS = 0.75


def join_clients(roots: Iterable[RootCause]) -> list[RootCause]:
    """Regroup roots of the loop by client if that explains them: one client fails alike with several providers.

    A loop may lose something in requests or in replies. If a client fails in the same cases and variants with several
    providers, but other clients of these providers do not, the client's format is misread.
    """
    root_causes: list[RootCause] = []
    alike: defaultdict[Hashable, list[RootCause]] = defaultdict(list)
    for root in roots:
        root_causes.append(root)
        if all(occurrence.is_conversation and not occurrence.key.is_way_back for occurrence in root.occurrences):
            alike[root.is_known, root.rule, root.element, root.occurrences[0].difference].append(root)
    for same in alike.values():
        for client in sorted({occurrence.source for root in same for occurrence in root.occurrences}):
            root_causes += _extract_client(same, client)
    return [root for root in root_causes if root.occurrences]


def _extract_client(roots: list[RootCause], client: str) -> list[RootCause]:
    """Move a client's findings with several providers from their roots into one root; empty if there are none."""
    parts = [
        (root, part)
        for root in roots
        if (part := [occurrence for occurrence in root.occurrences if occurrence.source == client])
    ]
    parts = [
        (root, part) for root, part in parts if len(part) == len(root.occurrences) or not _is_like_the_rest(root, part)
    ]
    fitting = [(root, part) for root, part in parts if _have_same_variants(parts[0][1], part)]
    if len(fitting) < 2:
        return []
    client_root = RootCause([])
    for root, part in fitting:
        part_ids = set(map(id, part))
        client_root.occurrences += part
        client_root.other_rules |= root.other_rules
        root.occurrences = [occurrence for occurrence in root.occurrences if id(occurrence) not in part_ids]
    return [client_root]


def _is_like_the_rest(root: RootCause, part: list[Occurrence]) -> bool:
    inside = set(map(id, part))
    return _have_same_variants(part, [occurrence for occurrence in root.occurrences if id(occurrence) not in inside])


def _have_same_variants(left: list[Occurrence], other: list[Occurrence]) -> bool:
    """Whether findings are in mostly the same cases and variants."""
    here, there = ({(each.item.case, each.item.variant) for each in occurrences} for occurrences in (left, other))
    return len(here & there) >= _MIN_SHARED_VARIANTS * len(here | there)
