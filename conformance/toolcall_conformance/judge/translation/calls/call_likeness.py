"""The calls of two bodies, what any two of them have in common, and which equal ones are worth comparing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.reading import Call, Reading, Result, Text, Unreadable
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.results.failures import strings_in
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus

T = TypeVar("T")
_MAX_DISTANCE = 10
"""Each of very many equal calls is compared with this many calls before and after its position."""

Marks = tuple[frozenset[str], frozenset[str], frozenset[str]]
CallKey = tuple[str | None, str]
"""A call's name and arguments."""


@dataclass(slots=True)
class CallsOfBoth:
    """The calls of both sides, and what any two of them have in common.

    ``expected_names`` are the output's names for the source's calls, ``argument_texts`` the arguments of both sides as
    canonical text, ``ordinals`` those of the output's calls by name and arguments.
    """

    source: Sequence[Call]
    output: Sequence[Call]
    source_surroundings: Sequence[Surroundings]
    output_surroundings: Sequence[Surroundings]
    expected_names: list[str | None]
    argument_texts: tuple[list[str], list[str]]
    parameters: Mapping[str, int]
    ids: tuple[frozenset[str | None], frozenset[str | None]]
    ordinals: dict[tuple[str | None, str], list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, corpus: Corpus, source: Reading, output: Reading, names: Mapping[str, str]) -> CallsOfBoth:
        """Read the calls of two bodies; ``names`` are the output's names of tools by the source's."""
        before, after = source.calls, output.calls
        expected = [names.get(call.name or "", call.name) for call in before]
        values = [_argument_text(call) for call in before], [_argument_text(call) for call in after]
        has_equal_calls = any(len(set(each)) < len(each) for each in values)  # else surroundings decide nothing
        around = call_surroundings(source, needed=has_equal_calls), call_surroundings(output, needed=has_equal_calls)
        ids = frozenset(call.id for call in before), frozenset(call.id for call in after)
        calls = cls(before, after, *around, expected, values, corpus.alignment.parameters, ids)
        for right, call in enumerate(after):
            calls.ordinals.setdefault((call.name, values[1][right]), []).append(right)
        return calls

    def equal_calls(self, left: int) -> list[int]:
        """Return the output's calls with the name and arguments of one of the source."""
        value = self.argument_texts[0][left]
        return sorted(right for name in self.possible_names(left) for right in self.ordinals.get((name, value), []))

    def possible_names(self, left: int) -> list[str]:
        """Return the names that a call of the source may have in the output."""
        return [name for name in dict.fromkeys([self.expected_names[left], self.source[left].name]) if name is not None]

    def common_points(self, left: int, right: int) -> int:
        """Return what two calls have in common, in points of the corpus."""
        before, after = self.source[left], self.output[right]
        points = 0
        if after.name is not None and after.name in (self.expected_names[left], before.name):
            points += self.parameters["name_points"]
        if self.argument_texts[0][left] == self.argument_texts[1][right]:
            points += self.parameters["arguments_points"]
        if before.id is not None and before.id == after.id:
            points += self.parameters["id_points"]
        return points

    def marks_of_source(self, left: int) -> Marks:
        """Return the names that a source call may have in the output, its arguments, and its id."""
        call = self.source[left]
        return (
            _set_of_marks(call.name, self.expected_names[left]),
            _set_of_marks(self.argument_texts[0][left]),
            _set_of_marks(call.id),
        )

    def marks_of_output(self, right: int) -> Marks:
        """Return the name of an output call, its arguments, and its id."""
        call = self.output[right]
        return _set_of_marks(call.name), _set_of_marks(self.argument_texts[1][right]), _set_of_marks(call.id)

    def are_equal(self, left: int, right: int) -> bool:
        """Whether two calls have the same name and the same arguments."""
        return self.common_points(left, right) >= self.parameters["name_points"] + self.parameters["arguments_points"]

    def surroundings_points(self, left: int, right: int) -> int:
        """Return what the surroundings of two calls have in common, in points of the corpus."""
        return self.source_surroundings[left].common_points(self.output_surroundings[right], self.parameters)

    def distinguishing_marks(self, call: Call, around: Surroundings) -> Iterator[Hashable]:
        """Yield marks that distinguish a call from equal ones, even if calls before it are lost."""
        yield None
        yield "id", call.id
        yield "text", around.text
        for result in around.results:
            yield "result", result

    def pairs_by_id(self) -> dict[int, int]:
        """Return pairs of calls with the same id, if ids are unchanged: the source has all ids of the output.

        Where calls keep their places and ids do not, the output was numbered anew; then ids that keep their places mean
        nothing.
        """
        if not self.source or not self.output:
            return {}
        before, after = (_count_occurrences(call.id for call in calls) for calls in (self.source, self.output))
        if not all(after) or not after.keys() <= before.keys():
            return {}
        where = {call.id: right for right, call in enumerate(self.output)}
        once = {name for name in after if before[name] == after[name] == 1}
        pairs = {left: where[call.id] for left, call in enumerate(self.source) if call.id in once}
        elsewhere = {left: right for left, right in pairs.items() if left != right}
        unchanged_ids = sum(self.are_equal(left, right) for left, right in elsewhere.items())
        renumbered = sum(self.are_equal(left, left) for left in elsewhere if left < len(self.output))
        return self._without_false_pairs(pairs) if unchanged_ids >= renumbered else {}

    def _without_false_pairs(self, pairs: dict[int, int]) -> dict[int, int]:
        """Return the pairs without those of the same id for which another call is intact.

        That is so where the other call lost its own id, or where two calls of different tools changed places.
        """
        changed = {left: right for left, right in pairs.items() if not self.are_equal(left, right)}
        if not changed:
            return pairs
        intact: dict[int, list[int]] = {}
        for left in range(len(self.source)):
            for right in self.equal_calls(left):
                intact.setdefault(right, []).append(left)
        strangers = {
            right
            for left, right in changed.items()
            if any(
                other not in pairs or (other in changed and self.output[right].name != self.expected_names[left])
                for other in intact.get(right, ())
            )
        }
        return {
            left: right
            for left, right in pairs.items()
            if left not in changed or not (right in strangers or strangers.intersection(self.equal_calls(left)))
        }


