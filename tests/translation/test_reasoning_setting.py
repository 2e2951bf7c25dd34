"""How much a model is to think: demanded where both formats have the same word, else only reported."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level

BARE: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "claude", "max_tokens": 4096, "messages": [{"role": "user", "content": "Why?"}]},
    "openai_chat": {"model": "gpt-5", "max_completion_tokens": 4096, "messages": [{"role": "user", "content": "Why?"}]},
    "openai_responses": {"model": "gpt-5", "max_output_tokens": 4096, "input": [{"role": "user", "content": "Why?"}]},
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "Why?"}]}],
        "generationConfig": {"maxOutputTokens": 4096},
    },
}
THINKING = {"type": "enabled", "budget_tokens": 2048}


def gemini(**config: Any) -> dict[str, Any]:
    return {"generationConfig": {"maxOutputTokens": 4096, "thinkingConfig": config}}


def levels_by_rule(client: str, source: dict[str, Any], upstream: str, output: dict[str, Any]) -> dict[str, Level]:
    findings = judge(BARE[client] | source, BARE[upstream] | output, client=client, upstream=upstream).findings
    return {finding.rule.removeprefix("translation/setting-"): finding.level for finding in findings}


CHAT, RESPONSES, HIGH = "openai_chat", "openai_responses", {"reasoning_effort": "high"}


@pytest.mark.parametrize(
    ("client", "source", "upstream", "output", "expected"),
    [
        (CHAT, HIGH, RESPONSES, {"reasoning": {"effort": "high"}}, {}),
        (CHAT, HIGH, RESPONSES, {}, {"lost": Level.MUST}),
        (CHAT, HIGH, RESPONSES, {"reasoning": {"effort": "low"}}, {"changed": Level.MUST}),
        (CHAT, HIGH, "anthropic", {"thinking": THINKING}, {}),
        (CHAT, HIGH, "anthropic", {}, {"translation/reasoning-setting-lost": Level.NOTE}),
        (CHAT, {}, "anthropic", {"thinking": THINKING}, {"added": Level.SHOULD}),
        (CHAT, {"reasoning_effort": "none"}, "anthropic", {}, {}),
        (CHAT, {}, "gemini", gemini(thinkingBudget=0), {}),
        ("anthropic", {"thinking": THINKING}, "gemini", gemini(thinkingBudget=2048), {}),
        (
            "anthropic",
            {"thinking": THINKING},
            "gemini",
            gemini(thinkingBudget=512),
            {"translation/reasoning-setting-changed": Level.NOTE},
        ),
        ("anthropic", {"thinking": THINKING}, "gemini", gemini(thinkingLevel="HIGH"), {}),
        ("gemini", gemini(thinkingLevel="LOW"), CHAT, {"reasoning_effort": "low"}, {}),
        ("gemini", gemini(thinkingBudget=0), CHAT, {}, {}),
    ],
)
def test_the_wish(client: str, source: Any, upstream: str, output: Any, expected: dict[str, Level]) -> None:
    assert levels_by_rule(client, source, upstream, output) == expected


@pytest.mark.parametrize("effort", [{}, {"value": "high"}, ["high"], 3, True])
def test_an_effort_that_is_no_word(effort: Any) -> None:
    """A translator may write anything; the judge must not fail over it."""
    assert Level.MUST in levels_by_rule(CHAT, HIGH, RESPONSES, {"reasoning": {"effort": effort}}).values()


SUMMARY, GIVEN = {"reasoning": {"effort": "high", "summary": "auto"}}, {"not-shown": Level.SHOULD}


@pytest.mark.parametrize(
    ("client", "source", "upstream", "output", "expected"),
    [
        (RESPONSES, SUMMARY, "gemini", gemini(thinkingBudget=2048, includeThoughts=True), {}),
        (RESPONSES, SUMMARY, "gemini", gemini(thinkingBudget=2048, includeThoughts=False), GIVEN),
        (RESPONSES, SUMMARY, "gemini", gemini(thinkingBudget=2048), GIVEN),
        (RESPONSES, SUMMARY, "gemini", {}, {}),
        (RESPONSES, SUMMARY, "anthropic", {"thinking": THINKING}, {}),
        (RESPONSES, SUMMARY, "anthropic", {"thinking": THINKING | {"display": "omitted"}}, GIVEN),
        (RESPONSES, SUMMARY, CHAT, HIGH, {}),
        ("anthropic", {"thinking": THINKING}, "gemini", gemini(thinkingBudget=2048, includeThoughts=False), {}),
        (
            "anthropic",
            {"thinking": THINKING | {"display": "summarized"}},
            RESPONSES,
            {"reasoning": {"effort": "low"}},
            GIVEN,
        ),
        ("anthropic", {"thinking": THINKING | {"display": "omitted"}}, "gemini", gemini(includeThoughts=True), {}),
        ("anthropic", {"thinking": THINKING | {"display": ["omitted"]}}, "gemini", gemini(thinkingBudget=2048), {}),
        (
            "gemini",
            gemini(includeThoughts=True),
            RESPONSES,
            {"reasoning": {"effort": "low", "summary": "detailed"}},
            {},
        ),
    ],
)
def test_whether_thoughts_are_shown(
    client: str, source: Any, upstream: str, output: Any, expected: dict[str, Level]
) -> None:
    """Where the source does not say, its model decides, and so may the translator."""
    levels = levels_by_rule(client, source, upstream, output)
    assert {rule: level for rule, level in levels.items() if "thoughts" in rule} == {
        f"translation/thoughts-{rule}": level for rule, level in expected.items()
    }
