"""An error that the provider answered with, and its translation for the client.

The client's SDK reads the status: by it the SDK distinguishes an error from an answer, retries or gives up, and chooses
its exception. The statuses after which it retries are ``retried_statuses`` in format.json.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolcall_conformance.basics.findings import MISSING, Finding, Words, one_of
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Failure, Reading
from toolcall_conformance.basics.reading.model import Wait
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.library import Corpus

_EQUIVALENCE = "error-status-alike"
_LOST_RULE, _HEADER_ONLY_RULE = "translation/retry-after", "translation/retry-after-in-body"
WAIT_RULES: Final = frozenset({_LOST_RULE, _HEADER_ONLY_RULE})
"""The rules for a time to wait that is missing or too short."""


def compare_errors(sides: Sides) -> Iterator[Finding]:
    """Compare the status, the message and the time to wait."""
    before, after = sides.source.failure, sides.output.failure
    if before is None or after is None:
        return
    yield from _compare_status(sides, before, after)
    yield from compare_message(sides)
    yield from compare_wait(sides)
    record_error_details(sides)


def record_error_details(sides: Sides, places: tuple[str, str] | None = None) -> None:
    """Record what an error of another format has besides status and message: no client decides by it.

    ``places`` are those of :func:`compare_message`.
    """
    if sides.accepted is None or sides.is_same_format:
        return
    before, after = (list(_details(reading)) for reading in (sides.source, sides.output))
    details_before, details_after = (
        {(each.pointer.rpartition("/")[2], each.value) for each in side} for side in (before, after)
    )
    for pointer, value in after:
        if (pointer.rpartition("/")[2], value) not in details_before:
            sides.accept("error-details", pointer if places is None else places[0], None, MISSING, value)
    for pointer, value in before:
        if (pointer.rpartition("/")[2], value) not in details_after:
            sides.accept("error-details", "", pointer if places is None else places[1], value)


class _Detail(NamedTuple):
    pointer: str
    value: Any


def _details(reading: Reading) -> Iterator[_Detail]:
    """Yield the members of an error that are no objects or arrays, without its status and its message."""
    failure = reading.failure
    aside = set() if failure is None else {failure.status_pointer, failure.message_pointer}
    places: list[tuple[str, Any]] = [("", reading.body)]
    while places:
        pointer, value = places.pop()
        if isinstance(value, (dict, list)):
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            places += [(join(pointer, key), entry) for key, entry in entries]
        elif pointer not in aside:
            yield _Detail(pointer, value)


def _compare_status(sides: Sides, before: Failure, after: Failure) -> Iterator[Finding]:
    """Report a status that is no error, or by which the client misreads the error or retries wrongly."""
    if before.status is None or before.status < 400 or after.status is None:
        return
    want, got = before.status, after.status
    values: dict[str, Any] = {"want": _fitting_statuses(sides, before), "got": got, "source": before.status_pointer}
    place = after.status_pointer
    if not 400 <= got <= 599:
        yield sides.finding("translation/upstream-error-status", place, f"the provider's {want} became {got}", **values)
        return
    parameters = sides.corpus.equivalence(_EQUIVALENCE).parameters
    expected, actual = error_kind(sides.corpus, before), error_kind(sides.corpus, after)
    if expected == parameters["rate_limit"] != actual:
        overload = got in parameters["overloaded"] and is_retried(sides.target, got)
        rule = "rate-limit-as-overload" if overload else "rate-limit"
        yield sides.finding(f"translation/upstream-error-{rule}", place, **values)
        return
    transient, again = _is_transient(sides.corpus, expected), is_retried(sides.target, got)
    if transient is not None and transient != again and actual not in parameters["undecided"]:
        deed = "does not retry" if transient else "retries in vain"
        rule = "account-retryable" if expected in parameters["account"] else "retryable"
        message = f"the client {deed}: the provider's {want} became {got}"
        yield sides.finding(f"translation/upstream-error-{rule}", place, message, **values)
    elif expected != actual:
        yield sides.finding("translation/upstream-error-class", place, f"a {expected} became a {actual}", **values)
    elif want != got:
        sides.accept("error-status-alike", place, before.status_pointer, want, got)


def _fitting_statuses(sides: Sides, before: Failure) -> Any:
    """Return the statuses that mean this error to the client; the provider's own if its meaning decides nothing."""
    parameters = sides.corpus.equivalence(_EQUIVALENCE).parameters
    expected_kind = error_kind(sides.corpus, before)
    transient = _is_transient(sides.corpus, expected_kind)
    ends = [end for both in sides.target["retried_statuses"] for end in both]
    listed = [int(status) for status in parameters["kinds"]]
    same_kind = [status for status in [*listed, *ends] if _kind_of_status(parameters, str(status)) == expected_kind]
    fitting = [status for status in same_kind if transient is None or is_retried(sides.target, status) == transient]
    source_status = (
        before.status if before.status is not None and is_retried(sides.target, before.status) == transient else None
    )
    return source_status or one_of(fitting or [before.status])


