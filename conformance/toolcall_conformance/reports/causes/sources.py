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
from toolcall_conformance.reports.causes.occurrence import Seen
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.features import in_any_format
from toolcall_conformance.reports.item_record import ItemRecord

_TRANSLATION = "translation/"
_INDEX = re.compile(r"/\d+(?=/|$)")
# A text is a value, or the text of the only part of a list.
_TEXT_OF_A_PART = re.compile(r"/\*/text$")
_NO_PLACE = ""


class _Reader(NamedTuple):
    """The findings that one reader's fault would make: of a rule, on a kind of place of a source format's bodies."""

    known: bool
    kind: int | str
    element: str
    feature: str
    is_request: bool
    source: str
    place: str


class PlayedRoutes:
    """The routes of a run, and the cases that were played on each."""

    def __init__(self, items: Iterable[ItemRecord]) -> None:
        self._cases: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
        for item in items:
            if item.outcome != "skipped":
                self._cases[item.check, item.client, item.upstream].add(item.case)

    def cases_of(self, root: RootCause) -> set[str]:
        """The cases that were played where a root shows: in its checks, on its routes."""
        places = {(item.check, item.client, item.upstream) for item in root.items}
        return set().union(*(self._cases[place] for place in places))

    def targets_of(self, source: str, *, is_request: bool) -> set[str]:
        """The other formats that bodies of a source format were translated to."""
        return {target for ways, start, target in self._ways if ways == is_request and start == source} - {source}

    def sources_of(self, target: str, *, is_request: bool) -> set[str]:
        """The other formats that bodies of a target format were made from."""
        return {start for ways, start, end in self._ways if ways == is_request and end == target} - {target}

    @cached_property
    def _ways(self) -> set[tuple[bool, str, str]]:
        return {
            (check == "request", client, upstream) if check == "request" else (False, upstream, client)
            for check, client, upstream in self._cases
        }


def source_place(occurrence: Seen) -> str:
    """The kind of place in the source that a finding is about: ``/tools/*/functionDeclarations/*/parameters``.

    Inside a schema it is the schema's place. Empty if it is not known. Gemini's names in snake_case stay apart: who
    does not read them reads the others.
    """
    pointer = occurrence.finding.get("source_pointer")
    if not isinstance(pointer, str):
        return _NO_PLACE
    place = _INDEX.sub("/*", pointer).partition("/properties")[0]
    return _TEXT_OF_A_PART.sub("", place)


def part_members(roots: Iterable[RootCause]) -> Iterator[RootCause]:
    """Part roots whose losses come from several top-level members of one source format, as tools and functions."""
    for root in roots:
        members: defaultdict[str, defaultdict[str, list[Seen]]] = defaultdict(lambda: defaultdict(list))
        for occurrence in root.seen:
            place = source_place(occurrence)
            if place and not occurrence.whole and occurrence.got is MISSING:
                members[occurrence.source][place.split("/")[1]].append(occurrence)
        for by_member in members.values():
            largest = max(by_member, key=lambda member: len(by_member[member]))
            for member, part in by_member.items():
                if member != largest:
                    yield _take_out([root], part)
        yield root


def join_readers(roots: Iterable[RootCause], played: PlayedRoutes, harm: Harm) -> list[RootCause]:
    """Make one root of what one source format's reader loses toward every other format that was played."""
    root_causes = list(roots)
    readers: defaultdict[_Reader, list[tuple[RootCause, Seen]]] = defaultdict(list)
    for root in root_causes:
        for occurrence in root.seen:
            if occurrence.rule.startswith(_TRANSLATION) and source_place(occurrence):
                readers[_reader(occurrence, harm)].append((root, occurrence))
    for reader, pairs in readers.items():
        targets = {str(each.finding["format"]) for _, each in pairs if not each.whole} - {reader.source}
        if len(targets) < 2 or targets != played.targets_of(reader.source, is_request=reader.is_request):
            continue
        holders = list({id(root): root for root, _ in pairs}.values())
        if len(holders) > 1 and not any(_is_writers(root, played, is_request=reader.is_request) for root in holders):
            taken = _take_out(holders, [occurrence for _, occurrence in pairs])
            for root in holders:
                _take_rest(root, taken, reader)
            root_causes.append(taken)
    return [root for root in root_causes if root.seen]


def join_source_places(roots: Iterable[RootCause]) -> list[RootCause]:
    """Join roots of one rule, format and kind of place in the source that differ in where the output lacks something.

    What is lost is reported at the nearest thing that is left, which depends on its neighbours.
    """
    root_causes: list[RootCause] = []
    first: dict[tuple[object, ...], RootCause] = {}
    for root in roots:
        lost = [occurrence for occurrence in root.seen if not occurrence.whole]
        places = {(occurrence.source, source_place(occurrence)) for occurrence in lost}
        if len(places) == 1 and all(place for _, place in places) and all(each.got is MISSING for each in lost):
            features = frozenset(occurrence.feature for occurrence in lost)
            key = (root.known, root.rule, root.element, features, *root.formats, root.ways, *places)
            other = first.setdefault(key, root)
            if other is not root:
                other.seen += root.seen
                other.take(root)
                continue
        root_causes.append(root)
    return root_causes


def _reader(occurrence: Seen, harm: Harm) -> _Reader:
    group = harm.group(occurrence.rule, occurrence.element)
    return _Reader(
        occurrence.known,
        occurrence.rule if group is None else group,
        occurrence.element,
        in_any_format(occurrence.feature),
        # A whole conversation is compared with what the client sent first.
        occurrence.whole or "request" in occurrence.finding["body"],
        occurrence.item.client if occurrence.whole else occurrence.source,
        source_place(occurrence),
    )


def _is_writers(root: RootCause, played: PlayedRoutes, *, is_request: bool) -> bool:
    """Whether all of several sources show a root, so that what writes its format is at fault."""
    sources = {occurrence.source for occurrence in root.seen if not occurrence.whole}
    possible = set().union(*(played.sources_of(target, is_request=is_request) for target in root.formats))
    return len(possible) > 1 and possible <= sources


def _take_out(roots: Iterable[RootCause], occurrences: list[Seen]) -> RootCause:
    """Move findings out of their roots into one of their own."""
    moved = set(map(id, occurrences))
    taken = RootCause(list(occurrences))
    for root in roots:
        root.seen = [occurrence for occurrence in root.seen if id(occurrence) not in moved]
        taken.others |= root.others
    return taken


def _take_rest(root: RootCause, taken: RootCause, reader: _Reader) -> None:
    """Move what a root has left if only whole conversations of the reader's format show it."""
    side = "client" if reader.is_request else "upstream"
    if all(occurrence.whole and getattr(occurrence.item, side) == reader.source for occurrence in root.seen):
        taken.seen += root.seen
        taken.echoed += root.echoed
        root.seen = []
