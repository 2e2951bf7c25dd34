"""Which call of the output is which call of the source: all calls of the conversation as one sequence.

Aligning by turns first goes wrong wherever a translator merges, splits or drops turns, so turns play no part here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toolcall_conformance.jsonvalue import canonical
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Call, Unreadable


@dataclass(slots=True)
class Alignment:
    """``pairs`` maps source ordinals to output ordinals; ``moved`` are pairs found out of order."""

    pairs: dict[int, int] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)
    lost: list[int] = field(default_factory=list)
    invented: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Points:
    """The points for what two calls have in common."""

    name: int
    arguments: int
    same_id: int

    @classmethod
    def of(cls, corpus: Corpus) -> _Points:
        known = corpus.alignment.parameters
        return cls(known["name_points"], known["arguments_points"], known["id_points"])

    @property
    def equal(self) -> int:
        """The points of calls that are equal in name and arguments."""
        return self.name + self.arguments


def align(corpus: Corpus, source: Sequence[Call], output: Sequence[Call], names: Mapping[str, str]) -> Alignment:
    """Align calls by name, arguments and id.

    Where ids are unchanged, they decide. Elsewhere calls that are equal in name and arguments are paired
    first, in order and then, as *moved*, out of order. What is left over is paired by what it has in common, in points
    of the corpus; then, as *changed*, where as many are left over between the same neighbours.
    """
    worth = _Points.of(corpus)
    score = _scores(worth, source, output, names)
    found = Alignment(pairs=_by_id(worth, source, output, score))
    taken = set(found.pairs.values())
    exact = [
        [
            points if points >= worth.equal and left not in found.pairs and right not in taken else 0
            for right, points in enumerate(row)
        ]
        for left, row in enumerate(score)
    ]
    found.moved = _out_of_order(found.pairs)
    found.pairs.update(_best_path(exact, len(source), len(output)))
    lost = [index for index in range(len(source)) if index not in found.pairs]
    spare = [index for index in range(len(output)) if index not in set(found.pairs.values())]
    for left in list(lost):
        equal = [right for right in spare if exact[left][right]]
        if equal:
            found.pairs[left] = equal[0]
            found.moved.add(left)
            lost.remove(left)
            spare.remove(equal[0])
    weak = [[score[left][right] for right in spare] for left in lost]
    for row, column in _best_path(weak, len(lost), len(spare)):
        found.pairs[lost[row]] = spare[column]
    lost = [index for index in lost if index not in found.pairs]
    spare = [index for index in spare if index not in set(found.pairs.values())]
    for left in list(lost):
        gap = _gap(found.pairs, left, len(output))
        rivals = [index for index in lost if _gap(found.pairs, index, len(output)) == gap]
        inside = [right for right in spare if gap[0] < right < gap[1]]
        if inside and len(rivals) == len(inside):
            found.pairs[left] = inside[0]
            lost.remove(left)
            spare.remove(inside[0])
    found.lost, found.invented = lost, spare
    return found


def _by_id(worth: _Points, source: Sequence[Call], output: Sequence[Call], score: list[list[int]]) -> dict[int, int]:
    """Pairs of calls with the same id, if ids are unchanged: the source has all ids of the output.

    Where calls stand in place and their ids do not, the output was numbered anew; ids that stand in place say nothing.
    """
    before, after = [call.id for call in source], [call.id for call in output]
    if not all(after) or not set(after) <= set(before):
        return {}
    once = {call_id for call_id in set(after) if before.count(call_id) == after.count(call_id) == 1}
    pairs = {left: after.index(call_id) for left, call_id in enumerate(before) if call_id in once}
    elsewhere = {left: right for left, right in pairs.items() if left != right}
    kept = sum(score[left][right] >= worth.equal for left, right in elsewhere.items())
    renumbered = sum(score[left][left] >= worth.equal for left in elsewhere if left < len(output))
    return pairs if kept >= renumbered else {}


def _out_of_order(pairs: dict[int, int]) -> set[int]:
    """The fewest source ordinals without which the pairs keep their order."""
    ordered = sorted(pairs.items())
    places = sorted(right for _, right in ordered)
    table = [[int(right == place) for place in places] for _, right in ordered]
    kept = {ordered[row][0] for row, _ in _best_path(table, len(ordered), len(ordered))}
    return set(pairs) - kept


def _scores(
    worth: _Points, source: Sequence[Call], output: Sequence[Call], names: Mapping[str, str]
) -> list[list[int]]:
    left_values = [_value(call) for call in source]
    right_values = [_value(call) for call in output]
    table = []
    for left, left_value in zip(source, left_values, strict=True):
        expected = names.get(left.name or "", left.name)
        row = []
        for right, right_value in zip(output, right_values, strict=True):
            points = 0
            if right.name is not None and right.name in (expected, left.name):
                points += worth.name
            if left_value == right_value:
                points += worth.arguments
            if left.id is not None and left.id == right.id:
                points += worth.same_id
            row.append(points)
        table.append(row)
    return table


def _value(call: Call) -> str:
    return canonical(call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments)


def _best_path(score: list[list[int]], rows: int, columns: int) -> list[tuple[int, int]]:
    """The order-keeping set of pairs with the highest total (longest-common-subsequence style)."""
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            take = score[row][column]
            best[row][column] = max(
                best[row + 1][column],
                best[row][column + 1],
                best[row + 1][column + 1] + take if take else 0,
            )
    pairs = []
    row = column = 0
    while row < rows and column < columns:
        take = score[row][column]
        if take and best[row][column] == best[row + 1][column + 1] + take:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _gap(pairs: dict[int, int], left: int, columns: int) -> tuple[int, int]:
    """The output positions between the partners of the nearest aligned neighbours of ``left``."""
    before = [right for other, right in pairs.items() if other < left]
    after = [right for other, right in pairs.items() if other > left]
    return max(before, default=-1), min(after, default=columns)
