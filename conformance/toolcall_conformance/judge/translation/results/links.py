"""Which result of the output is which of the source: by the aligned calls, by what it says, by its id, by its place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolcall_conformance.basics.reading import Call, Media, Reading, Result
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.failures import (
    LOST,
    compare_failure,
    fingerprints,
    says_failure_in_words,
)
from toolcall_conformance.judge.translation.results.payload import DIFFERENT, Content, compare_payload, read_content
from toolcall_conformance.judge.translation.results.placeholders import Described

Breach = str | None


@dataclass(slots=True)
class ResultComparison:
    """How each result of the source compares with each of the output; every content is read once.

    ``expected`` are, for each result of the source, the call of the output that it belongs to; None where that is lost.
    ``calls`` are the output's.
    """

    expected: list[int | None]
    calls: Sequence[Call]
    source: Sequence[Result]
    output: Sequence[Result]
    before: list[Content]
    after: list[Content]
    known: dict[tuple[int, int], Breach] = field(default_factory=dict)

    @classmethod
    def of(cls, pair: Pair) -> ResultComparison:
        origin = pair.origin
        wrappers = [*origin.get("result_wrappers", []), *origin.get("error_keys", [])]
        source, output = pair.source.results, pair.output.results
        before = [
            read_content(pair.corpus, result, wrappers, beside) for result, beside in _with_media_beside(pair.source)
        ]
        after = [read_content(pair.corpus, result) for result in output]
        expected = [pair.call_pairs.get(result.call) if result.call is not None else None for result in source]
        return cls(expected, pair.output.calls, source, output, before, after)

    def breach(self, left: int, right: int) -> Breach:
        """The rule that the produced content breaks; None if it says the same."""
        if (left, right) not in self.known:
            self.known[left, right] = self._compare(self.before[left], self.after[right], self.output[right])
        return self.known[left, right]

    def _compare(self, want: Content, got: Content, result: Result) -> Breach:
        return compare_failure(want, got, self._names(result)) if want.error else compare_payload(want, got)

    def granted(self, left: int, right: int) -> list[str]:
        """The equivalences by which the produced content says the same: the comparison once more, with a record."""
        equivalences: list[str] = []
        self._compare(replace(self.before[left], granted=equivalences), self.after[right], self.output[right])
        return equivalences

    def says_failure_in_words(self, left: int, right: int) -> bool:
        """Whether the output says in words, instead of by a mark, that the tool failed."""
        return says_failure_in_words(self.before[left], self.after[right], self._names(self.output[right]))

    def _names(self, result: Result) -> list[str]:
        """Words that may stand beside the message of a failure."""
        call = None if result.call is None else self.calls[result.call]
        return [word for word in (result.name, result.id, call and call.name, call and call.id) if word]

    def close(self, left: int, right: int) -> bool:
        """Whether the contents say the same, perhaps spelt or wrapped in another way."""
        return self.breach(left, right) not in (DIFFERENT, LOST)


def _with_media_beside(reading: Reading) -> Iterator[tuple[Result, Described]]:
    """Each result with the media beside it in its turn, which a translator may put into the result."""
    for turn in reading.turns:
        beside = Described([item for item in turn.items if isinstance(item, Media)])
        yield from ((item, beside) for item in turn.items if isinstance(item, Result))


def linked(pair: Pair) -> tuple[ResultComparison, Mapping[int, int]]:
    """The results of both sides, and which of the output is which of the source.

    A result whose call is lost has no call to be found at; then it is known by what it says, by its id, or by its place
    among the others. The tool gave it, so it is not invented.
    """
    return pair.view(_linked)


def _linked(pair: Pair) -> tuple[ResultComparison, Mapping[int, int]]:
    comparison = ResultComparison.of(pair)
    linker = _Linker(comparison)
    linker.at_their_calls()
    if linker.free:
        linker.elsewhere()
    linker.changed_at_their_calls()
    if linker.free:
        linker.left_over()
    return comparison, linker.links


class _Linker:
    """The results that are linked so far; ``free`` are those of the output that are not, in order."""

    def __init__(self, comparison: ResultComparison) -> None:
        self._comparison = comparison
        self._answering: dict[int | None, list[int]] = {}
        for right, result in enumerate(comparison.output):
            self._answering.setdefault(result.call, []).append(right)
        self.free = dict.fromkeys(range(len(comparison.output)))
        self.links: dict[int, int] = {}

    def at_their_calls(self) -> None:
        """The right content at the right call."""
        for left in self._unlinked():
            self._claim(left, self._at_call(left))

    def elsewhere(self) -> None:
        """The right content elsewhere, if no other result says the same."""
        missing = self._unlinked()
        for left, candidates in _elsewhere(self._comparison, missing) if missing else ():
            self._claim(left, candidates)

    def changed_at_their_calls(self) -> None:
        """Another content at the right call, and what changed places with a result found elsewhere."""
        before, after = self._comparison.before, self._comparison.after
        for left in self._unlinked():
            self._claim(left, self._at_call(left), whatever=True)
        for left, right in self._places_exchanged():
            self._claim(left, [right], whatever=True)
        for left in self._unlinked():  # blank ones look all alike
            if self._comparison.expected[left] is not None and before[left].blank:
                self._claim(left, [right for right in self.free if after[right].blank], whatever=True)

    def _places_exchanged(self) -> Iterator[tuple[int, int]]:
        """Results whose place another took, with what stands at the end of that exchange of places.

        The first result answers the second call, and something else the first call: that is the second, changed.
        """
        expected, output = self._comparison.expected, self._comparison.output
        holder = {output[right].call: left for left, right in self.links.items()}
        for left in self._unlinked():
            call, visited = expected[left], set[int | None]()
            while call is not None and call in holder and call not in visited:
                visited.add(call)
                call = expected[holder[call]]
            if visited and call is not None and call not in visited:
                yield from ((left, right) for right in self._answering.get(call, [])[:1])

    def left_over(self) -> None:
        """The same id; then one of several that say the same, of which any is as good; then the same place."""
        comparison = self._comparison
        by_id: dict[str | None, list[int]] = {}
        for right in self.free:
            by_id.setdefault(comparison.output[right].id or None, []).append(right)
        for left in self._unlinked():
            name = comparison.source[left].id
            self._claim(left, by_id.get(name, []) if name else [], whatever=True)
        places = _by_fingerprint({right: comparison.after[right] for right in self.free})
        for left in self._unlinked():
            marks = fingerprints(comparison.before[left])
            self._claim(left, sorted({right for mark in marks for right in places.get(mark, [])}))
        for left, right in _in_place(comparison, self.links, self.free):
            self._claim(left, [right], whatever=True)

    def _claim(self, left: int, candidates: Iterable[int], *, whatever: bool = False) -> None:
        for right in candidates:
            if right in self.free and (whatever or self._comparison.close(left, right)):
                self.links[left] = right
                del self.free[right]
                return

    def _at_call(self, left: int) -> list[int]:
        expected = self._comparison.expected[left]
        return [] if expected is None else self._answering.get(expected, [])

    def _unlinked(self) -> list[int]:
        return [left for left in range(len(self._comparison.source)) if left not in self.links]


def _in_place(comparison: ResultComparison, links: Mapping[int, int], free: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Results that answer no call, between the same neighbours as so many of the source: they are these, changed."""
    source_places, output_places = sorted(links), sorted(links.values())
    gaps: dict[int, tuple[list[int], list[int]]] = {}
    for left in range(len(comparison.source)):
        if left not in links:
            gaps.setdefault(bisect_left(source_places, left), ([], []))[0].append(left)
    for right in free:
        if comparison.output[right].call is None:
            gaps.setdefault(bisect_left(output_places, right), ([], []))[1].append(right)
    return (each for olds, news in gaps.values() if len(olds) == len(news) for each in zip(olds, news, strict=True))


def _elsewhere(comparison: ResultComparison, missing: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Results of the source that alone say what they say, with those of the output that may say the same."""
    twins, places = (
        _by_fingerprint(dict(enumerate(comparison.before))),
        _by_fingerprint(dict(enumerate(comparison.after))),
    )
    for left in missing:
        marks = fingerprints(comparison.before[left])
        if _is_alone(comparison, left, {other for mark in marks for other in twins.get(mark, [])}):
            yield left, sorted({right for mark in marks for right in places.get(mark, [])})


def _by_fingerprint(contents: Mapping[int, Content]) -> dict[str, list[int]]:
    indices: dict[str, list[int]] = {}
    for index, content in contents.items():
        for mark in fingerprints(content):
            indices.setdefault(mark, []).append(index)
    return indices


def _is_alone(comparison: ResultComparison, left: int, twins: set[int]) -> bool:
    """Whether no other result says the same: of equal contents, none can be followed to another call."""
    content = comparison.before[left]
    return not any(other != left and compare_payload(content, comparison.before[other]) is None for other in twins)