def error_kind(corpus: Corpus, failure: Failure) -> str:
    """Return the kind of an error, in words."""
    parameters = corpus.equivalence(_EQUIVALENCE).parameters
    status = failure.status or 0
    # Some APIs answer a wrong key with another status and say in the body what is wrong.
    return _kind_of_status(parameters, "401" if failure.kind == "unauthorized" else str(status))


def _kind_of_status(parameters: Mapping[str, Any], status: str) -> str:
    return str(parameters["kinds"].get(status, parameters["server"] if int(status) >= 500 else parameters["request"]))


def _is_transient(corpus: Corpus, failure_kind: str) -> bool | None:
    """Whether an error is transient; None if its kind does not decide that."""
    parameters = corpus.equivalence(_EQUIVALENCE).parameters
    return None if failure_kind in parameters["undecided"] else failure_kind in parameters["passing"]


def is_retried(target: Mapping[str, Any], status: int) -> bool:
    """Whether the official client of a format retries after a status."""
    return any(low <= status <= high for low, high in target["retried_statuses"])


def compare_message(sides: Sides, places: tuple[str, str] | None = None) -> Iterator[Finding]:
    """Report another message. A missing one breaks the format's own rule.

    ``places`` are those of the two errors, the client's first, where an error is no body of its own but in a stream.
    """
    before, after = sides.source.failure, sides.output.failure
    if before is None or after is None or not (before.message or "").strip() or after.message is None:
        return
    assert before.message is not None
    place, source = places or (after.message_pointer or after.pointer, before.message_pointer)
    if contains_message(after.message, before.message):
        if after.message != before.message:
            sides.accept("error-message-in-words", place, source, before.message, after.message)
    else:
        yield sides.finding(
            "translation/upstream-error-message", place, want=before.message, got=after.message, source=source
        )


def contains_message(text: str, message: str) -> bool:
    """Whether a text contains a message, perhaps among other words (equivalence ``error-message-in-words``)."""
    return _normal_message(message) in _normal_message(text)


def _normal_message(text: str) -> str:
    """Normalize white space, and drop the escapes of a text inside a text."""
    return " ".join(text.replace("\\n", " ").replace("\\", "").split())


def compare_wait(sides: Sides) -> Iterator[Finding]:
    """Compare the time to wait, which is due only from a translator that handles headers at all."""
    before, after = sides.source.failure, sides.output.failure
    if before is None or after is None or before.wait.seconds is None or not after.has_headers:
        return
    header, body = after.header_wait, after.body_wait
    if header is not None:
        yield from _compare_wait_at(sides, before.wait, header)
    if header is None or (body is not None and body.seconds is not None):
        yield from _compare_wait_at(sides, before.wait, body or Wait())
    elif body is not None and before.wait.seconds != math.inf:
        yield _wait_finding(sides, _HEADER_ONLY_RULE, before.wait, body)


def _compare_wait_at(sides: Sides, before: Wait, after: Wait) -> Iterator[Finding]:
    """Compare the provider's time to wait with that in one place of the translation."""
    assert before.seconds is not None
    if after.seconds is None:
        yield _wait_finding(sides, _LOST_RULE, before, after)
    elif after.seconds < before.seconds:
        message = "the translation demands a shorter wait than the provider"
        yield _wait_finding(sides, _LOST_RULE, before, after, message)
    elif not is_bearable_wait(sides.corpus, before.seconds, after.seconds):
        yield _wait_finding(sides, "translation/retry-after-longer", before, after)
    elif after.seconds > before.seconds:
        sides.accept("wait-longer", after.pointer, before.pointer or None, before.raw, after.raw)


def _wait_finding(sides: Sides, rule: str, before: Wait, after: Wait, message: str = "") -> Finding:
    got = after.raw if after.seconds is None else _wait_text(after.seconds)
    assert before.seconds is not None
    return sides.finding(
        rule, after.pointer, message, want=Words(_wait_text(before.seconds)), got=got, source=before.pointer or None
    )


def is_bearable_wait(corpus: Corpus, before: float, after: float) -> bool:
    """Whether a longer wait is acceptable to a client. The length of a date is unknown."""
    parameters = corpus.equivalence("wait-longer").parameters
    return after == math.inf or after <= max(before * parameters["times"], parameters["seconds"])


def _wait_text(wait: float) -> str:
    return "a date" if wait == math.inf else f"{wait:g} s"
