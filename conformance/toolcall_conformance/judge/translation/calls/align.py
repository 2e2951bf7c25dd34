"""Which call of the output is which call of the source: all calls of the conversation as one sequence.

Aligning by turns first goes wrong wherever a translator merges, splits or drops turns. So a call's turn, like the text
before it and its result, only decides between calls that are alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise

from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.translation.calls.call_likeness import CallsOfBoth, Marks, comparison_candidates
from toolcall_conformance.judge.translation.calls.sequences import PairPoints, best_chain
from toolcall_conformance.library import Corpus


@dataclass(slots=True)
class Alignment:
    """``pairs`` maps source ordinals to output ordinals; ``moved`` are the source ordinals of pairs out of order.

    ``nearest_places`` caches the results of ``nearest.py`` for each turn of the source. ``argument_texts`` are the
    arguments of the calls of both sides, as canonical text.
    """

    pairs: dict[int, int] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)
    lost: list[int] = field(default_factory=list)
    invented: list[int] = field(default_factory=list)
    nearest_places: dict[int, str] = field(default_factory=dict, repr=False, compare=False)
    argument_texts: tuple[Sequence[str], Sequence[str]] = field(default=((), ()), repr=False, compare=False)


def align_calls(corpus: Corpus, source: Reading, output: Reading, names: Mapping[str, str]) -> Alignment:
    """Align calls by name, arguments and id.

    Where ids are unchanged, they decide; but not against a call that is equal in name and arguments and has no other
    partner. Elsewhere calls that are equal in name and arguments are paired first, in order and then, as *moved*, out
    of order; of several equal ones those in the same surroundings. The remaining calls are paired by what they have in
    common, in points of the corpus; then, as *changed*, where equally many remain between the same neighbours.
    """
    calls = CallsOfBoth.of(corpus, source, output, names)
    alignment = Alignment(pairs=calls.pairs_by_id(), argument_texts=calls.argument_texts)
    alignment.moved = _ordinals_out_of_order(alignment.pairs)
    paired_columns = set(alignment.pairs.values())
    rows = [left for left in range(len(calls.source)) if left not in alignment.pairs]
    columns = [right for right in range(len(calls.output)) if right not in paired_columns]
    alignment.pairs.update(_pair_in_order(calls, rows, columns))
    paired_columns = set(alignment.pairs.values())
    spare = dict.fromkeys(right for right in columns if right not in paired_columns)
    for left, right in _pair_in_any_order(calls, [left for left in rows if left not in alignment.pairs], [*spare]):
        alignment.pairs[left] = right
        alignment.moved.add(left)
        del spare[right]
    lost, rest = [left for left in rows if left not in alignment.pairs], list(spare)
    alignment.pairs.update(_pair_by_likeness(calls, lost, rest))
    alignment.pairs.update(_pair_between_neighbours(alignment.pairs, len(calls.source), len(calls.output)))
    paired_columns = set(alignment.pairs.values())
    alignment.lost = [left for left in lost if left not in alignment.pairs]
    alignment.invented = [right for right in rest if right not in paired_columns]
    return alignment


def _pair_in_order(calls: CallsOfBoth, rows: Sequence[int], columns: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of equal calls in order: as many as possible, and of these the ones in the likest surroundings."""
    if not rows or not columns:
        return []
    start, size = 0, min(len(rows), len(columns))
    while start < size and _is_unmistakable(calls, rows[start], columns[start]):
        start += 1
    end = 0
    while end < size - start and _is_unmistakable(calls, rows[-1 - end], columns[-1 - end]):
        end += 1
    pairs = [
        *zip(rows[:start], columns, strict=False),
        *zip(rows[len(rows) - end :], columns[len(columns) - end :], strict=True),
    ]
    left, right = rows[start : len(rows) - end], columns[start : len(columns) - end]
    places = {column: at for at, column in enumerate(right)}
    most = 1 + sum(calls.parameters[f"{each}_points"] for each in ("turn", "text", "result")) * min(
        len(left), len(right)
    )
    chances: PairPoints = {
        row: {
            places[at]: calls.common_points(each, at) * most + calls.surroundings_points(each, at) for at in candidates
        }
        for row, (each, candidates) in enumerate(comparison_candidates(calls, left, right))
    }
    return pairs + [(left[row], right[at]) for row, at in best_chain(chances, len(right))]