def _count_occurrences(things: Iterable[T]) -> dict[T, int]:
    """Count how often each item occurs. Faster than Counter, which first checks for a mapping."""
    counts: dict[T, int] = {}
    for item in things:
        counts[item] = counts.get(item, 0) + 1
    return counts


def _set_of_marks(*marks: str | None) -> frozenset[str]:
    return frozenset(mark for mark in marks if mark is not None)


def _argument_text(call: Call) -> str:
    return canonical(call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments)


def comparison_candidates(
    calls: CallsOfBoth, rows: Sequence[int], columns: Sequence[int]
) -> Iterator[tuple[int, Iterable[int]]]:
    """Yield each row with the columns that are equal to it.

    Of very many, only those that share an id, a text or a result with it, and among them, as among all, those at about
    the same position.
    """
    equal: dict[CallKey, list[int]] = {}
    for column in columns:
        equal.setdefault((calls.output[column].name, calls.argument_texts[1][column]), []).append(column)
    asking = _count_occurrences(call_key for row in rows for call_key in _equal_call_keys(calls, row))
    crowds = {
        call_key: _EqualCalls(calls, equal_calls)
        for call_key, equal_calls in equal.items()
        if max(len(equal_calls), asking.get(call_key, 0)) > _MAX_DISTANCE
    }
    for row in rows:
        candidates: dict[int, None] = {}
        for call_key in _equal_call_keys(calls, row):
            if call_key in crowds:
                candidates |= crowds[call_key].calls_near(row)
            elif call_key in equal:
                candidates |= dict.fromkeys(equal[call_key])
        yield row, candidates


def _equal_call_keys(calls: CallsOfBoth, row: int) -> Iterator[CallKey]:
    """Yield (name, arguments) of output calls that are equal to a source call."""
    return ((name, calls.argument_texts[0][row]) for name in calls.possible_names(row))


class _EqualCalls:
    """Very many equal calls, indexed by what distinguishes them."""

    def __init__(self, calls: CallsOfBoth, columns: Iterable[int]) -> None:
        self._calls = calls
        self._columns_by_mark: dict[Hashable, list[int]] = {}
        self._rows_by_mark: Counter[Hashable] = Counter()
        for column in columns:
            for mark in calls.distinguishing_marks(calls.output[column], calls.output_surroundings[column]):
                self._columns_by_mark.setdefault(mark, []).append(column)

    def calls_near(self, row: int) -> dict[int, None]:
        """Return those at about the position of a source call; ask for each source call once, in order."""
        candidates: dict[int, None] = {}
        for mark in self._calls.distinguishing_marks(self._calls.source[row], self._calls.source_surroundings[row]):
            at = self._rows_by_mark[mark]
            self._rows_by_mark[mark] += 1
            candidates |= dict.fromkeys(
                self._columns_by_mark.get(mark, [])[max(0, at - _MAX_DISTANCE) : at + _MAX_DISTANCE]
            )
        return candidates


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The number of a call's turn among the assistant's, the last text before it, and the texts of its results."""

    turn: int = 0
    text: str = ""
    results: frozenset[str] = frozenset()

    def common_points(self, other: Surroundings, weights: Mapping[str, int]) -> int:
        """Return what two surroundings have in common, in points of the corpus."""
        points = weights["turn_points"] if self.turn == other.turn else 0
        if self.text == other.text:
            points += weights["text_points"]
        if self.results == other.results or self.results & other.results:
            points += weights["result_points"]
        return points


def call_surroundings(reading: Reading, *, needed: bool) -> list[Surroundings]:
    """Return the surroundings of every call, in order; empty ones unless they are ``needed``."""
    calls = reading.calls
    if not needed:
        return [Surroundings()] * len(calls)
    results: dict[int | None, set[str]] = {}
    for result in reading.results:
        results.setdefault(result.call, set()).update(_result_texts(result))
    neighborhoods: list[Surroundings] = []
    spoken, turns = "", 0
    for turn in reading.turns:
        turns += turn.side == "assistant"
        for item in turn.items:
            if isinstance(item, Text):
                spoken = squeeze(item.text)
            elif isinstance(item, Call):
                neighborhoods.append(Surroundings(turns, spoken, frozenset(results.get(item.ordinal, ()))))
    return neighborhoods


def _result_texts(result: Result) -> set[str]:
    """Return all texts of a result, without white space."""
    values = [
        part.text if isinstance(part, Text) else part.value for part in result.parts if isinstance(part, (Text, Value))
    ]
    return {squeeze(text) for value in values for text in strings_in(value)} - {""}
