"""The operation ``error``: what a translator is given, and what counts as an answer."""

from __future__ import annotations

import functools
from http import HTTPStatus
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import BadOutput, Crashed, Opened, Outcome, Produced, RefusedOutcome
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.python.error_result import takes_headers

REPLY = {"status": 429, "headers": {"retry-after": "17"}, "body": {"error": {"message": "Wait."}}}


class Session:
    """A session whose ``error`` is the function it is given."""

    def __init__(self, function: Any) -> None:
        self.error = function


def call(function: Any, reply: dict[str, Any] = REPLY) -> Outcome:
    class Translator:
        def open(self, _route: Route) -> Session:
            return Session(function)

    opened = PythonDriver(Translator(), "t:T", output_limit=1000).open(Route("a", "b", "a1", "b1"))
    assert isinstance(opened, Opened)
    assert opened.session.operations == {"error"}
    return opened.session.error(reply)


def test_two_arguments_two_results() -> None:
    calls: list[Any] = []

    def error(status: int, body: Any) -> Any:
        calls.append((status, body))
        return 503, {"later": True}

    assert call(error) == Produced({"status": 503, "body": {"later": True}})
    assert calls == [(429, REPLY["body"])]
    assert calls[0][1] is not REPLY["body"]


def test_three_arguments_three_results() -> None:
    def error(status: int, body: Any, headers: Any) -> Any:
        return status, body, {"Retry-After": headers["retry-after"]}

    assert call(error) == Produced({"status": 429, "headers": {"retry-after": "17"}, "body": REPLY["body"]})


def test_headers_that_are_not_handed_on_are_gone() -> None:
    def error(status: int, body: Any, headers: Any) -> Any:
        del headers
        return status, body

    assert call(error) == Produced({"status": 429, "headers": {}, "body": REPLY["body"]})
    assert call(lambda status, body, _headers: (status, body, None)) == call(error)


def test_headers_are_returned_though_none_were_passed() -> None:
    outcome = call(lambda status, body: (status, body, {"Retry-After": 5}))
    assert outcome == Produced({"status": 429, "headers": {"retry-after": "5"}, "body": REPLY["body"]})


def test_a_reply_without_headers_returns_no_headers() -> None:
    outcome = call(lambda status, _body, headers: (status, {"got": headers}, {}), {"status": 500, "body": {}})
    assert outcome == Produced({"status": 500, "headers": {}, "body": {"got": {}}})


def test_async() -> None:
    async def error(status: int, body: Any) -> Any:
        return [status, body]

    assert call(error) == Produced({"status": 429, "body": REPLY["body"]})


def test_a_status_of_the_standard_library() -> None:
    outcome = call(lambda _status, body: (HTTPStatus.BAD_GATEWAY, body))
    assert outcome == Produced({"status": 502, "body": REPLY["body"]})
    assert isinstance(outcome, Produced)
    assert type(outcome.value["status"]) is int


def test_changed_input_is_noticed_and_the_original_is_unharmed() -> None:
    def body_changed(status: int, body: Any) -> Any:
        return status, body.pop("error")

    def headers_changed(status: int, body: Any, headers: Any) -> Any:
        headers.clear()
        return status, body, headers

    for function in (body_changed, headers_changed):
        outcome = call(function)
        assert isinstance(outcome, Produced)
        assert outcome.mutated
    assert REPLY["headers"] == {"retry-after": "17"}
    assert "error" in REPLY["body"]  # type: ignore[operator]


class Refused(Exception):  # noqa: N818 - recognised by its name
    pass


def test_raising() -> None:
    def refusing(_status: int, _body: Any) -> Any:
        raise Refused("no errors, please")

    def crashing(_status: int, body: Any) -> Any:
        return body["fault"]

    assert call(refusing) == RefusedOutcome("no errors, please")
    outcome = call(crashing)
    assert isinstance(outcome, Crashed)
    assert outcome.sentence == "raised KeyError: 'fault'"


@pytest.mark.parametrize(
    ("returned", "sentence", "pointer"),
    [
        (None, "error returned None; return the client's status and body: (429, {…})", ""),
        ({"error": {}}, "error returned a dict; return the client's status and body: (429, {…})", ""),
        ("x", "error returned a str; return the client's status and body: (429, {…})", ""),
        ((429,), "error returned 1 value; return the client's status and body: (429, {…}), with headers", ""),
        ((1, {}, {}, {}), "error returned 4 values; return the client's status and body", ""),
        (({}, 429), "error returned a dict for the status; return the client's status and body", "/status"),
        (("429", {}), "error returned a str for the status;", "/status"),
        ((True, {}), "error returned a bool for the status;", "/status"),
        ((429, None), "error returned None; return the translated body", "/body"),
        ((429, "{}"), "error returned a string; return the body as a dict, not its JSON text", "/body"),
        ((429, [{}]), "error returned a list; a body is one JSON object (a dict)", "/body"),
        ((429, {"a": {1}}), "error returned a set inside the body; make it plain JSON (at /a)", "/body/a"),
        ((429, {"a": "x" * 2000}), "error returned a body of more than 1,000 bytes of JSON", "/body"),
        ((429, {}, "x"), "error returned a str for the headers; return a dict of texts", "/headers"),
        ((429, {}, {1: "x"}), "error returned the header 1 with a str; header names and values are texts", "/headers"),
        ((429, {}, {"a": None}), "error returned the header 'a' with None; header names", "/headers"),
        ((429, {}, {"a": True}), "error returned the header 'a' with a bool; header names", "/headers"),
    ],
)
def test_what_is_no_answer(returned: Any, sentence: str, pointer: str) -> None:
    outcome = call(lambda _status, _body: returned)
    assert isinstance(outcome, BadOutput)
    assert outcome.sentence.startswith(sentence)
    assert outcome.pointer == pointer


class Methods:
    def two(self, status: Any, body: Any) -> Any: ...
    def three(self, status: Any, body: Any, headers: Any, /) -> Any: ...
    def optional(self, status: Any, body: Any, headers: Any = None) -> Any: ...
    def by_name(self, status: Any, body: Any, *, headers: Any = None) -> Any: ...
    def anything(self, *arguments: Any, **more: Any) -> Any: ...

    @staticmethod
    def static(status: Any, body: Any, headers: Any) -> Any: ...


def wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def inner(*arguments: Any) -> Any:
        return function(*arguments)

    return inner


@pytest.mark.parametrize(
    ("method", "takes"),
    [
        (Methods().two, False),
        (Methods().three, True),
        (Methods().optional, True),
        (Methods().by_name, False),
        (Methods().anything, False),
        (Methods().static, True),
        (wrapped(Methods().three), True),
        (wrapped(Methods().two), False),
        (functools.partial(Methods().three, 429), False),
        (dict, False),
    ],
)
def test_which_methods_take_headers(method: Any, takes: bool) -> None:
    assert takes_headers(method) is takes
