"""Replies of several choices are played only where the sent request asks for several: no provider sends them else."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.checks.conversation.impossible_replies import why_impossible
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import Case, Exchange, load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CASE = CORPUS.cases["finish/several-choices"]
[CHAT] = CASE.exchanges("openai_chat")
[GEMINI] = CASE.exchanges("gemini")
ROUTE = Route("openai_chat", "gemini", CASE.model("openai_chat"), CASE.model("gemini"))


class Session:
    """The reference's session from Chat, which asks for ``asks`` candidates and puts all into one."""

    def __init__(self, route: Route, asks: int | None) -> None:
        self.asks, self.inner = asks, ReferenceTranslator().open(route)

    def request(self, body: dict[str, Any], /) -> Any:
        output = self.inner.request(body)
        output.pop("generationConfig", None)
        return output if self.asks is None else output | {"generationConfig": {"candidateCount": self.asks}}

    def response(self, body: dict[str, Any], /) -> Any:
        body = copy.deepcopy(body)
        first, *others = body["candidates"]
        for other in others:
            first["content"]["parts"] += other["content"]["parts"]
        return self.inner.response(body)

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        yield from self.inner.stream(piece.replace(b'"index": 1', b'"index": 0') for piece in chunks)


class Translator:
    def __init__(self, asks: int | None) -> None:
        self.asks = asks

    def open(self, route: Route, /) -> Session:
        return Session(route, self.asks)


class RepliesAlone:
    """A translator that has no requests."""

    def open(self, route: Route, /) -> Any:
        inner = ReferenceTranslator().open(route)
        return type("Session", (), {"response": staticmethod(inner.response)})()


def run_check(check: str, translator: object, route: Route = ROUTE, case: Case = CASE) -> ItemResult:
    return CHECKS[check](case, route, PythonDriver(translator, "t:T").open, HARNESS, "", None)


def route_from(client: str) -> Route:
    return replace(ROUTE, client=client, client_model=CASE.model(client))


@pytest.mark.parametrize("check", ["response", "stream"])
def test_requested_choices_must_not_be_mixed(check: str) -> None:
    result = run_check(check, Translator(2))
    assert result.verdict is Verdict.FAIL
    assert "translation/call-invented" in {finding.rule for finding in result.findings if finding.is_must}


@pytest.mark.parametrize("asks", [None, 1])
@pytest.mark.parametrize("check", ["response", "stream"])
def test_no_client_gets_several_choices_unrequested(check: str, asks: int | None) -> None:
    result = run_check(check, Translator(asks))
    assert (result.verdict, result.findings, result.played) == (Verdict.NOT_APPLICABLE, (), ())
    assert "asks for one reply" in result.reason


@pytest.mark.parametrize("client", ["anthropic", "openai_responses"])
@pytest.mark.parametrize("check", ["response", "stream"])
def test_clients_that_cannot_ask_are_not_given_several(check: str, client: str) -> None:
    assert run_check(check, ReferenceTranslator(), route_from(client)).verdict is Verdict.NOT_APPLICABLE


def test_the_round_trip_of_the_request_is_judged_all_the_same() -> None:
    result = run_check("round_trip", Translator(None))
    assert [bodies.name for bodies in result.played] == ["01-request", "01-request-between"]
    assert {finding.rule for finding in result.findings} == {"translation/setting-lost"}
    assert "asks for one reply" in result.reason


def test_what_answers_one_reply_is_played() -> None:
    result = run_check("response", ReferenceTranslator(), Route("gemini", "anthropic", *("a model",) * 2))
    assert (result.verdict, len(result.played)) == (Verdict.PASS, 1)


def test_without_a_sent_request_the_clients_decides() -> None:
    assert run_check("response", RepliesAlone()).played
    assert not run_check("response", RepliesAlone(), route_from("anthropic")).played


class Loop(Case):
    """A conversation whose first reply, in Chat, has a second choice that nobody asked for."""

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        first, *others = super().exchanges(format_name)
        if format_name == "openai_chat":
            reply = copy.deepcopy(first.response)
            reply["choices"].append(reply["choices"][0] | {"index": 1})
            first = replace(first, response=reply)
        return (first, *others)


def test_a_loop_ends_where_no_provider_answers_so() -> None:
    seed = CORPUS.cases["shell/seed"]
    loop = Loop(seed.path, seed.scenario)
    route = Route("anthropic", "openai_chat", seed.model("anthropic"), seed.model("openai_chat"))
    result = run_check("agent_loop", ReferenceTranslator(), route, loop)
    assert result.verdict is Verdict.PASS
    assert [bodies.name for bodies in result.played] == ["01-request"]
    assert "asks for one reply" in result.reason


@pytest.mark.parametrize(
    ("route", "reply", "client_request", "sent", "plays"),
    [
        (ROUTE, GEMINI.response, CHAT.request, GEMINI.request, True),
        (ROUTE, GEMINI.response, None, {"generation_config": {"candidate_count": 2}}, True),
        (ROUTE, GEMINI.response, CHAT.request, {"generationConfig": {"candidateCount": 1}}, False),
        (ROUTE, GEMINI.response, CHAT.request, {}, False),
        (ROUTE, GEMINI.response, CHAT.request, None, True),
        (ROUTE, GEMINI.response, CHAT.request | {"n": None}, None, False),
        (ROUTE, {"candidates": GEMINI.response["candidates"][:1]}, CHAT.request, {}, True),
        (ROUTE, {"promptFeedback": {"blockReason": "SAFETY"}}, CHAT.request, {}, True),
        (ROUTE, None, CHAT.request, {}, True),
        (Route("gemini", "anthropic", "m", "m"), {"candidates": [{}, {}]}, GEMINI.request, {}, True),
    ],
)
def test_the_request_decides(route: Route, reply: Any, client_request: Any, sent: Any, plays: bool) -> None:
    assert (why_impossible(CORPUS, route, reply, client_request, sent) == "") is plays
