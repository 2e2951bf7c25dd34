"""Which media of the output are which of the source."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence

from toolcall_conformance.judge.translation.media.media_places import PlacedMedia

Marks = Iterable[Hashable]


def twins_of(source: Sequence[PlacedMedia], output: Sequence[PlacedMedia]) -> dict[int, PlacedMedia]:
    """By number of the source its twin: the first free one at its home, else at its place, else anywhere."""
    twins: dict[int, PlacedMedia] = {}
    paired_ids: set[int] = set()
    for marks_of_source, offered in ((_at_home, _at_home), (_at_place, _of_place), (_anywhere, _anywhere)):
        free: dict[Hashable, deque[PlacedMedia]] = {}
        for piece in output:
            for mark in offered(piece) if id(piece) not in paired_ids else ():
                free.setdefault(mark, deque()).append(piece)
        for index, piece in enumerate(source):
            candidates = free.get(next(iter(marks_of_source(piece)), None)) if index not in twins else None
            while candidates and id(candidates[0]) in paired_ids:
                candidates.popleft()
            if candidates:
                twins[index] = candidates.popleft()
                paired_ids.add(id(twins[index]))
    return twins


def _at_home(piece: PlacedMedia) -> Marks:
    return [] if piece.unclear else [(piece.key, piece.place, piece.call)]


def _at_place(piece: PlacedMedia) -> Marks:
    """Its place, for any owner or none if it has one."""
    return [(piece.key, piece.place, "any" if piece.call is None else "none")]


def _of_place(piece: PlacedMedia) -> Marks:
    """What may stand here: pieces of no call, and where this one is of none, those of any."""
    return [(piece.key, piece.place, each) for each in (("any", "none") if piece.call is None else ("any",))]


def _anywhere(piece: PlacedMedia) -> Marks:
    return [piece.key]
