"""Which of many texts hold which of many pieces: each text is gone through once, whatever is asked of it.

Each piece is known by a run of its characters that few others have. Where such a run stands in a text, what is around
it is compared with the pieces of that run. So the work grows with the texts, and not with their number times that of
the pieces; nor does it for a single text in which all pieces stand, or for pieces that differ in a few characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

LENGTHS = (32, 16, 8, 4, 3, 2, 1)
"""A piece is known by a run of the first of these lengths that it has."""
MOST_RUNS = 16
"""As many runs of a piece are tried, spread over it."""
WINDOW = 65_536
"""So much of a text is gone through at a time: what is found in it takes many times its memory."""

_Around = dict[tuple[int, int], set[str]]
"""Pieces by where in them a run begins, and by their length."""


class Holders:
    """Texts, by their numbers, and the pieces that may be asked for."""

    def __init__(self, texts: Iterable[str], pieces: Iterable[str]) -> None:
        self._texts = list(texts)
        self._held: dict[str, set[int]] = {piece: set() for piece in pieces}
        by_length: dict[int, list[str]] = {}
        for piece in self._held:
            if piece:
                by_length.setdefault(_length(piece), []).append(piece)
        for length, alike in by_length.items():
            self._look_for(length, alike)
        if "" in self._held:
            self._held[""].update(range(len(self._texts)))
        self._known: dict[str, frozenset[int]] = {}

    def of(self, piece: str) -> frozenset[int]:
        """The numbers of the texts with ``piece`` in them. KeyError for one that was not named before."""
        if piece not in self._known:
            self._known[piece] = frozenset(self._held[piece])
        return self._known[piece]

    def _look_for(self, length: int, pieces: Collection[str]) -> None:
        pieces_by_run = _by_run((piece for piece in pieces if len(piece) > length), length)
        pattern = _pattern([*pieces_by_run, *(piece for piece in pieces if len(piece) == length)], length)
        for number, text in enumerate(self._texts):
            for start in range(0, len(text), WINDOW):
                part = start, start + WINDOW + length - 1
                runs = set(pattern.findall(text, *part))
                for piece in runs & self._held.keys():  # as long as a run, and so the run itself
                    self._held[piece].add(number)
                if not pieces_by_run.keys().isdisjoint(runs):
                    for place in pattern.finditer(text, *part):
                        self._compare(number, place.start(), pieces_by_run.get(place[1], {}))

    def _compare(self, number: int, start: int, around: _Around) -> None:
        text = self._texts[number]
        for (before, size), alike in around.items():
            if start >= before and (piece := text[start - before : start - before + size]) in alike:
                self._held[piece].add(number)


def _pattern(runs: Iterable[str], length: int) -> re.Pattern[str]:
    """What runs look like, by their first two characters and the last one."""
    looked_at = sorted({0, min(1, length - 1), length - 1})
    classes = ["".join(map(re.escape, sorted({run[at] for run in runs}))) for at in looked_at]
    ways = [f"[{each}]" for each in classes]
    ways[-1:] = [f".{{{length - len(ways)}}}", ways[-1]]
    return re.compile(f"(?=({''.join(ways)}))", re.DOTALL)


def _length(piece: str) -> int:
    return next(length for length in LENGTHS if length <= len(piece))


def _by_run(pieces: Iterable[str], length: int) -> dict[str, _Around]:
    """The pieces by that run of each that the fewest have."""
    tried = {piece: list(_runs(piece, length)) for piece in pieces}
    counts = Counter(run for runs in tried.values() for run, _ in runs)
    pieces_by_run: dict[str, _Around] = {}
    for piece, runs in tried.items():
        run, before = min(runs, key=lambda each: counts[each[0]])
        pieces_by_run.setdefault(run, {}).setdefault((before, len(piece)), set()).add(piece)
    return pieces_by_run


def _runs(text: str, length: int) -> Iterator[tuple[str, int]]:
    """Some runs of a text, each with where it begins."""
    last = len(text) - length
    step = 1 + last // MOST_RUNS
    return ((text[at : at + length], at) for at in range(last % step, last + 1, step))
