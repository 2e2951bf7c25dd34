"""The calls of two bodies, what any two of them have in common, and which equal ones are worth comparing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.reading import Call, Reading, Unreadable
from toolcall_conformance.judge.translation.calls.call_context import Surroundings, surroundings
from toolcall_conformance.library import Corpus

T = TypeVar("T")
_NEAR = 10
"""With so many calls before and behind its place each of very many equal calls is compared."""

Marks = tuple[frozenset[str], frozenset[str], frozenset[str]]
Said = tuple[str | None, str]
"""A call's name and arguments."""


@dataclass(slots=True)
class CallsOfBoth:
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
    def of(cls, corpus: Corpus, source: Reading, output: Reading, names: Mapping[str, str]) -> CallsOfBoth:
        before, after = source.calls, output.calls
        expected = [names.get(call.name or "", call.name) for call in before]
        values = [_value(call) for call in before], [_value(call) for call in after]
        alike = any(len(set(each)) < len(each) for each in values)  # else there is nothing to decide
        around = surroundings(source, say=alike), surroundings(output, say=alike)
        ids = frozenset(call.id for call in before), frozenset(call.id for call in after)
        calls = cls(before, after, *around, expected, values, corpus.alignment.parameters, ids)
        for right, call in enumerate(after):
            calls.places.setdefault((call.name, values[1][right]), []).append(right)
        return calls

    def equals(self, left: int) -> list[int]:
        """The calls of the output with the name and the arguments of one of the source."""
        value = self.values[0][left]
        return sorted(right for name in self.names(left) for right in self.places.get((name, value), []))

    def names(self, left: int) -> list[str]:
        """The names that a call of the source may have in the output."""
        return [name for name in dict.fromkeys([self.expected[left], self.source[left].name]) if name is not None]

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

    def lasting(self, call: Call, around: Surroundings) -> Iterator[Hashable]:
        """What tells a call from those that are equal to it, and stays where calls before it are lost."""
        yield None
        yield "id", call.id
        yield "text", around.text
        for result in around.results:
            yield "result", result

    def by_id(self) -> dict[int, int]:
        """Pairs of calls with the same id, if ids are unchanged: the source has all ids of the output.

        Where calls stand in place and their ids do not, the output was numbered anew; ids that stand in place say
        nothing.
        """
        if not self.source or not self.output:
            return {}
        before, after = (_counted(call.id for call in calls) for calls in (self.source, self.output))
        if not all(after) or not after.keys() <= before.keys():
            return {}
        where = {call.id: right for right, call in enumerate(self.output)}
        once = {name for name in after if before[name] == after[name] == 1}
        pairs = {left: where[call.id] for left, call in enumerate(self.source) if call.id in once}
        elsewhere = {left: right for left, right in pairs.items() if left != right}
        unchanged_ids = sum(self.equal(left, right) for left, right in elsewhere.items())
        renumbered = sum(self.equal(left, left) for left in elsewhere if left < len(self.output))
        return self._without_strangers(pairs) if unchanged_ids >= renumbered else {}

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


def _counted(things: Iterable[T]) -> dict[T, int]:
    """How often each is there. A Counter first asks whether it was given a mapping, which takes longer than this."""
    counts: dict[T, int] = {}
    for thing in things:
        counts[thing] = counts.get(thing, 0) + 1
    return counts


def _set(*marks: str | None) -> frozenset[str]:
    return frozenset(mark for mark in marks if mark is not None)


def _value(call: Call) -> str:
    return canonical(call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments)


def worth_comparing(
    calls: CallsOfBoth, rows: Sequence[int], columns: Sequence[int]
) -> Iterator[tuple[int, Iterable[int]]]:
    """Each row with the columns that are equal to it.

    Of very many those that have an id, a text or a result in common with it, and among them, as among all, those that
    come about as late.
    """
    equal: dict[Said, list[int]] = {}
    for column in columns:
        equal.setdefault((calls.output[column].name, calls.values[1][column]), []).append(column)
    asking = _counted(call_key for row in rows for call_key in _said(calls, row))
    crowds = {
        call_key: _Crowd(calls, every)
        for call_key, every in equal.items()
        if max(len(every), asking.get(call_key, 0)) > _NEAR
    }
    for row in rows:
        candidates: dict[int, None] = {}
        for call_key in _said(calls, row):
            if call_key in crowds:
                candidates |= crowds[call_key].near(row)
            elif call_key in equal:
                candidates |= dict.fromkeys(equal[call_key])
        yield row, candidates


def _said(calls: CallsOfBoth, row: int) -> Iterator[Said]:
    """What calls say that are equal to one of the source."""
    return ((name, calls.values[0][row]) for name in calls.names(row))


class _Crowd:
    """Very many calls that are equal, by what tells them apart."""

    def __init__(self, calls: CallsOfBoth, columns: Iterable[int]) -> None:
        self._calls = calls
        self._standing: dict[Hashable, list[int]] = {}
        self._passed: Counter[Hashable] = Counter()
        for column in columns:
            for mark in calls.lasting(calls.output[column], calls.around_output[column]):
                self._standing.setdefault(mark, []).append(column)

    def near(self, row: int) -> dict[int, None]:
        """Those that come about as late as a call of the source; each is asked for once, in order."""
        candidates: dict[int, None] = {}
        for mark in self._calls.lasting(self._calls.source[row], self._calls.around_source[row]):
            at = self._passed[mark]
            self._passed[mark] += 1
            candidates |= dict.fromkeys(self._standing.get(mark, [])[max(0, at - _NEAR) : at + _NEAR])
        return candidates
