"""A request that Chat does not serve for its model, and that goes by Responses, is not judged; any other one is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Body, Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.drivers import Misdirected, Opened, Outcome
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.formats import read
from toolcall_conformance.judge.translation.settings.other_api import find_other_api
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CHAT, RESPONSES = "openai_chat", "openai_responses"
THINKS = "reasoning/thinks-once"
PLAIN = "grep/realistic"


class Moving:
    """The reference, which does every route to Chat as if it went to Responses."""

    def open(self, route: Route) -> Any:
        return ReferenceTranslator().open(replace(route, upstream=RESPONSES))


class Sending:
    """A session that sends its request to the address of an API."""

    made_up: ClassVar[dict[str, tuple[str, ...]]] = {}
    operations = frozenset({"request", "response"})
    own_history = False

    def __init__(self, api: str) -> None:
        self.api = api

    def request(self, body: Body) -> Outcome:
        del body
        return Misdirected("the upstream was asked at another path", self.api)

    def finish_exchange(self, reply: Body) -> None:
        pass


def route(case: str, model: str | None = None) -> Route:
    golden_case = CORPUS.cases[case]
    return Route("anthropic", CHAT, golden_case.model("anthropic"), model or golden_case.model(CHAT))


def play_moved(case: str, check: str = "request", model: str | None = None) -> ItemResult:
    """What the check says of a translator whose requests to Chat are those of Responses."""
    opened = PythonDriver(Moving(), "moving").open
    return CHECKS[check](CORPUS.cases[case], route(case, model), opened, HARNESS, "", None)


@pytest.mark.parametrize("check", ["request", "response", "agent_loop"])
def test_a_request_that_asks_for_thoughts_goes_by_responses(check: str) -> None:
    result = play_moved(THINKS, check)
    assert (result.verdict, result.findings, result.played) == (Verdict.NOT_APPLICABLE, (), ())
    assert result.reason.startswith("this body goes by OpenAI Responses for gpt-5-2025-08-07: ")


def test_a_body_of_another_format_for_no_such_reason_is_a_fault() -> None:
    result = play_moved(PLAIN)
    assert result.verdict is Verdict.FAIL
    assert {finding.rule for finding in result.findings} == {"translation/target-format"}


@pytest.mark.parametrize(
    ("case", "api", "verdict"),
    [
        (THINKS, RESPONSES, Verdict.NOT_APPLICABLE),
        (THINKS, "gemini", Verdict.FAIL),
        (THINKS, "", Verdict.FAIL),
        (PLAIN, RESPONSES, Verdict.FAIL),
    ],
)
def test_a_request_at_another_address(case: str, api: str, verdict: Verdict) -> None:
    session: Any = Sending(api)
    result = CHECKS["request"](CORPUS.cases[case], route(case), lambda _route: Opened(session), HARNESS, "", None)
    assert result.verdict is verdict
    assert [finding.rule for finding in result.findings] == ["translation/upstream-address"] * (verdict is Verdict.FAIL)


def chat(**more: Any) -> Body:
    return {"model": "any", "messages": [{"role": "user", "content": "Is the pressure too high?"}], **more}


FUNCTION = {"tools": [{"type": "function", "function": {"name": "read_gauge", "parameters": {"type": "object"}}}]}
FREE_TEXT = {"tools": [{"type": "custom", "custom": {"name": "write_patch"}}]}


@pytest.mark.parametrize(
    ("model", "fields", "elsewhere"),
    [
        ("gpt-5.6", FUNCTION, True),
        ("gpt-5.6", FUNCTION | {"reasoning_effort": "low"}, True),
        ("gpt-5.6", FUNCTION | {"reasoning_effort": "none"}, False),
        ("gpt-5.6", FREE_TEXT, False),
        ("gpt-5.6", {}, False),
        ("gpt-5.4", FUNCTION, False),
        ("gpt-5.4", FUNCTION | {"reasoning_effort": "low"}, True),
        ("gpt-5.1", FUNCTION | {"reasoning_effort": "low"}, False),
        ("gpt-6-astra", FUNCTION | {"reasoning_effort": "none"}, True),
        ("gpt-6-astra", {}, False),
        ("gpt-5-codex", {}, True),
        ("gpt-4.1-2025-04-14", FUNCTION, False),
    ],
)
def test_which_bodies_responses_alone_serves(model: str, fields: Body, elsewhere: bool) -> None:
    entry = find_other_api(CORPUS, CHAT, model, read(CHAT, "request", chat(**fields)))
    assert (entry is not None) is elsewhere
    assert entry is None or entry["by"] == RESPONSES


def test_thoughts_that_are_not_to_be_shown_keep_a_request_in_chat() -> None:
    body = {"model": "any", "messages": [], "thinking": {"type": "enabled", "budget_tokens": 2000}}
    assert find_other_api(CORPUS, CHAT, "gpt-5", read("anthropic", "request", body))
    hidden = {**body, "thinking": {**body["thinking"], "display": "omitted"}}  # type: ignore[dict-item]
    assert find_other_api(CORPUS, CHAT, "gpt-5", read("anthropic", "request", hidden)) is None
