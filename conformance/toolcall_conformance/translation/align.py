"""Which call of the output is which call of the source: all calls of the conversation as one sequence.

Aligning by turns first goes wrong wherever a translator merges, splits or drops turns. So a call's turn, like the text
before it and its result, only decides between calls that are alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from toolcall_conformance.jsonvalue import canonical
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Call, Reading, Unreadable
from toolcall_conformance.translation.chains import Chances, best_chain
from toolcall_conformance.translation.surroundings import Surroundings, surroundings

_NEAR = 50
Marks = tuple[frozenset[str], frozenset[str], frozenset[str]]


@dataclass(slots=True)
class Alignment:
    """``pairs`` maps source ordinals to output ordinals; ``moved`` are pairs found out of order.

    ``nearest`` keeps what ``translation.nearest`` found for each turn of the source.
    """

    pairs: dict[int, int] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)
    lost: list[int] = field(default_factory=list)
    invented: list[int] = field(default_factory=list)
    nearest: dict[int, str] = field(default_factory=dict, repr=False, compare=False)


def align(corpus: Corpus, source: Reading, output: Reading, names: Mapping[str, str]) -> Alignment:
    """Align calls by name, arguments and id.

    Where ids are unchanged, they decide; but not against a call that is equal in name and arguments and has no other
    partner. Elsewhere calls that are equal in name and arguments are paired first, in order and then, as *moved*, out
    of order; of several that are equal those that stand in the same surroundings. What is left over is paired by what
    it has in common, in points of the corpus; then, as *changed*, where as many are left over between the same
    neighbours.
    """
    calls = _Calls.of(corpus, source, output, names)
    found = Alignment(pairs=calls.by_id())
    found.moved = _out_of_order(found.pairs)
    taken = set(found.pairs.values())
    rows = [left for left in range(len(calls.source)) if left not in found.pairs]
    columns = [right for right in range(len(calls.output)) if right not in taken]
    found.pairs.update(_in_order(calls, rows, columns))
    taken = set(found.pairs.values())
    spare = dict.fromkeys(right for right in columns if right not in taken)
    for left in rows:
        equal = [right for right in calls.equals(left) if right in spare] if left not in found.pairs else []
        if equal:
            found.pairs[left] = max(equal, key=lambda right: (calls.alike(left, right), -right))
            found.moved.add(left)
            del spare[found.pairs[left]]
    lost, rest = [left for left in rows if left not in found.pairs], list(spare)
    found.pairs.update(_left_over(calls, lost, rest))
    found.pairs.update(_between_neighbours(found.pairs, len(calls.source), len(calls.output)))
    taken = set(found.pairs.values())
    found.lost = [left for left in lost if left not in found.pairs]
    found.invented = [right for right in rest if right not in taken]
    return found


@dataclass(slots=True)
class _Calls:
    """The calls of both sides, and what any two of them have in common."""

    source: Sequence[Call]
    output: Sequence[Call]
    around_source: Sequence[Surroundings]
    around_output: Sequence[Surroundings]
    expected: list[str | None]
    values: tuple[list[str], list[str]]
    known: Mapping[str, int]
    ids: tuple[frozenset[str | None], frozenset[str | None]]
    places: dict[tuple[str | None, str], list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, corpus: Corpus, source: Reading, output: Reading, names: Mapping[str, str]) -> _Calls:
        before, after = source.calls, output.calls
        expected = [names.get(call.name or "", call.name) for call in before]
        values = [_value(call) for call in before], [_value(call) for call in after]
        alike = any(len(set(each)) < len(each) for each in values)  # else there is nothing to decide
        around = surroundings(source, say=alike), surroundings(output, say=alike)
        ids = frozenset(call.id for call in before), frozenset(call.id for call in after)
        found = cls(before, after, *around, expected, values, corpus.alignment.parameters, ids)
        for right, call in enumerate(after):
            found.places.setdefault((call.name, values[1][right]), []).append(right)
        return found

    def equals(self, left: int) -> list[int]:
        """The calls of the output with the name and the arguments of one of the source."""
        named = dict.fromkeys([self.expected[left], self.source[left].name])
        value = self.values[0][left]
        return sorted(right for name in named if name is not None for right in self.places.get((name, value), []))

    def points(self, left: int, right: int) -> int:
        """What two calls have in common."""
        before, after = self.source[left], self.output[right]
        points = 0
        if after.name is not None and after.name in (self.expected[left], before.name):
            points += self.known["name_points"]
        if self.values[0][left] == self.values[1][right]:
            points += self.known["arguments_points"]
        if before.id is not None and before.id == after.id:
            points += self.known["id_points"]
        return points

    def marks_of_source(self, left: int) -> Marks:
        """The names that a call may have in the output, its arguments, and its id."""
        call = self.source[left]
        return _set(call.name, self.expected[left]), _set(self.values[0][left]), _set(call.id)

    def marks_of_output(self, right: int) -> Marks:
        """The same of a call of the output."""
        call = self.output[right]
        return _set(call.name), _set(self.values[1][right]), _set(call.id)

    def equal(self, left: int, right: int) -> bool:
        """Whether two calls have the same name and the same arguments."""
        return self.points(left, right) >= self.known["name_points"] + self.known["arguments_points"]

    def alike(self, left: int, right: int) -> int:
        """What the surroundings of two calls have in common."""
        return self.around_source[left].points(self.around_output[right], self.known)

    def by_id(self) -> dict[int, int]:
        """Pairs of calls with the same id, if ids are unchanged: the source has all ids of the output.

        Where calls stand in place and their ids do not, the output was numbered anew; ids that stand in place say
        nothing.
        """
        before, after = Counter(call.id for call in self.source), Counter(call.id for call in self.output)
        if not all(after) or not after.keys() <= before.keys():
            return {}
        where = {call.id: right for right, call in enumerate(self.output)}
        once = {name for name in after if before[name] == after[name] == 1}
        pairs = {left: where[call.id] for left, call in enumerate(self.source) if call.id in once}
        elsewhere = {left: right for left, right in pairs.items() if left != right}
        kept = sum(self.equal(left, right) for left, right in elsewhere.items())
        renumbered = sum(self.equal(left, left) for left in elsewhere if left < len(self.output))
        return self._without_strangers(pairs) if kept >= renumbered else {}

    def _without_strangers(self, pairs: dict[int, int]) -> dict[int, int]:
        """Without pairs of the same id where another call is intact.

        That is so where it lost its own id, or where two calls of different tools changed places.
        """
        changed = {left: right for left, right in pairs.items() if not self.equal(left, right)}
        if not changed:
            return pairs
        intact: dict[int, list[int]] = {}
        for left in range(len(self.source)):
            for right in self.equals(left):
                intact.setdefault(right, []).append(left)
        strangers = {
            right
            for left, right in changed.items()
            if any(
                other not in pairs or (other in changed and self.output[right].name != self.expected[left])
                for other in intact.get(right, ())
            )
        }
        return {
            left: right
            for left, right in pairs.items()
            if left not in changed or not (right in strangers or strangers.intersection(self.equals(left)))
        }


def _set(*marks: str | None) -> frozenset[str]:
    return frozenset(mark for mark in marks if mark is not None)


def _value(call: Call) -> str:
    return canonical(call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments)


def _in_order(calls: _Calls, rows: Sequence[int], columns: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of equal calls in order: as many as possible, of these the ones in the likest surroundings."""
    start, size = 0, min(len(rows), len(columns))
    while start < size and _unmistakable(calls, rows[start], columns[start]):
        start += 1
    end = 0
    while end < size - start and _unmistakable(calls, rows[-1 - end], columns[-1 - end]):
        end += 1
    pairs = [
        *zip(rows[:start], columns, strict=False),
        *zip(rows[len(rows) - end :], columns[len(columns) - end :], strict=True),
    ]
    left, right = rows[start : len(rows) - end], columns[start : len(columns) - end]
    places = {column: at for at, column in enumerate(right)}
    most = 1 + sum(calls.known[f"{each}_points"] for each in ("turn", "text", "result")) * min(len(left), len(right))
    chances: Chances = {}
    known: dict[tuple[str | None, ...], list[int]] = {}
    seen: Counter[tuple[str | None, ...]] = Counter()
    for row, each in enumerate(left):
        said = (calls.expected[each], calls.source[each].name, calls.values[0][each])
        if said not in known:
            known[said] = [column for column in calls.equals(each) if column in places] if right else []
        # Of very many that are alike, those that come about as late among them.
        equal = known[said][max(0, seen[said] - _NEAR) : seen[said] + _NEAR]
        seen[said] += 1
        chances[row] = {places[at]: calls.points(each, at) * most + calls.alike(each, at) for at in equal}
    return pairs + [(left[row], right[at]) for row, at in best_chain(chances, len(right))]


