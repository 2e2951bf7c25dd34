"""Which result of the output is which of the source: by aligned calls, then by content, by id, by place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolcall_conformance.basics.reading import Call, Media, Reading, Result
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.failures import (
    MESSAGE_LOST,
    compare_failure,
    fingerprints,
    says_failure_in_words,
)
from toolcall_conformance.judge.translation.results.payload import DIFFERENT, Content, compare_payload, read_content
from toolcall_conformance.judge.translation.results.placeholders import ReferencedMedia

BrokenRule = str | None


@dataclass(slots=True)
class ResultComparison:
    """How each result of the source compares with each of the output; every content is read once.

    ``expected_calls`` are, for each result of the source, the ordinal of the output's call that it belongs to; None if
    that call is lost. ``calls`` are the output's. ``before`` and ``after`` are the contents of both sides.
    """

    expected_calls: list[int | None]
    calls: Sequence[Call]
    source: Sequence[Result]
    output: Sequence[Result]
    before: list[Content]
    after: list[Content]
    breaches: dict[tuple[int, int], BrokenRule] = field(default_factory=dict)

    @classmethod
    def of(cls, pair: Pair) -> ResultComparison:
        """Read the results of both sides of a pair."""
        origin = pair.origin
        wrappers = [*origin.get("result_wrappers", []), *origin.get("error_keys", [])]
        source, output = pair.source.results, pair.output.results
        before = [
            read_content(pair.corpus, result, wrappers, neighbours)
            for result, neighbours in _results_with_neighbours(pair.source)
        ]
        after = [read_content(pair.corpus, result) for result in output]
        expected = [pair.call_pairs.get(result.call) if result.call is not None else None for result in source]
        return cls(expected, pair.output.calls, source, output, before, after)

    def breach(self, left: int, right: int) -> BrokenRule:
        """Return the rule that the output's content breaks; None if it says the same."""
        if (left, right) not in self.breaches:
            self.breaches[left, right] = self._compare(self.before[left], self.after[right], self.output[right])
        return self.breaches[left, right]

    def _compare(self, want: Content, got: Content, result: Result) -> BrokenRule:
        return (
            compare_failure(want, got, self._words_beside_message(result))
            if want.is_failure
            else compare_payload(want, got)
        )

    def granted_equivalences(self, left: int, right: int) -> list[str]:
        """Return the equivalences by which the output's content says the same. Compares once more."""
        equivalences: list[str] = []
        self._compare(replace(self.before[left], granted=equivalences), self.after[right], self.output[right])
        return equivalences

    def says_failure_in_words(self, left: int, right: int) -> bool:
        """Whether the output says in words, instead of by a mark, that the tool failed."""
        return says_failure_in_words(
            self.before[left], self.after[right], self._words_beside_message(self.output[right])
        )

    def _words_beside_message(self, result: Result) -> list[str]:
        """Return words that may be next to the message of a failure."""
        call = None if result.call is None else self.calls[result.call]
        return [word for word in (result.name, result.id, call and call.name, call and call.id) if word]

    def is_close(self, left: int, right: int) -> bool:
        """Whether the contents say the same, perhaps in another notation or wrapped otherwise."""
        return self.breach(left, right) not in (DIFFERENT, MESSAGE_LOST)


def _results_with_neighbours(reading: Reading) -> Iterator[tuple[Result, ReferencedMedia]]:
    """Yield each result with the media next to it in its turn, which a translator may put into the result."""
    for turn in reading.turns:
        neighbours = ReferencedMedia([item for item in turn.items if isinstance(item, Media)])
        yield from ((item, neighbours) for item in turn.items if isinstance(item, Result))


def link_results(pair: Pair) -> tuple[ResultComparison, Mapping[int, int]]:
    """Return the results of both sides, and which of the output is which of the source.

    A result whose call is lost has no call to link it; it is recognised by its content, by its id, or by its place
    among the others. The tool returned it, so it is not invented.
    """
    return pair.view(_link_results_uncached)


def _link_results_uncached(pair: Pair) -> tuple[ResultComparison, Mapping[int, int]]:
    comparison = ResultComparison.of(pair)
    linker = _Linker(comparison)
    linker.link_at_calls()
    if linker.free:
        linker.link_elsewhere()
    linker.link_changed()
    if linker.free:
        linker.link_remaining()
    return comparison, linker.links


