"""Results: each at its own call, once, with its content and its error mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.findings import Finding
from toolcall_conformance.reading import Media, Reading, Result, Text
from toolcall_conformance.reading.model import Value
from toolcall_conformance.translation.failures import (
    LOST,
    compare_failure,
    fingerprints,
    looks_like_error,
    says_failure_in_words,
)
from toolcall_conformance.translation.pair import Pair, call_words
from toolcall_conformance.translation.payload import DIFFERENT, Content, compare_payload, read_content

Breach = str | None


@dataclass(slots=True)
class ResultComparison:
    """How each result of the source compares with each of the output; every content is read once."""

    pair: Pair
    source: list[Result]
    output: list[Result]
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
        return cls(pair, source, output, before, [read_content(pair.corpus, result) for result in output])

    def breach(self, left: int, right: int) -> Breach:
        """The rule that the produced content breaks; None if it says the same."""
        if (left, right) not in self.known:
            self.known[left, right] = self._compare(self.before[left], self.after[right], self.output[right])
        return self.known[left, right]

    def _compare(self, want: Content, got: Content, result: Result) -> Breach:
        try:
            if want.error:
                return compare_failure(want, got, self._names(result))
            return compare_payload(want, got)
        except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
            return None  # nested so deep that nothing can be said

    def says_failure_in_words(self, left: int, right: int) -> bool:
        """Whether the output says in words, instead of by a mark, that the tool failed."""
        try:
            return says_failure_in_words(self.before[left], self.after[right], self._names(self.output[right]))
        except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
            return False

    def _names(self, result: Result) -> list[str]:
        """Words that may stand beside the message of a failure."""
        call = None if result.call is None else self.pair.output.calls[result.call]
        return [word for word in (result.name, result.id, call and call.name, call and call.id) if word]

    def close(self, left: int, right: int) -> bool:
        """Whether the contents say the same, perhaps spelt or wrapped in another way."""
        return self.breach(left, right) not in (DIFFERENT, LOST)


def _with_media_beside(reading: Reading) -> Iterator[tuple[Result, list[Media]]]:
    """Each result with the media beside it in its turn, which a translator may put into the result."""
    for turn in reading.turns:
        beside = [item for item in turn.items if isinstance(item, Media)]
        yield from ((item, beside) for item in turn.items if isinstance(item, Result))


def compare_results(pair: Pair) -> Iterator[Finding]:
    """Link results through the aligned calls, then compare their contents.

    The right content at another call is *mis-linked*, which is another fault than a changed content.
    """
    comparison = ResultComparison.of(pair)
    source, output = comparison.source, comparison.output
    expected = [pair.calls.get(result.call) if result.call is not None else None for result in source]
    links = _link(comparison, expected)
    for left, result in enumerate(source):
        if left in links:
            yield from _compare_one(comparison, left, links[left], expected[left])
        elif result.call is None or result.call in pair.calls:  # else the call is lost, and is reported
            yield pair.finding(
                "translation/result-lost",
                _call_pointer(pair, expected[left]),
                want=_shown(result),
                source=result.pointer,
                subject=_words(pair, result),
            )
    claimed = {output[right].call for right in links.values()}
    for right in sorted(set(range(len(output))) - set(links.values())):
        extra = output[right]
        doubled = extra.call is not None and extra.call in claimed
        yield pair.finding(
            "translation/result-duplicated" if doubled else "translation/result-invented",
            extra.pointer,
            got=_shown(extra),
            subject=_words(pair, extra, produced=True),
        )


def _link(comparison: ResultComparison, expected: list[int | None]) -> dict[int, int]:
    """Which result of the output is which of the source."""
    free = dict.fromkeys(range(len(comparison.output)))
    links: dict[int, int] = {}
    answering: dict[int | None, list[int]] = {}
    for right, result in enumerate(comparison.output):
        answering.setdefault(result.call, []).append(right)

    def claim(left: int, candidates: Iterable[int], *, whatever: bool = False) -> None:
        for right in candidates:
            if right in free and (whatever or comparison.close(left, right)):
                links[left] = right
                del free[right]
                return

    def at_call(left: int) -> list[int]:
        return [] if expected[left] is None else answering.get(expected[left], [])

    for left in range(len(comparison.source)):  # the right content at the right call
        claim(left, at_call(left))
    missing = [left for left in range(len(comparison.source)) if left not in links]
    if missing and free:  # the right content elsewhere
        for left, candidates in _elsewhere(comparison, missing):
            claim(left, candidates)
    for left in [left for left in missing if left not in links]:  # another content at the right call
        claim(left, at_call(left), whatever=True)
    swapped = [left for left in missing if left not in links and expected[left] is not None]
    for left in swapped:  # what changed places with a result found elsewhere: blank ones look all alike
        if comparison.before[left].blank:
            claim(left, [right for right in free if comparison.after[right].blank], whatever=True)
    return links


def _elsewhere(comparison: ResultComparison, missing: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Results of the source that alone say what they say, with those of the output that may say the same."""
    twins, places = _by_fingerprint(comparison.before), _by_fingerprint(comparison.after)
    for left in missing:
        marks = fingerprints(comparison.before[left])
        if _is_alone(comparison, left, {other for mark in marks for other in twins.get(mark, [])}):
            yield left, sorted({right for mark in marks for right in places.get(mark, [])})


