"""Results: each at its own call, once, with its content and its error mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Call, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair, describe_call
from toolcall_conformance.judge.translation.results.failures import looks_like_error
from toolcall_conformance.judge.translation.results.links import ResultComparison, link_results
from toolcall_conformance.judge.translation.results.payload import PLACEHOLDER, TRIMMED
from toolcall_conformance.judge.translation.texts.rendered_text import TextualizedCalls
from toolcall_conformance.judge.translation.wire_words import notation_hint, result_value, result_words

#: The equivalences of rules that are reported all the same.
_EQUIVALENCE_BY_RULE: Final[Mapping[str | None, str]] = {
    TRIMMED: "result-trimmed",
    PLACEHOLDER: "placeholder-for-empty",
}


def compare_results(pair: Pair) -> Iterator[Finding]:
    """Link results through the aligned calls, then compare their contents.

    The right content at another call is *mis-linked*, which is another fault than a changed content.
    """
    comparison, links = link_results(pair)
    source, output, expected = comparison.source, comparison.output, comparison.expected_calls
    textualized_calls = pair.view(TextualizedCalls.of)
    for left, result in enumerate(source):
        if left in links:
            yield from _compare_result(pair, comparison, left, links[left])
        elif result.call is None or result.call in pair.call_pairs:  # else the call is lost, and is reported
            at_call = _call_pointer(pair, expected[left])
            yield _lost_result(
                pair, result, textualized_calls.rendering_of(result), at_call or nearest_place(pair, result.pointer)
            )
    if pair.accepted is not None:
        _record_other_orders(pair, comparison, links)
    answers: dict[tuple[int | None, str | None], int] = {}
    for left, right in links.items():
        answers.setdefault(_answered_call(output[right]), left)
    for right in sorted(set(range(len(output))) - set(links.values())):
        extra = output[right]
        twin = answers.get(_answered_call(extra)) if extra.call is not None or extra.id else None
        yield pair.finding(
            "translation/result-invented" if twin is None else "translation/result-duplicated",
            extra.pointer,
            want=MISSING,
            got=_content_as_written(pair, extra),
            source=None if twin is None else source[twin].pointer,
            subject=_describe_result(pair, extra, produced=True),
        )


def _record_equivalences(pair: Pair, comparison: ResultComparison, left: int, right: int) -> None:
    """Record the equivalences by which the output's content differs from the source's."""
    before, after, breach = comparison.source[left], comparison.output[right], comparison.breach(left, right)
    names = [_EQUIVALENCE_BY_RULE[breach]] if breach in _EQUIVALENCE_BY_RULE else []
    names += comparison.granted_equivalences(left, right) if breach is None or names else []
    where, source = after.content_pointer or after.pointer, before.content_pointer or before.pointer
    objects = all(any(isinstance(part, Value) for part in result.parts) for result in (before, after))
    for name in names:
        reported = objects and name != "error-key"
        pair.accept(name, where, source, _content_value(before), _content_value(after), only_translated=reported)


def _record_other_orders(pair: Pair, comparison: ResultComparison, links: Mapping[int, int]) -> None:
    """Record the turns whose results answer the same calls in another order."""
    turns, others = pair.output.turn_by_pointer, pair.source.turn_by_pointer
    first: dict[int, Result] = {}
    for result in comparison.output:
        first.setdefault(turns[result.pointer], result)
    for (left, left_output), (right, right_output) in pairwise(sorted(links.items())):
        sources, outputs = (
            [comparison.source[left], comparison.source[right]],
            [comparison.output[at] for at in (left_output, right_output)],
        )
        together = (
            len({others[result.pointer] for result in sources})
            == len({turns[result.pointer] for result in outputs})
            == 1
        )
        if left_output > right_output and together:
            pair.accept("order-of-results-linked-by-id", first[turns[outputs[0].pointer]].pointer)


def _lost_result(pair: Pair, result: Result, rendered_text: Text | None, at_call: str) -> Finding:
    """Return the finding for a lost result, which may be rendered as text."""
    return pair.finding(
        "translation/result-lost",
        at_call if rendered_text is None else rendered_text.pointer,
        "" if rendered_text is None else "a tool result is rendered as text instead",
        want=Words(result_words(result) or "an empty result"),
        got=MISSING if rendered_text is None else rendered_text.text,
        source=result.pointer,
        subject=_describe_result(pair, result),
    )


def _answered_call(result: Result) -> tuple[int | None, str | None]:
    """Return a key that results share if they answer the same call, or have the same id and no call."""
    return result.call, result.id if result.call is None else None


def _content_as_written(pair: Pair, result: Result) -> Any:
    """Return the content of a result as the output's body has it."""
    return _content_value(result) if result.parts else pair.value_at(result.content_pointer, [])


