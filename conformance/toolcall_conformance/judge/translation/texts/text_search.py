"""Search for texts in texts: many pieces in many texts, or one piece after the other in many texts joined to one.

``PieceSearch`` scans each text once, however many pieces are looked up. Each piece is known by a run of its characters
that few others have. Where such a run occurs in a text, its surroundings are compared with the pieces of that run. So
the work grows with the size of the texts, and not with their number times that of the pieces; this holds too for a
single text that contains all pieces, and for pieces that hardly differ.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

RUN_LENGTHS = (32, 16, 8, 4, 3, 2, 1)
"""A piece is known by a run of the first of these lengths that is not longer than itself."""
MAX_RUNS = 16
"""How many runs of a piece are tried, spread over it."""
WINDOW = 65_536
"""How much of a text is scanned at a time: the matches in it take many times its memory."""

_PiecesByPlace = dict[tuple[int, int], set[str]]
"""Pieces by (place in them at which the run begins, their length)."""


class PieceSearch:
    """Says which texts contain which pieces. All pieces must be named beforehand."""

    def __init__(self, texts: Iterable[str], pieces: Iterable[str]) -> None:
        self._texts = list(texts)
        self._numbers_by_piece: dict[str, set[int]] = {piece: set() for piece in pieces}
        by_length: dict[int, list[str]] = {}
        for piece in self._numbers_by_piece:
            if piece:
                by_length.setdefault(_run_length(piece), []).append(piece)
        for length, same_length in by_length.items():
            self._scan(length, same_length)
        if "" in self._numbers_by_piece:
            self._numbers_by_piece[""].update(range(len(self._texts)))
        self._results: dict[str, frozenset[int]] = {}

    def texts_with(self, piece: str) -> frozenset[int]:
        """Return the numbers of the texts that contain ``piece``. KeyError if it was not named beforehand."""
        if piece not in self._results:
            self._results[piece] = frozenset(self._numbers_by_piece[piece])
        return self._results[piece]

    def _scan(self, length: int, pieces: Collection[str]) -> None:
        """Scan all texts for the pieces that are known by runs of one length."""
        pieces_by_run = _pieces_by_run((piece for piece in pieces if len(piece) > length), length)
        pattern = _run_pattern([*pieces_by_run, *(piece for piece in pieces if len(piece) == length)], length)
        for number, text in enumerate(self._texts):
            for start in range(0, len(text), WINDOW):
                part = start, start + WINDOW + length - 1
                runs = set(pattern.findall(text, *part))
                for piece in runs & self._numbers_by_piece.keys():  # as long as a run, and so the run itself
                    self._numbers_by_piece[piece].add(number)
                if not pieces_by_run.keys().isdisjoint(runs):
                    for place in pattern.finditer(text, *part):
                        self._compare_surroundings(number, place.start(), pieces_by_run.get(place[1], {}))

    def _compare_surroundings(self, number: int, start: int, around: _PiecesByPlace) -> None:
        """Compare the surroundings of a run in a text with the pieces that have this run."""
        text = self._texts[number]
        for (before, size), same_length in around.items():
            if start >= before and (piece := text[start - before : start - before + size]) in same_length:
                self._numbers_by_piece[piece].add(number)


def _run_pattern(runs: Iterable[str], length: int) -> re.Pattern[str]:
    """Return a pattern that all runs match, by their first two characters and the last one."""
    looked_at = sorted({0, min(1, length - 1), length - 1})
    classes = ["".join(map(re.escape, sorted({run[at] for run in runs}))) for at in looked_at]
    ways = [f"[{class_text}]" for class_text in classes]
    ways[-1:] = [f".{{{length - len(ways)}}}", ways[-1]]
    return re.compile(f"(?=({''.join(ways)}))", re.DOTALL)


def _run_length(piece: str) -> int:
    """Return the length of the run by which a piece is known."""
    return next(length for length in RUN_LENGTHS if length <= len(piece))


def _pieces_by_run(pieces: Iterable[str], length: int) -> dict[str, _PiecesByPlace]:
    """Group the pieces by the run of each that the fewest others have."""
    tried = {piece: list(_sample_runs(piece, length)) for piece in pieces}
    counts = Counter(run for runs in tried.values() for run, _ in runs)
    pieces_by_run: dict[str, _PiecesByPlace] = {}
    for piece, runs in tried.items():
        run, before = min(runs, key=lambda each: counts[each[0]])
        pieces_by_run.setdefault(run, {}).setdefault((before, len(piece)), set()).add(piece)
    return pieces_by_run


def _sample_runs(text: str, length: int) -> Iterator[tuple[str, int]]:
    """Yield up to ``MAX_RUNS`` runs of a text, each with the place where it begins."""
    last = len(text) - length
    step = 1 + last // MAX_RUNS
    return ((text[at : at + length], at) for at in range(last % step, last + 1, step))


_SEPARATOR = "\n\0\n"


class JoinedTexts:
    """Texts that are searched as one long text, so that a piece is looked up in all of them at once."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._starts: list[int] = []
        end, text_list = 0, list(texts)
        for text in text_list:
            self._starts.append(end)
            end += len(text) + len(_SEPARATOR)
        self._whole = _SEPARATOR.join(text_list)

    def first_with(self, piece: str) -> int | None:
        """Return the index of the first text that contains ``piece``, or None."""
        at = self._whole.find(piece)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            end = self._starts[number + 1] - len(_SEPARATOR) if number + 1 < len(self._starts) else len(self._whole)
            if at + len(piece) <= end:
                return number if self._starts else None
            at = self._whole.find(piece, at + 1)  # it lies across two texts
        return None
