"""Root causes by the place of the source: what the reader of one format loses, it loses toward all other formats.

A finding names the place in the source that it is about. If findings of one rule on the same kind of place show toward
every other format that was played, the reader of the source is at fault, whatever each format makes of the loss. If
instead all sources show it toward one format, that format's writer is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.occurrence import Occurrence
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.features import format_independent
from toolcall_conformance.reports.item_record import ItemRecord

_TRANSLATION = "translation/"
_INDEX = re.compile(r"/\d+(?=/|$)")
# A text is a value, or the text of the only part of a list.
_TEXT_OF_A_PART = re.compile(r"/\*/text$")
_NO_PLACE = ""
# In so many cases a format's own rule must hold from one reader that is broken from the other.
_MIN_CASES_TRIED = 5


class _Reader(NamedTuple):
    """The key of findings that one reader may cause: a rule on a kind of place in a source format's bodies."""

    is_known: bool
    kind: int | str
    element: str
    feature: str
    is_request: bool
    source: str
    place: str


class PlayedRoutes:
    """The routes of a run, and the cases that were played on each."""

    def __init__(self, items: Iterable[ItemRecord]) -> None:
        self._case_ids: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
        for item in items:
            if item.outcome != "skipped":
                self._case_ids[item.check, item.client, item.upstream].add(item.case)

    def cases_of(self, root: RootCause) -> set[str]:
        """Return the cases that were played in the checks and on the routes of a root."""
        places = {(item.check, item.client, item.upstream) for item in root.items}
        return set().union(*(self._case_ids[place] for place in places))

    def targets_of(self, source: str, *, is_request: bool) -> set[str]:
        """Return the other formats to which bodies of a source format were translated."""
        return {target for ways, start, target in self._ways if ways == is_request and start == source} - {source}

    def sources_of(self, target: str, *, is_request: bool) -> set[str]:
        """Return the other formats from which bodies of a target format were translated."""
        return {start for ways, start, end in self._ways if ways == is_request and end == target} - {target}

    @cached_property
    def _ways(self) -> set[tuple[bool, str, str]]:
        return {
            (check == "request", client, upstream) if check == "request" else (False, upstream, client)
            for check, client, upstream in self._case_ids
        }


def source_place(occurrence: Occurrence) -> str:
    """Return the kind of place in the source of a finding: ``/tools/*/functionDeclarations/*/parameters``.

    Inside a schema it is the schema's place. Empty if it is not known. Gemini's names in snake_case stay apart: who
    does not read them reads the others.
    """
    pointer = occurrence.finding.get("source_pointer")
    if not isinstance(pointer, str):
        return _NO_PLACE
    place = _INDEX.sub("/*", pointer).partition("/properties")[0]
    return _TEXT_OF_A_PART.sub("", place)


def split_by_member(roots: Iterable[RootCause]) -> Iterator[RootCause]:
    """Split roots whose losses come from several top-level members of one source format, as tools and functions."""
    for root in roots:
        members: defaultdict[str, defaultdict[str, list[Occurrence]]] = defaultdict(lambda: defaultdict(list))
        for occurrence in root.occurrences:
            place = source_place(occurrence)
            if place and not occurrence.is_conversation and occurrence.got is MISSING:
                members[occurrence.source][place.lstrip("/").partition("/")[0]].append(occurrence)
        for by_member in members.values():
            largest = max(by_member, key=lambda member: len(by_member[member]))
            for member, part in by_member.items():
                if member != largest:
                    yield _move_findings([root], part)
        yield root


def split_readers(roots: Iterable[RootCause], played: PlayedRoutes) -> Iterator[RootCause]:
    """Split roots of several source formats that show in other cases each, though these were played from each.

    One fault of a writer shows in the cases of each reader. A format's own rule may need what only one source has, so
    it takes several cases to part these.
    """
    for root in roots:
        parts: defaultdict[str, list[Occurrence]] = defaultdict(list)
        for occurrence in root.occurrences:
            parts[occurrence.reader].append(occurrence)
        kinds = {occurrence.is_conversation for occurrence in root.occurrences}
        if len(parts) > 1 and len(kinds) == 1:
            for part in _separate_readers([RootCause(part) for part in parts.values()], played):
                if len(part) < len(root.occurrences):
                    yield _move_findings([root], part)
        if root.occurrences:
            yield root


def _separate_readers(parts: list[RootCause], played: PlayedRoutes) -> list[list[Occurrence]]:
    """Return the findings of all parts that are apart from the largest one, those together that their cases join."""
    groups: list[list[RootCause]] = []
    for part in sorted(parts, key=lambda part: -len(part.occurrences)):
        group = next((group for group in groups if any(not _are_apart(part, other, played) for other in group)), None)
        if group is None:
            groups.append([part])
        else:
            group.append(part)
    return [[occurrence for part in group for occurrence in part.occurrences] for group in groups[1:]]


