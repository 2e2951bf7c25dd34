"""Between two ends of one format the comparisons judge; what else differs as JSON is a warning."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CASE = CORPUS.cases["shell/realistic"]


def levels(name: str, direction: str, *edits: tuple[str, Any]) -> set[tuple[str, Level]]:
    """The findings for the second exchange's body with keys set at its top; a value ... takes the key away."""
    exchange = CASE.exchanges(name)[1]
    source = exchange.request if direction == "request" else exchange.response
    output = deep_copy(source)
    for key, value in edits:
        output.pop(key, None)
        if value is not ...:
            output[key] = value
    findings = judge(source, output, client=name, upstream=name, direction=direction, corpus=CORPUS).findings
    return {(finding.rule, finding.level) for finding in findings}


@pytest.mark.parametrize(
    ("name", "direction", "edit"),
    [
        ("anthropic", "request", ("stream", False)),
        ("gemini", "request", ("safetySettings", [])),
        ("openai_chat", "request", ("metadata", {})),
        ("openai_chat", "response", ("provider", "openai")),
        ("openai_responses", "response", ("provider", {"name": "openai"})),
        ("anthropic", "response", ("id", "msg_another")),
        ("openai_chat", "response", ("created", 1)),
        ("openai_responses", "response", ("id", "resp_another")),
        ("gemini", "response", ("responseId", "another")),
    ],
)
def test_another_spelling_is_a_warning(name: str, direction: str, edit: tuple[str, Any]) -> None:
    rule_levels = levels(name, direction, edit)
    assert ("translation/identity-spelling", Level.SHOULD) in rule_levels
    assert not any(level is Level.MUST for _, level in rule_levels)


@pytest.mark.parametrize(
    ("name", "direction", "edit"),
    [
        ("anthropic", "request", ("service_tier", "standard_only")),
        ("openai_chat", "request", ("store", True)),
        ("openai_chat", "response", ("system_fingerprint", ...)),
        ("gemini", "response", ("responseId", ...)),
    ],
)
def test_what_no_rule_compares_is_a_warning(name: str, direction: str, edit: tuple[str, Any]) -> None:
    assert levels(name, direction, edit) == {("translation/identity", Level.SHOULD)}


@pytest.mark.parametrize(
    ("name", "key", "value", "default"),
    [
        ("anthropic", "mcp_servers", [{"type": "url", "url": "https://mcp.example.org", "name": "docs"}], []),
        ("anthropic", "thinking", {"type": "adaptive"}, {"type": "disabled"}),
        ("openai_chat", "n", 2, 1),
        ("openai_chat", "logit_bias", {"15339": -100}, {}),
        ("openai_responses", "truncation", "auto", "disabled"),
        ("gemini", "cachedContent", "cachedContents/w8q3", ""),
    ],
)
def test_a_setting_that_only_its_own_format_has_must_arrive(name: str, key: str, value: Any, default: Any) -> None:
    request = CASE.exchanges(name)[1].request

    def judge_setting(before: Any, after: Any) -> set[tuple[str, Level]]:
        judgement = judge({**request, key: before}, {**request, **after}, client=name, upstream=name, corpus=CORPUS)
        return {(finding.rule, finding.level) for finding in judgement.findings}

    assert ("translation/setting-lost", Level.MUST) in judge_setting(value, {})
    assert not any(level is Level.MUST for _, level in judge_setting(default, {}))


def test_a_setting_on_which_no_reply_depends_is_a_warning() -> None:
    request = CASE.exchanges("openai_chat")[1].request
    for key, value in (("prompt_cache_key", "k"), ("service_tier", "flex")):
        judgement = judge({**request, key: value}, request, client="openai_chat", upstream="openai_chat", corpus=CORPUS)
        assert [(finding.rule, finding.level) for finding in judgement.findings] == [
            ("translation/service-setting", Level.SHOULD)
        ]


def test_a_body_that_comes_back_has_no_findings() -> None:
    assert levels("anthropic", "request") == set()


def test_the_model_is_the_one_that_the_route_names() -> None:
    request = CASE.exchanges("openai_chat")[1].request
    other = {**request, "model": "b"}
    assert judge(request, other, client="openai_chat", upstream="openai_chat").findings == ()
    (finding,) = judge(request, other, client="openai_chat", upstream="openai_chat", upstream_model="c").findings
    assert finding.rule == "translation/model-alias"


def test_a_reference_to_what_is_stored_may_stay() -> None:
    request = {"model": "m", "previous_response_id": "resp_1", "input": "Go on."}
    output = {**request, "input": [{"role": "user", "content": "Go on."}]}
    findings = judge(request, output, client="openai_responses", upstream="openai_responses", corpus=CORPUS).findings
    assert {finding.rule for finding in findings} == {"translation/identity-spelling"}


def test_the_old_name_of_a_setting_is_another_spelling() -> None:
    source = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Go."}]}
    output = {"model": "m", "max_completion_tokens": 9, "messages": source["messages"]}
    findings = judge(source, output, client="openai_chat", upstream="openai_chat", corpus=CORPUS).findings
    assert {finding.rule for finding in findings} == {"translation/identity-spelling"}
