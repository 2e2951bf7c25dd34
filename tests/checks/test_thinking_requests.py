"""State that a provider gives only to a request that asks it to think: its loss is no MUST where none asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.judge.excuses.thinking_state import may_think
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
ASKED = "reasoning/seed"
THINKS_UNASKED = "reasoning/thinking-not-shown"
RETURNED = "translation/state-returned"
REPLY_STATE = "translation/reply-state"


class Session:
    """The reference's session; before Anthropic it drops thoughts, and with ``asks`` false the wish to think, too."""

    def __init__(self, route: Route, *, asks: bool) -> None:
        self.asks, self.inner = asks, ReferenceTranslator().open(route)

    def request(self, body: dict[str, Any], /) -> Any:
        output = self.inner.request(body)
        if not self.asks:
            output.pop("thinking", None)
        for message in output["messages"]:
            if message["role"] == "assistant" and isinstance(message["content"], list):
                message["content"] = [block for block in message["content"] if block["type"] != "thinking"]
        return output

    def response(self, body: dict[str, Any], /) -> Any:
        blocks = [block for block in body["content"] if block["type"] != "thinking"]
        return self.inner.response(body | {"content": blocks})

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        yield from self.inner.stream(chunks)


class Translator:
    def __init__(self, *, asks: bool) -> None:
        self.asks = asks

    def open(self, route: Route, /) -> Session:
        return Session(route, asks=self.asks)


def findings_of_rule(
    check: str, case_id: str, client: str, rule: str, *, asks: bool, variant: str = ""
) -> list[Finding]:
    """What a check finds by ``rule`` in a translator to Anthropic."""
    case = CORPUS.cases[case_id]
    route = Route(client, "anthropic", case.model(client), case.model("anthropic"))
    opened = PythonDriver(Translator(asks=asks), "t:T").open
    result = CHECKS[check](case, route, opened, HARNESS, variant, None)
    return [finding for finding in result.findings if finding.rule == rule]


@pytest.mark.parametrize("variant", ["", "streamed"])
@pytest.mark.parametrize("client", ["openai_chat", "openai_responses", "gemini"])
def test_state_that_was_not_requested_is_no_must(client: str, variant: str) -> None:
    lost = findings_of_rule("agent_loop", ASKED, client, RETURNED, asks=False, variant=variant)
    assert [finding.level for finding in lost] == [Level.NOTE]


@pytest.mark.parametrize("variant", ["", "streamed"])
@pytest.mark.parametrize("client", ["openai_chat", "openai_responses", "gemini"])
def test_state_that_was_requested_is_a_must(client: str, variant: str) -> None:
    lost = findings_of_rule("agent_loop", ASKED, client, RETURNED, asks=True, variant=variant)
    assert [finding.level for finding in lost] == [Level.MUST]


@pytest.mark.parametrize("asks", [False, True])
def test_state_of_a_model_that_thinks_unasked_is_a_must(asks: bool) -> None:
    lost = findings_of_rule("agent_loop", THINKS_UNASKED, "openai_chat", RETURNED, asks=asks)
    assert {finding.level for finding in lost} == {Level.MUST}


@pytest.mark.parametrize(("asks", "level"), [(False, Level.NOTE), (True, Level.MUST)])
def test_between_two_ends_of_one_format(asks: bool, level: Level) -> None:
    lost = findings_of_rule("response", ASKED, "anthropic", REPLY_STATE, asks=asks)
    assert {finding.level for finding in lost} == {level}


@pytest.mark.parametrize("asks", [False, True])
def test_the_wish_that_is_lost_stays_a_finding_of_the_request(asks: bool) -> None:
    lost = findings_of_rule("request", ASKED, "openai_chat", "translation/reasoning-setting-lost", asks=asks)
    assert any(finding.body == "01-request" for finding in lost) is not asks


@pytest.mark.parametrize(
    ("model", "unasked"),
    [
        ("claude-3-7-sonnet-20250219", False),
        ("claude-sonnet-4-20250514", False),
        ("claude-haiku-4-5", False),
        ("claude-opus-4-8", False),
        ("us.anthropic.claude-opus-4-6-v1", False),
        ("claude-sonnet-5", True),
        ("claude-opus-5", True),
        ("claude-fable-5", True),
        ("claude-mythos-preview", True),
        ("somebody-elses-model", True),
    ],
)
def test_which_models_think_unasked(model: str, unasked: bool) -> None:
    body = {"model": model, "max_tokens": 4096, "messages": [{"role": "user", "content": "Is it raining?"}]}
    assert may_think(CORPUS, "anthropic", body) is unasked
    assert may_think(CORPUS, "anthropic", body | {"thinking": {"type": "disabled"}}) is unasked
    for wish in ({"type": "enabled", "budget_tokens": 1024}, {"type": "adaptive"}):
        assert may_think(CORPUS, "anthropic", body | {"thinking": wish})


def test_gemini_signs_calls_unasked_and_nothing_is_known_of_no_request() -> None:
    assert may_think(CORPUS, "gemini", {"contents": [], "generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}})
    assert may_think(CORPUS, "anthropic", None)
    assert may_think(CORPUS, "nobodys", {"model": "claude-opus-4-8"})
