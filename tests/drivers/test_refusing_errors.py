"""Which exceptions say that an input is not taken, and which are slips of code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from toolcall_conformance.drivers.outcomes import Crashed, RefusedOutcome
from toolcall_conformance.drivers.python.exception_outcomes import exception_outcome


class BadRequestError(Exception):
    """As litellm and the official SDKs raise it."""

    def __init__(self, message: str, status_code: int = 400) -> None:
        super().__init__(message)
        self.status_code = status_code


class ValidationError(ValueError):
    """As pydantic raises it: without a status."""


class ConversionError(Exception):
    """A library's own."""


class _Answer:
    status_code = 422


class HTTPStatusError(Exception):
    """As httpx raises it: the status is that of the response."""

    response = _Answer()


def raised_outcome(function: Callable[[], Any]) -> Any:
    try:
        function()
    except BaseException as error:
        return exception_outcome(error)
    raise AssertionError("nothing was raised")


def raise_wrapped(inner: Callable[[], Any], outer: Exception, *, hidden: bool = False) -> Callable[[], Any]:
    def call() -> None:
        try:
            inner()
        except Exception as error:
            raise outer from (None if hidden else error)

    return call


def throw(error: BaseException) -> Callable[[], Any]:
    def call() -> None:
        raise error

    return call


EMPTY: dict[str, Any] = {}
REFUSALS = {
    "a client's error": throw(BadRequestError("no such tool choice")),
    "an answer": throw(HTTPStatusError("422 Unprocessable Entity")),
    "a validator": throw(ValidationError("5 validation errors for Request")),
    "a validator within": raise_wrapped(throw(ValidationError("x")), ConversionError("not read: x")),
    "text that is no JSON": raise_wrapped(lambda: json.loads("{"), ConversionError("arguments are no JSON")),
    "its own reason": raise_wrapped(throw(Exception("no video")), ConversionError("no video")),
}
SLIPS = {
    "a key": lambda: EMPTY["content"],
    "a type": lambda: sum(None),  # type: ignore[call-overload]
    "a key within": raise_wrapped(lambda: EMPTY["content"], ConversionError("'content'")),
    "a key within a client's error": raise_wrapped(lambda: EMPTY["content"], BadRequestError("'content'")),
    "too deep": raise_wrapped(throw(RecursionError("too deep")), ConversionError("too deep")),
    "an internal error": throw(BadRequestError("connection failed", 500)),
    "a connection": raise_wrapped(throw(ConnectionResetError("reset")), ConversionError("reset")),
    "Python's own": throw(ValueError("no such role")),
    "of the library of Python": lambda: json.loads("{"),
    "an exit": throw(SystemExit(3)),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_named_error_of_the_client_refuses(name: str) -> None:
    outcome = raised_outcome(REFUSALS[name])
    assert isinstance(outcome, Crashed)
    assert outcome.refuses, name


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_does_not(name: str) -> None:
    outcome = raised_outcome(SLIPS[name])
    assert isinstance(outcome, Crashed)
    assert not outcome.refuses, name


def test_what_its_author_hides_is_not_looked_at() -> None:
    assert raised_outcome(raise_wrapped(lambda: EMPTY["role"], ConversionError("no such role"), hidden=True)).refuses


def test_the_contract_s_own_classes_stay_what_they_are() -> None:
    class Refused(Exception):  # noqa: N818 - the contract's name
        status_code = 500

    assert raised_outcome(throw(Refused("no"))) == RefusedOutcome("no")


def test_an_exception_that_cannot_be_asked_is_no_refusal() -> None:
    class OddError(Exception):
        @property
        def status_code(self) -> int:
            raise KeyError("status")

        response = property(lambda self: self.missing)

    assert raised_outcome(throw(OddError("x"))).refuses  # of a class of its own, with no status that can be read


def test_the_first_of_many_errors_is_whole() -> None:
    first = "messages.3.content Input should be a valid string [type=string_type, input_value={'a': 1}]"
    text = "\n".join(["5 validation errors for Request", first.replace(" ", "\n  ", 1), *["tools.0\n  x" * 900]])
    sentence = raised_outcome(throw(ValidationError(text))).sentence
    assert sentence.startswith(f"raised ValidationError: 5 validation errors for Request {first} tools.0 x")
    assert sentence.endswith("characters)")
    assert len(sentence) < 1_100


def test_a_traceback_that_a_message_quotes_is_no_part_of_it() -> None:
    message = "'bool' object has no attribute 'get'\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f"
    assert (
        raised_outcome(throw(ConversionError(message))).sentence
        == "raised ConversionError: 'bool' object has no attribute 'get'"
    )