def _unmistakable(calls: _Calls, left: int, right: int) -> bool:
    """Whether two equal calls have more in common than either can have with any other call."""
    one, two = calls.source[left].id, calls.output[right].id
    return (
        (one == two or (one not in calls.ids[1] and two not in calls.ids[0]))
        and calls.around_source[left] == calls.around_output[right]
        and calls.equal(left, right)
    )


def _left_over(calls: _Calls, lost: Sequence[int], rest: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs in order, of calls that are left over, that have the most in common."""
    worth = [calls.known[f"{each}_points"] for each in ("name", "arguments", "id")]
    before, after = [calls.marks_of_source(left) for left in lost], [calls.marks_of_output(right) for right in rest]
    rows, columns = _indexed(before), _indexed(after)
    most_by_row, most_by_column = _bounds(before, columns, worth), _bounds(after, rows, worth)

    def is_best(row: int, column: int) -> bool:
        points = calls.points(lost[row], rest[column])
        return 0 < points >= max(most_by_row[row], most_by_column[column])

    start, size = 0, min(len(lost), len(rest))
    while start < size and is_best(start, start):
        start += 1
    chances: Chances = {}
    for row in range(start, len(lost)):
        found = chances.setdefault(row, {})
        for place, marks in enumerate(before[row]):
            for column in {column for mark in marks for column in columns[place].get(mark, ()) if column >= start}:
                found[column] = found.get(column, 0) + worth[place]
    chain = [*((at, at) for at in range(start)), *best_chain(chances, len(rest))]
    return [(lost[row], rest[column]) for row, column in chain]


def _indexed(marks: Sequence[Marks]) -> list[dict[str, list[int]]]:
    """Where each name, each text of arguments and each id stands."""
    found: list[dict[str, list[int]]] = [{}, {}, {}]
    for at, each in enumerate(marks):
        for place, said in enumerate(each):
            for mark in said:
                found[place].setdefault(mark, []).append(at)
    return found


def _bounds(marks: Sequence[Marks], others: Sequence[Mapping[str, object]], worth: Sequence[int]) -> list[int]:
    """The points that no pair of a call can exceed."""
    return [
        sum(points for said, known, points in zip(each, others, worth, strict=True) if not said.isdisjoint(known))
        for each in marks
    ]


def _out_of_order(pairs: Mapping[int, int]) -> set[int]:
    """The fewest source ordinals without which the pairs keep their order."""
    ordered = sorted(pairs.items())
    places = {right: at for at, right in enumerate(sorted(pairs.values()))}
    kept = best_chain({row: {places[right]: 1} for row, (_, right) in enumerate(ordered)}, len(places))
    return set(pairs) - {ordered[row][0] for row, _ in kept}


def _between_neighbours(pairs: Mapping[int, int], rows: int, columns: int) -> Iterable[tuple[int, int]]:
    """Calls that are left over between the partners of the nearest aligned neighbours, if as many on both sides."""
    before = [-1, *accumulate((pairs.get(left, -1) for left in range(rows)), max)]
    after = [columns, *accumulate((pairs.get(left, columns) for left in reversed(range(rows))), min)][::-1]
    taken = set(pairs.values())
    spare = [right for right in range(columns) if right not in taken]
    gaps: dict[tuple[int, int], list[int]] = {}
    for left in range(rows):
        if left not in pairs:
            gaps.setdefault((before[left], after[left + 1]), []).append(left)
    for (low, high), lefts in gaps.items():
        inside = [
            right for right in spare[bisect_left(spare, low + 1) : bisect_left(spare, high)] if right not in taken
        ]
        if len(inside) == len(lefts):
            taken.update(inside)
            yield from zip(lefts, inside, strict=True)