def _call_pointer(pair: Pair, ordinal: int | None) -> str:
    calls = pair.output.calls
    return calls[ordinal].pointer if ordinal is not None and ordinal < len(calls) else ""


def _describe_result(pair: Pair, result: Result, *, produced: bool = False) -> str:
    """Describe a result by its call."""
    calls = (pair.output if produced else pair.source).calls
    if result.call is None or result.call >= len(calls):
        return "a result without a call"
    return f"result of {describe_call(calls[result.call])}"


def _content_value(result: Result) -> Any:
    """Return the content of a result as a JSON value."""
    parts = [
        part.text if isinstance(part, Text) else part.value if isinstance(part, Value) else f"{part.kind} {part.mime}"
        for part in result.parts
    ]
    return parts[0] if len(parts) == 1 else parts


def _describe_answer(call: Call | None) -> str:
    return f"the answer to {describe_call(call)}" if call is not None else "the answer to no call at all"


def _failure_mark(pair: Pair) -> Any:
    """Return the mark of a failed tool: a flag, or the key that holds its message."""
    failure = pair.wire_words["failure"]
    return True if isinstance(failure, str) else Words(next(iter(failure)))


def _can_mark_failure(pair: Pair) -> bool:
    """Whether the output can mark a failed result; some kinds of results can even where the format cannot."""
    native = pair.corpus.expresses(pair.output.format, "error-mark") == "native"
    return pair.both_express("error-mark") or (pair.through is None and native)


def _compare_result(pair: Pair, comparison: ResultComparison, left: int, right: int) -> Iterator[Finding]:
    """Compare the call, the content and the error mark of two linked results."""
    before, after, expected = comparison.source[left], comparison.output[right], comparison.expected_calls[left]
    subject = _describe_result(pair, before)
    if expected is not None and after.call != expected:
        want, got = pair.output.calls[expected], after.call
        other = pair.output.calls[got] if got is not None and got < len(pair.output.calls) else None
        names = (want.id, after.id) if after.id_pointer else (want.name, after.name)
        message = f"the {subject}, became {_describe_answer(other)}"
        if names[0] == names[1]:  # the place decides which of several calls is meant
            names = (f"the answer to {describe_call(want)}", _describe_answer(other))
            unnamed = f"; it lacks the call's id, {want.id}" if want.id else "; the target pairs them by their order"
            message += "" if after.id else unnamed
        elif other is None and after.id:
            message += ": it has a wrong id"
        named = names[0]
        yield pair.finding(
            "translation/results-linked",
            after.id_pointer or after.name_pointer or after.pointer,
            message,
            want=named if named and names[1] is not None else Words(named or f"the answer to {describe_call(want)}"),
            got=MISSING if names[1] is None else names[1],
            source=before.pointer,
            subject=subject,
        )
    where = after.content_pointer or after.pointer
    breach = comparison.breach(left, right)
    if pair.accepted is not None:
        _record_equivalences(pair, comparison, left, right)
    if breach is not None:
        yield pair.finding(
            breach,
            where,
            want=result_value(pair, before),
            got=_content_as_written(pair, after),
            source=before.content_pointer or before.pointer,
            subject=subject,
        )
    if {before.error, after.error} == {False, None}:
        pair.accept("error-false-absent", after.pointer, before.pointer, before.error, after.error)
    if before.error and not after.error and not _can_mark_failure(pair):
        pair.accept(
            "error-as-text",
            where,
            before.content_pointer or before.pointer,
            _content_value(before),
            _content_value(after),
        )
    elif before.error and not after.error:
        in_words = comparison.says_failure_in_words(left, right)
        rule = "translation/error-mark-in-words" if in_words else "translation/error-mark"
        yield pair.finding(
            rule,
            after.pointer,
            f"{pair.corpus.rules[rule].breach}; {notation_hint(pair, 'error-mark')}",
            want=_failure_mark(pair),
            got=MISSING if after.error is None else after.error,
            source=before.pointer,
            subject=subject,
        )
    guessed = before.error is None and pair.corpus.expresses(pair.source.format, "error-mark") != "native"
    if after.error and not before.error and not (guessed and looks_like_error(pair.corpus, before)):
        yield pair.finding(
            "translation/error-mark-invented", where, want=False, got=True, source=before.pointer, subject=subject
        )
