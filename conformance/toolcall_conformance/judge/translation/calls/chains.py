"""The chain with the most points: pairs of rows and columns that keep the order of both."""

from __future__ import annotations

from dataclasses import dataclass

Chances = dict[int, dict[int, int]]
"""By row the columns that it may be paired with, each with the points of that pair."""


@dataclass(slots=True)  # frozen ones are made in twice the time, and there may be a million
class _Link:
    """A pair, the points of the best chain that begins with it, and the link behind it."""

    points: int
    row: int
    column: int
    after: _Link | None


def best_chain(chances: Chances, columns: int) -> list[tuple[int, int]]:
    """The pairs of the best chain. Of equal chains it is the one that begins first.

    Rows are gone through from the last one. For each column a tree keeps the best chain that begins behind it, so that
    the work grows with the number of chances; where nearly all pairs have one, a plain list of columns is quicker.
    """
    count = sum(map(len, chances.values()))
    chains = _Tree(columns) if count * columns.bit_length() < len(chances) * columns else _Row(columns)
    for row in sorted(chances, reverse=True):
        chains.add(row, chances[row])
    link = chains.behind(-1)
    pairs: list[tuple[int, int]] = []
    while link is not None:
        pairs.append((link.row, link.column))
        link = link.after
    return pairs


class _Row:
    """The best chains by the column that they begin at or behind, in a list."""

    def __init__(self, columns: int) -> None:
        self._best: list[_Link | None] = [None] * (columns + 1)

    def behind(self, column: int) -> _Link | None:
        """The best chain that begins behind a column."""
        return self._best[column + 1]

    def add(self, row: int, chances: dict[int, int]) -> None:
        """Take the chances of a row, which is above all those before."""
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


class _Tree:
    """The same in a binary indexed tree."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._nodes: list[_Link | None] = [None] * (columns + 1)

    def behind(self, column: int) -> _Link | None:
        place, best = self._columns - column - 1, None
        while place > 0:
            best = _better(best, self._nodes[place])
            place &= place - 1
        return best

    def add(self, row: int, chances: dict[int, int]) -> None:
        candidates = [(column, points, self.behind(column)) for column, points in chances.items()]
        for column, points, after in candidates:
            link = _Link(points + (after.points if after is not None else 0), row, column, after)
            place = self._columns - column
            while place <= self._columns:
                self._nodes[place] = _better(self._nodes[place], link)
                place += place & -place


def _better(left: _Link | None, right: _Link | None) -> _Link | None:
    """The chain with more points, else the one that begins earlier."""
    if left is None or right is None:
        return right if left is None else left
    if left.points != right.points:
        return left if left.points > right.points else right
    return left if (left.row, left.column) <= (right.row, right.column) else right
