"""Root causes that are one fault seen twice, and so are told as one."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_conformance.reports.harm import Harm
from toolcall_conformance.reports.root_cause import RootCause
from toolcall_conformance.reports.seen import LEVELS, Seen, gravity

# Of two formats' faults with one source, so many of the cases must be the same.
_SAME_CASES = 0.75

_Value = tuple[tuple[str, str], str, str, str]


def join_places(found: Iterable[RootCause], harm: Harm) -> list[RootCause]:
    """Join roots whose findings are on wrong values that another root's are on, too."""
    roots = [root for root in found if root.seen]
    roots.sort(key=lambda root: (min(gravity(one, harm)[:3] for one in root.seen), -len(root.seen)))
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


def join_streams(roots: list[RootCause], harm: Harm) -> list[RootCause]:
    """Join what is wrong with the reply of a stream to what mixed up its events, if it never stands without."""
    kept = []
    mixed = [(root, brought) for root in roots if (brought := harm.brings(root.rule, root.element))]
    for root in roots:
        replies = all(one.put_together for one in root.seen)
        causes = [other for other, brought in mixed if root.element in brought and _is_in_all_bodies(other, root)]
        if replies and causes:
            causes[0].take(root)
        else:
            kept.append(root)
    return kept


def _is_in_all_bodies(cause: RootCause, root: RootCause) -> bool:
    """Whether ``cause`` stands in all bodies of ``root``, weighing as much."""
    levels: dict[tuple[str, str], int] = {}
    for one in cause.seen:
        levels[one.body] = min(one.level, levels.get(one.body, one.level))
    grave = all(levels.get(one.body, len(LEVELS)) <= one.level for one in root.seen)
    return grave and cause.known <= root.known


def join_formats(roots: list[RootCause]) -> list[RootCause]:
    """Join roots that differ in the format alone: a fault of what reads the source, or of what all formats share."""
    kept: list[RootCause] = []
    alike: defaultdict[tuple[Any, ...], list[RootCause]] = defaultdict(list)
    for root in roots:
        place = root.seen[0].place
        # Pointers differ from format to format, names of settings do not.
        key = root.known, root.rule, root.element, root.seen[0].difference, "" if place.startswith("/") else place
        for other in alike[key]:
            if _differ_in_format(root, other):
                other.seen += root.seen
                other.take(root)
                break
        else:
            alike[key].append(root)
            kept.append(root)
    return kept


def _differ_in_format(root: RootCause, other: RootCause) -> bool:
    """Whether two roots show at the same places of the same sources, in bodies of different formats."""
    if {*root.formats} & {*other.formats} or not _same_cases(root, other):
        return False
    both = {*root.formats, *other.formats}
    sources, theirs = ({one.source for one in each.seen if not one.whole} for each in (root, other))
    places, there = (_source_places(each) for each in (root, other))
    # Between one format and itself there is often nothing to show.
    return bool(sources and theirs) and sources - both == theirs - both and bool(places & there or places == there)


def _source_places(root: RootCause) -> set[str]:
    found = (one.finding.get("source_pointer") for one in root.seen)
    return {re.sub(r"/\d+", "/*", pointer) for pointer in found if pointer is not None}


def _same_cases(root: RootCause, other: RootCause) -> bool:
    one, two = ({item.case for item in each.items} for each in (root, other))
    return len(one & two) >= _SAME_CASES * len(one | two)
