"""What two lists have in common, in order: equal words, and the chain of pairs with the most points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_DIFFLIB_LENGTH = 500
"""Up to this sum of lengths difflib compares two lists: its time grows with their product."""


def common_positions(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of equal words that keep the order of both lists."""
    if left == right:  # so it is where nothing is wrong; difflib takes much longer to find it out
        return [(at, at) for at in range(len(left))]
    if len(left) + len(right) <= MAX_DIFFLIB_LENGTH:
        blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        return [(a + at, b + at) for a, b, size in blocks for at in range(size)]
    start, end = _common_ends(left, right)
    inner = _longest_chain(left[start : len(left) - end], right[start : len(right) - end])
    return [
        *((at, at) for at in range(start)),
        *((start + left_offset, start + right_offset) for left_offset, right_offset in inner),
        *((len(left) - at, len(right) - at) for at in range(end, 0, -1)),
    ]


def aligned_slices(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[bool, slice, slice]]:
    """Yield (whether equal, slice of left, slice of right) from beginning to end of both lists."""
    low = (0, 0)
    for left_end, right_end in [*common_positions(left, right), (len(left), len(right))]:
        if low != (left_end, right_end):
            yield False, slice(low[0], left_end), slice(low[1], right_end)
        if left_end < len(left) and right_end < len(right):
            yield True, slice(left_end, left_end + 1), slice(right_end, right_end + 1)
        low = (left_end + 1, right_end + 1)


def _common_ends(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """Return how many words are equal at the beginning, and of the remaining ones at the end."""
    size = min(len(left), len(right))
    start = next((at for at in range(size) if left[at] != right[at]), size)
    rest = size - start
    return start, next((at for at in range(rest) if left[-1 - at] != right[-1 - at]), rest)


def _longest_chain(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return the longest list of pairs in order. The n-th occurrence of a word is paired with the other's n-th."""
    places = _occurrences(right)
    chances = {at: {places[key]: 1} for key, at in _occurrences(left).items() if key in places}
    return best_chain(chances, len(right))


def _occurrences(words: Sequence[str]) -> dict[tuple[str, int], int]:
    """Number each occurrence of a word; returns its position by (word, number of the occurrence)."""
    counts: dict[str, int] = {}
    occurrences: dict[tuple[str, int], int] = {}
    for at, word in enumerate(words):
        counts[word] = counts.get(word, 0) + 1
        occurrences[word, counts[word]] = at
    return occurrences


PairPoints = dict[int, dict[int, int]]
"""By row, the columns that it may be paired with, each with the points of that pair."""


@dataclass(slots=True)  # frozen ones are made in twice the time, and there may be a million
class _Link:
    """A pair, the points of the best chain that begins with it, and the link after it."""

    points: int
    row: int
    column: int
    after: _Link | None


def best_chain(chances: PairPoints, columns: int) -> list[tuple[int, int]]:
    """Return the pairs of the best chain. Of equally good chains it is the one that begins first.

    Rows are visited from the last one. For each column a tree keeps the best chain that begins after it, so that the
    work grows with the number of candidates; where nearly all pairs are candidates, a plain list of columns is quicker.
    """
    count = sum(map(len, chances.values()))
    chains = _ColumnTree(columns) if count * columns.bit_length() < len(chances) * columns else _ColumnList(columns)
    for row in sorted(chances, reverse=True):
        chains.add_row(row, chances[row])
    link = chains.best_after(-1)
    pairs: list[tuple[int, int]] = []
    while link is not None:
        pairs.append((link.row, link.column))
        link = link.after
    return pairs


class _ColumnList:
    """The best chains by column, in a list: each begins at that column or after it."""

    def __init__(self, columns: int) -> None:
        self._best: list[_Link | None] = [None] * (columns + 1)

    def best_after(self, column: int) -> _Link | None:
        """Return the best chain that begins after a column."""
        return self._best[column + 1]

    def add_row(self, row: int, chances: dict[int, int]) -> None:
        """Add the candidates of a row, which is above all rows added before."""
        after: _Link | None = None
        best: _Link | None = None
        for column in range(len(self._best) - 2, -1, -1):
            points = chances.get(column)
            if points:
                total = points + (after.points if after is not None else 0)
                if best is None or total >= best.points:
                    best = _Link(total, row, column, after)
            after = self._best[column]
            if after is not None and (best is None or after.points > best.points):
                best = after
            self._best[column] = best


class _ColumnTree:
    """The best chains by column, in a binary indexed tree; a drop-in for ``_ColumnList``."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._nodes: list[_Link | None] = [None] * (columns + 1)

    def best_after(self, column: int) -> _Link | None:
        place, best = self._columns - column - 1, None
        while place > 0:
            best = _better_chain(best, self._nodes[place])
            place &= place - 1
        return best

    def add_row(self, row: int, chances: dict[int, int]) -> None:
        candidates = [(column, points, self.best_after(column)) for column, points in chances.items()]
        for column, points, after in candidates:
            link = _Link(points + (after.points if after is not None else 0), row, column, after)
            place = self._columns - column
            while place <= self._columns:
                self._nodes[place] = _better_chain(self._nodes[place], link)
                place += place & -place


def _better_chain(left: _Link | None, right: _Link | None) -> _Link | None:
    """Return the chain with more points, else the one that begins earlier."""
    if left is None or right is None:
        return right if left is None else left
    if left.points != right.points:
        return left if left.points > right.points else right
    return left if (left.row, left.column) <= (right.row, right.column) else right
