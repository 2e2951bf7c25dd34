"""Sessions that go on only with conversations that they started, and other replicas that know nothing of them."""

from __future__ import annotations

from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CASE = load_corpus().cases["shell/two-rounds"]


class Session:
    """The reference's session, which falls over a history that it did not hear."""

    def __init__(self, route: Route, history: str | None) -> None:
        self.inner, self.route, self.history = ReferenceTranslator().open(route), route, history
        self.heard = 0

    def request(self, body: Any, /) -> Any:
        if sum(message["role"] == "assistant" for message in body["messages"]) != self.heard:
            raise KeyError("an earlier turn")
        return self.inner.request(body)

    def response(self, body: Any, /) -> Any:
        self.heard += 1
        return self.inner.response(body)


def play(check: str, variant: str = "", history: str | None = "own") -> ItemResult:
    class Translator:
        def open(self, route: Route, /) -> Session:
            return Session(route, history)

    route = Route("anthropic", "openai_chat", CASE.model("anthropic"), CASE.model("openai_chat"))
    return CHECKS[check](CASE, route, PythonDriver(Translator(), "double").open, HARNESS, variant, None)


@pytest.mark.parametrize("check", ["request", "response", "round_trip"])
def test_a_session_with_its_own_history_gets_no_other(check: str) -> None:
    result = play(check)
    assert result.verdict is Verdict.PASS, result.reason or result.findings
    assert {played.name[:2] for played in result.played} == {"01"}


def test_the_loop_plays_it_whole() -> None:
    result = play("agent_loop")
    assert result.verdict is Verdict.PASS
    assert [played.name for played in result.played] == ["01-request", "02-request", "03-request"]


def test_a_new_session_is_not_asked_to_go_on() -> None:
    result = play("agent_loop", "fresh")
    assert result.verdict is Verdict.PASS
    assert "history of its own" in result.reason


def test_a_crash_of_another_replica_is_a_warning() -> None:
    """The same translator without the word that its history is its own."""
    result = play("agent_loop", "fresh", history=None)
    assert result.verdict is Verdict.WARN
    assert {(finding.rule, finding.level) for finding in result.findings} == {("translation/crashed", Level.SHOULD)}
    assert play("round_trip", history=None).verdict is Verdict.BLOCKED
