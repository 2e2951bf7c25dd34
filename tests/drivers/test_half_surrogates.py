"""Half a surrogate pair: JSON can hold one, so passing it on is no fault; making one is."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import lone_surrogates
from toolcall_conformance.drivers import BadOutput, Opened, Produced
from toolcall_conformance.drivers.python.driver import PythonDriver

HALF = "\ud83d"
WHOLE = "\U0001f680"
ROUTE = Route("anthropic", "gemini", "one", "two")


class Session:
    """Returns the configured values."""

    gives: Any = None

    def request(self, _body: Any) -> Any:
        return self.gives

    response = request

    def error(self, _status: Any, _body: Any) -> Any:
        return 429, self.gives


def last_outcome(*bodies: Any, gives: Any, last: str = "response") -> Any:
    """The outcome of the last call of a session that was given these bodies, and gives that one."""
    session = Session()
    session.gives = {}

    class Translator:
        def open(self, _route: Any) -> Session:
            return session

    opened = PythonDriver(Translator(), "t").open(ROUTE)
    assert isinstance(opened, Opened)
    for body in bodies[:-1]:
        opened.session.request(body)
    session.gives = gives
    if last == "error":
        return opened.session.error({"status": 500, "headers": {}, "body": bodies[-1]})
    return getattr(opened.session, last)(bodies[-1])


@pytest.mark.parametrize("last", ["request", "response", "error"])
@pytest.mark.parametrize(
    ("bodies", "gives"),
    [
        ([{"a": HALF}], {"b": {"c": HALF}}),
        ([{"a": ["x", {HALF: 1}]}], {"b": f"… {HALF} …"}),
        ([{"tools": HALF}, {}], {"tools": HALF}),
    ],
    ids=["text", "key", "of an earlier call"],
)
def test_a_half_of_the_source_may_pass_through(bodies: list[Any], gives: Any, last: str) -> None:
    outcome = last_outcome(*bodies, gives=gives, last=last)
    assert isinstance(outcome, Produced)
    assert outcome.value == (gives if last != "error" else {"status": 429, "body": gives})


@pytest.mark.parametrize("last", ["request", "response", "error"])
@pytest.mark.parametrize(
    "body",
    [{"a": WHOLE}, {"a": "x"}, {"a": "\ude80"}],
    ids=["a character cut in two", "none", "another half"],
)
def test_a_half_that_the_source_lacks_is_the_translators_own(body: Any, last: str) -> None:
    outcome = last_outcome(body, gives={"b": HALF}, last=last)
    assert isinstance(outcome, BadOutput)
    assert "half of a surrogate pair, which UTF-8 cannot encode" in outcome.sentence


def test_halves_are_found_in_any_depth() -> None:
    deep: Any = HALF
    for _ in range(50_000):
        deep = [deep]
    assert lone_surrogates({"\udc00": deep, "b": WHOLE, "c": 1, "d": None}) == {HALF, "\udc00"}
