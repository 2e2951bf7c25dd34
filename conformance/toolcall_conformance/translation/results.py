"""Results: each at its own call, once, with its content and its error mark."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.findings import Level
from toolcall_conformance.reading import Result, Text
from toolcall_conformance.reading.model import Value
from toolcall_conformance.translation.pair import Pair, call_words
from toolcall_conformance.translation.payload import (
    carries_message,
    compare_payload,
    looks_like_error,
)


def compare_results(pair: Pair) -> None:
    """Link results through the aligned calls, then compare what each says.

    The right content at another call is *mis-linked*, which is another fault than a changed content.
    """
    source, output = pair.source.results, pair.output.results
    free = list(range(len(output)))
    links: dict[int, int] = {}
    expected = {
        index: pair.calls.get(result.call) if result.call is not None else None for index, result in enumerate(source)
    }

    def claim(left: int, right: int) -> None:
        links[left] = right
        free.remove(right)

    for left, result in enumerate(source):  # the right content at the right call
        for right in free:
            if (
                expected[left] is not None
                and output[right].call == expected[left]
                and _same(pair, result, output[right])
            ):
                claim(left, right)
                break
    for left, result in enumerate(source):  # the right content elsewhere
        if left in links:
            continue
        for right in free:
            if not _empty(result) and _same(pair, result, output[right]) and _is_alone(source, left, pair):
                claim(left, right)
                break
    for left in range(len(source)):  # another content at the right call
        if left in links or expected[left] is None:
            continue
        for right in free:
            if output[right].call == expected[left]:
                claim(left, right)
                break
    for left, result in enumerate(source):
        if left in links:
            _compare_one(pair, result, output[links[left]], expected[left])
        elif result.call is None or result.call in pair.calls:  # else the call is lost, and is reported
            pair.report(
                "translation/result-lost",
                _call_pointer(pair, expected[left]),
                want=_shown(result),
                source=result.pointer,
                subject=_words(pair, result),
            )
    claimed = {output[right].call for right in links.values()}
    for right in free:
        extra = output[right]
        doubled = extra.call is not None and extra.call in claimed
        pair.report(
            "translation/result-duplicated" if doubled else "translation/result-invented",
            extra.pointer,
            got=_shown(extra),
            subject=_words(pair, extra, produced=True),
        )


def _is_alone(source: list[Result], left: int, pair: Pair) -> bool:
    """Whether no other result says the same: equal contents cannot tell where one went."""
    return not any(other != left and _same(pair, source[left], result) for other, result in enumerate(source))


def _same(pair: Pair, left: Result, right: Result) -> bool:
    if compare_payload(left, right, _wrappers(pair)) is None:
        return True
    return bool(left.error) and not _empty(left) and carries_message(left, right)


def _empty(result: Result) -> bool:
    return not result.parts or all(isinstance(part, Text) and not part.text.strip() for part in result.parts)


def _wrappers(pair: Pair) -> list[str]:
    origin = pair.origin
    return [*origin.get("result_wrappers", []), *origin.get("error_keys", [])]


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


def _compare_one(pair: Pair, left: Result, right: Result, expected: int | None) -> None:
    subject = _words(pair, left)
    if expected is not None and right.call != expected:
        want, got = pair.output.calls[expected], right.call
        other = pair.output.calls[got] if got is not None and got < len(pair.output.calls) else None
        pair.report(
            "translation/results-linked",
            right.id_pointer or right.name_pointer or right.pointer,
            f"this is the {subject}, but it answers {call_words(other) if other else 'no call at all'}",
            want=want.id if right.id_pointer else want.name,
            got=right.id if right.id_pointer else right.name,
            source=left.pointer,
            subject=subject,
        )
    where = right.content_pointer or right.pointer
    if left.error:
        _compare_error(pair, left, right, subject, where)
        return
    level = compare_payload(left, right, _wrappers(pair))
    if level is not None:
        pair.report(
            "translation/result-content",
            where,
            want=_shown(left),
            got=_shown(right),
            source=left.content_pointer or left.pointer,
            subject=subject,
            at_most=level,
        )
    if right.error and not (
        left.error is None
        and pair.corpus.expresses(pair.source.format, "error-mark") != "native"
        and looks_like_error(left)
    ):
        pair.report(
            "translation/error-mark-invented", where, want=False, got=True, source=left.pointer, subject=subject
        )


def _compare_error(pair: Pair, left: Result, right: Result, subject: str, where: str) -> None:
    if not carries_message(left, right):
        level = compare_payload(left, right, _wrappers(pair)) or Level.MUST
        pair.report(
            "translation/error-message",
            where,
            want=_shown(left),
            got=_shown(right),
            source=left.content_pointer or left.pointer,
            subject=subject,
            at_most=level,
        )
    if pair.both("error-mark") and not right.error:
        pair.report(
            "translation/error-mark", right.pointer, want=True, got=right.error, source=left.pointer, subject=subject
        )