def _are_apart(left: RootCause, right: RootCause, played: PlayedRoutes) -> bool:
    """Whether two roots have no case in common, though cases of one were played where the other shows."""
    ours, theirs = ({item.case for item in root.items} for root in (left, right))
    tried = ours & played.cases_of(right) | theirs & played.cases_of(left)
    needed = 1 if left.rule.startswith(_TRANSLATION) else _MIN_CASES_TRIED
    return not ours & theirs and len(tried) >= needed


def join_readers(roots: Iterable[RootCause], played: PlayedRoutes, harm: Harm) -> list[RootCause]:
    """Join what the reader of one source format loses toward every other played format into one root."""
    root_causes = list(roots)
    readers: defaultdict[_Reader, list[tuple[RootCause, Occurrence]]] = defaultdict(list)
    for root in root_causes:
        for occurrence in root.occurrences:
            if occurrence.rule.startswith(_TRANSLATION) and source_place(occurrence):
                readers[_reader(occurrence, harm)].append((root, occurrence))
    for reader, pairs in readers.items():
        targets = {str(each.finding["format"]) for _, each in pairs if not each.is_conversation} - {reader.source}
        if len(targets) < 2 or targets != played.targets_of(reader.source, is_request=reader.is_request):
            continue
        holders = list({id(root): root for root, _ in pairs}.values())
        if len(holders) > 1 and not any(
            _is_writer_fault(root, played, is_request=reader.is_request) for root in holders
        ):
            taken = _move_findings(holders, [occurrence for _, occurrence in pairs])
            for root in holders:
                _move_rest(root, taken, reader)
            root_causes.append(taken)
    return [root for root in root_causes if root.occurrences]


def join_source_places(roots: Iterable[RootCause]) -> list[RootCause]:
    """Join roots of one rule, format and kind of place in the source that differ in where the output lacks something.

    What is lost is reported at the nearest thing that is left, which depends on its neighbours.
    """
    root_causes: list[RootCause] = []
    first: dict[tuple[object, ...], RootCause] = {}
    for root in roots:
        lost = [occurrence for occurrence in root.occurrences if not occurrence.is_conversation]
        places = {(occurrence.source, source_place(occurrence)) for occurrence in lost}
        if len(places) == 1 and all(place for _, place in places) and all(each.got is MISSING for each in lost):
            features = frozenset(occurrence.feature for occurrence in lost)
            key = (root.is_known, root.rule, root.element, features, *root.formats, root.directions, *places)
            other = first.setdefault(key, root)
            if other is not root:
                other.occurrences += root.occurrences
                other.absorb(root)
                continue
        root_causes.append(root)
    return root_causes


def _reader(occurrence: Occurrence, harm: Harm) -> _Reader:
    group = harm.group(occurrence.rule, occurrence.element)
    return _Reader(
        occurrence.is_known,
        occurrence.rule if group is None else group,
        occurrence.element,
        format_independent(occurrence.feature),
        # A whole conversation is compared with what the client sent first.
        occurrence.is_conversation or "request" in occurrence.finding["body"],
        occurrence.reader,
        source_place(occurrence),
    )


def _is_writer_fault(root: RootCause, played: PlayedRoutes, *, is_request: bool) -> bool:
    """Whether a root occurs with all of several sources: then the writer of its format is at fault."""
    sources = {occurrence.source for occurrence in root.occurrences if not occurrence.is_conversation}
    possible = set().union(*(played.sources_of(target, is_request=is_request) for target in root.formats))
    return len(possible) > 1 and possible <= sources


def _move_findings(roots: Iterable[RootCause], occurrences: list[Occurrence]) -> RootCause:
    """Move findings from their roots into a new root, and return it."""
    moved = set(map(id, occurrences))
    taken = RootCause(list(occurrences))
    for root in roots:
        root.occurrences = [occurrence for occurrence in root.occurrences if id(occurrence) not in moved]
        taken.other_rules |= root.other_rules
    return taken


def _move_rest(root: RootCause, taken: RootCause, reader: _Reader) -> None:
    """Move the rest of a root, too, if it occurs only in whole conversations of the reader's format."""
    side = "client" if reader.is_request else "upstream"
    if all(
        occurrence.is_conversation and getattr(occurrence.item, side) == reader.source
        for occurrence in root.occurrences
    ):
        taken.occurrences += root.occurrences
        taken.echoes += root.echoes
        root.occurrences = []