class _Linker:
    """The links so far; ``free`` are the results of the output that are not linked yet, in order."""

    def __init__(self, comparison: ResultComparison) -> None:
        self._comparison = comparison
        self._results_by_call: dict[int | None, list[int]] = {}
        for right, result in enumerate(comparison.output):
            self._results_by_call.setdefault(result.call, []).append(right)
        self.free = dict.fromkeys(range(len(comparison.output)))
        self.links: dict[int, int] = {}

    def link_at_calls(self) -> None:
        """Link results with the right content at the right call."""
        for left in self._unlinked_results():
            self._link_first(left, self._results_at_call(left))

    def link_elsewhere(self) -> None:
        """Link results with the right content at another call, if no other result says the same."""
        missing = self._unlinked_results()
        for left, candidates in _unique_contents(self._comparison, missing) if missing else ():
            self._link_first(left, candidates)

    def link_changed(self) -> None:
        """Link results with another content at the right call, and those that exchanged places."""
        before, after = self._comparison.before, self._comparison.after
        for left in self._unlinked_results():
            self._link_first(left, self._results_at_call(left), any_content=True)
        for left, right in self._exchanged_places():
            self._link_first(left, [right], any_content=True)
        for left in self._unlinked_results():  # blank ones look all alike
            if self._comparison.expected_calls[left] is not None and before[left].is_blank:
                self._link_first(left, [right for right in self.free if after[right].is_blank], any_content=True)

    def _exchanged_places(self) -> Iterator[tuple[int, int]]:
        """Yield results whose place another took, with the result at the end of the exchange.

        The first result answers the second call, and something else the first call: that is the second result, changed.
        """
        expected, output = self._comparison.expected_calls, self._comparison.output
        holder = {output[right].call: left for left, right in self.links.items()}
        for left in self._unlinked_results():
            call, visited = expected[left], set[int | None]()
            while call is not None and call in holder and call not in visited:
                visited.add(call)
                call = expected[holder[call]]
            if visited and call is not None and call not in visited:
                yield from ((left, right) for right in self._results_by_call.get(call, [])[:1])

    def link_remaining(self) -> None:
        """Link by id; then one of several with the same content, of which any will do; then by place."""
        comparison = self._comparison
        by_id: dict[str | None, list[int]] = {}
        for right in self.free:
            by_id.setdefault(comparison.output[right].id or None, []).append(right)
        for left in self._unlinked_results():
            name = comparison.source[left].id
            self._link_first(left, by_id.get(name, []) if name else [], any_content=True)
        places = _indices_by_fingerprint({right: comparison.after[right] for right in self.free})
        for left in self._unlinked_results():
            marks = fingerprints(comparison.before[left])
            self._link_first(left, sorted({right for mark in marks for right in places.get(mark, [])}))
        for left, right in _pairs_between_neighbours(comparison, self.links, self.free):
            self._link_first(left, [right], any_content=True)

    def _link_first(self, left: int, candidates: Iterable[int], *, any_content: bool = False) -> None:
        """Link a result to the first free candidate with the same content; ``any_content``: with any content."""
        for right in candidates:
            if right in self.free and (any_content or self._comparison.is_close(left, right)):
                self.links[left] = right
                del self.free[right]
                return

    def _results_at_call(self, left: int) -> list[int]:
        expected = self._comparison.expected_calls[left]
        return [] if expected is None else self._results_by_call.get(expected, [])

    def _unlinked_results(self) -> list[int]:
        return [left for left in range(len(self._comparison.source)) if left not in self.links]


def _pairs_between_neighbours(
    comparison: ResultComparison, links: Mapping[int, int], free: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Yield results that answer no call, between the same linked neighbours as equally many of the source."""
    source_places, output_places = sorted(links), sorted(links.values())
    gaps: dict[int, tuple[list[int], list[int]]] = {}
    for left in range(len(comparison.source)):
        if left not in links:
            gaps.setdefault(bisect_left(source_places, left), ([], []))[0].append(left)
    for right in free:
        if comparison.output[right].call is None:
            gaps.setdefault(bisect_left(output_places, right), ([], []))[1].append(right)
    return (each for olds, news in gaps.values() if len(olds) == len(news) for each in zip(olds, news, strict=True))


def _unique_contents(comparison: ResultComparison, missing: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield results of the source with a unique content, with those of the output that may say the same."""
    twins, places = (
        _indices_by_fingerprint(dict(enumerate(comparison.before))),
        _indices_by_fingerprint(dict(enumerate(comparison.after))),
    )
    for left in missing:
        marks = fingerprints(comparison.before[left])
        if _is_unique(comparison, left, {other for mark in marks for other in twins.get(mark, [])}):
            yield left, sorted({right for mark in marks for right in places.get(mark, [])})


def _indices_by_fingerprint(contents: Mapping[int, Content]) -> dict[str, list[int]]:
    """Return the indices of the contents by each of their fingerprints."""
    indices: dict[str, list[int]] = {}
    for index, content in contents.items():
        for mark in fingerprints(content):
            indices.setdefault(mark, []).append(index)
    return indices


def _is_unique(comparison: ResultComparison, left: int, twins: set[int]) -> bool:
    """Whether no other result says the same: equal contents cannot be followed to another call."""
    content = comparison.before[left]
    return not any(other != left and compare_payload(content, comparison.before[other]) is None for other in twins)