def _pair_in_any_order(calls: CallsOfBoth, rows: Sequence[int], columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal calls in any order: each row with the likest remaining column."""
    spare: dict[tuple[str | None, str], dict[int, None]] = {}
    for column in columns:
        spare.setdefault((calls.output[column].name, calls.argument_texts[1][column]), {})[column] = None
    for row, candidates in comparison_candidates(calls, rows, columns):
        equal = [
            spare[key] for name in calls.possible_names(row) if (key := (name, calls.argument_texts[0][row])) in spare
        ]
        left = [column for column in candidates if any(column in each for each in equal)]
        left = left or [column for each in equal for column in islice(each, 1)]
        if left:
            best = max(left, key=lambda column: (calls.surroundings_points(row, column), -column))
            for each in equal:
                each.pop(best, None)
            yield row, best


def _is_unmistakable(calls: CallsOfBoth, left: int, right: int) -> bool:
    """Whether two equal calls have more in common than either can have with any other call."""
    source_id, output_id = calls.source[left].id, calls.output[right].id
    return (
        (source_id == output_id or (source_id not in calls.ids[1] and output_id not in calls.ids[0]))
        and calls.source_surroundings[left] == calls.output_surroundings[right]
        and calls.are_equal(left, right)
    )


def _pair_by_likeness(calls: CallsOfBoth, lost: Sequence[int], invented: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs in order, of the remaining calls, that have the most in common."""
    if not lost or not invented:
        return []
    worth = [calls.parameters[f"{each}_points"] for each in ("name", "arguments", "id")]
    before, after = [calls.marks_of_source(left) for left in lost], [calls.marks_of_output(right) for right in invented]
    rows, columns = _index_marks(before), _index_marks(after)
    most_by_row, most_by_column = _max_points(before, columns, worth), _max_points(after, rows, worth)

    def is_best(row: int, column: int) -> bool:
        points = calls.common_points(lost[row], invented[column])
        return 0 < points >= max(most_by_row[row], most_by_column[column])

    start, size = 0, min(len(lost), len(invented))
    while start < size and is_best(start, start):
        start += 1
    chances: PairPoints = {}
    for row in range(start, len(lost)):
        scores = chances.setdefault(row, {})
        for place, marks in enumerate(before[row]):
            for column in {column for mark in marks for column in columns[place].get(mark, ()) if column >= start}:
                scores[column] = scores.get(column, 0) + worth[place]
    chain = [*((at, at) for at in range(start)), *best_chain(chances, len(invented))]
    return [(lost[row], invented[column]) for row, column in chain]


def _index_marks(marks: Sequence[Marks]) -> list[dict[str, list[int]]]:
    """Return the positions of each name, each text of arguments and each id."""
    places: list[dict[str, list[int]]] = [{}, {}, {}]
    for at, each in enumerate(marks):
        for place, own_marks in enumerate(each):
            for mark in own_marks:
                places[place].setdefault(mark, []).append(at)
    return places


def _max_points(
    marks: Sequence[Marks], marks_of_other_side: Sequence[Mapping[str, object]], worth: Sequence[int]
) -> list[int]:
    """Return for each call the points that none of its pairs can exceed."""
    return [
        sum(
            points
            for own_marks, other_marks, points in zip(each, marks_of_other_side, worth, strict=True)
            if not own_marks.isdisjoint(other_marks)
        )
        for each in marks
    ]


def _ordinals_out_of_order(pairs: Mapping[int, int]) -> set[int]:
    """Return the fewest source ordinals without which the pairs keep their order."""
    ordered = sorted(pairs.items())
    if all(left[1] < right[1] for left, right in pairwise(ordered)):
        return set()
    places = {right: at for at, right in enumerate(sorted(pairs.values()))}
    chain = best_chain({row: {places[right]: 1} for row, (_, right) in enumerate(ordered)}, len(places))
    return set(pairs) - {ordered[row][0] for row, _ in chain}


def _pair_between_neighbours(pairs: Mapping[int, int], rows: int, columns: int) -> Iterable[tuple[int, int]]:
    """Yield pairs of remaining calls between the same aligned neighbours, if equally many on both sides."""
    if len(pairs) == rows:
        return
    before = [-1, *accumulate((pairs.get(left, -1) for left in range(rows)), max)]
    after = [columns, *accumulate((pairs.get(left, columns) for left in reversed(range(rows))), min)][::-1]
    paired_columns = set(pairs.values())
    spare = [right for right in range(columns) if right not in paired_columns]
    gaps: dict[tuple[int, int], list[int]] = {}
    for left in range(rows):
        if left not in pairs:
            gaps.setdefault((before[left], after[left + 1]), []).append(left)
    for (low, high), lefts in gaps.items():
        inside = [
            right
            for right in spare[bisect_left(spare, low + 1) : bisect_left(spare, high)]
            if right not in paired_columns
        ]
        if len(inside) == len(lefts):
            paired_columns.update(inside)
            yield from zip(lefts, inside, strict=True)