def _by_fingerprint(contents: list[Content]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, content in enumerate(contents):
        for mark in fingerprints(content):
            found.setdefault(mark, []).append(index)
    return found


def _is_alone(comparison: ResultComparison, left: int, twins: set[int]) -> bool:
    """Whether no other result says the same: of equal contents, none can be followed to another call."""
    content = comparison.before[left]
    return not any(other != left and compare_payload(content, comparison.before[other]) is None for other in twins)


def _call_pointer(pair: Pair, ordinal: int | None) -> str:
    calls = pair.output.calls
    return calls[ordinal].pointer if ordinal is not None and ordinal < len(calls) else ""


def _words(pair: Pair, result: Result, *, produced: bool = False) -> str:
    calls = (pair.output if produced else pair.source).calls
    if result.call is None or result.call >= len(calls):
        return "a result without a call"
    return f"result of {call_words(calls[result.call])}"


def _shown(result: Result) -> Any:
    parts = [
        part.text if isinstance(part, Text) else part.value if isinstance(part, Value) else f"{part.kind} {part.mime}"
        for part in result.parts
    ]
    return parts[0] if len(parts) == 1 else parts


def _compare_one(comparison: ResultComparison, left: int, right: int, expected: int | None) -> Iterator[Finding]:
    pair, before, after = comparison.pair, comparison.source[left], comparison.output[right]
    subject = _words(pair, before)
    if expected is not None and after.call != expected:
        want, got = pair.output.calls[expected], after.call
        other = pair.output.calls[got] if got is not None and got < len(pair.output.calls) else None
        yield pair.finding(
            "translation/results-linked",
            after.id_pointer or after.name_pointer or after.pointer,
            f"this is the {subject}, but it answers {call_words(other) if other else 'no call at all'}",
            want=want.id if after.id_pointer else want.name,
            got=after.id if after.id_pointer else after.name,
            source=before.pointer,
            subject=subject,
        )
    where = after.content_pointer or after.pointer
    breach = comparison.breach(left, right)
    if breach is not None:
        yield pair.finding(
            breach,
            where,
            want=_shown(before),
            got=_shown(after),
            source=before.content_pointer or before.pointer,
            subject=subject,
        )
    if before.error and pair.both("error-mark") and not after.error:
        in_words = comparison.says_failure_in_words(left, right)
        yield pair.finding(
            "translation/error-mark-in-words" if in_words else "translation/error-mark",
            after.pointer,
            want=True,
            got=after.error,
            source=before.pointer,
            subject=subject,
        )
    guessed = before.error is None and pair.corpus.expresses(pair.source.format, "error-mark") != "native"
    if after.error and not before.error and not (guessed and looks_like_error(pair.corpus, before)):
        yield pair.finding(
            "translation/error-mark-invented", where, want=False, got=True, source=before.pointer, subject=subject
        )
