"""Settings against the limits of what they are translated to, and names of models against the route's."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.cli import main
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import load_corpus

TURN = {"role": "user", "content": "Is the tree clean?"}
CLAUDE, GPT, GEMINI = "claude-sonnet-4-5-20250929", "gpt-4.1-2025-04-14", "gemini-2.5-flash"


def anthropic(**more: Any) -> dict[str, Any]:
    return {"model": CLAUDE, "max_tokens": 900, "messages": [TURN], **more}


def chat(model: str = GPT, **more: Any) -> dict[str, Any]:
    return {"model": model, "max_completion_tokens": 900, "messages": [TURN], **more}


def responses(model: str = GPT, **more: Any) -> dict[str, Any]:
    return {"model": model, "max_output_tokens": 900, "input": [TURN], **more}


def gemini(**more: Any) -> dict[str, Any]:
    turn = {"role": "user", "parts": [{"text": TURN["content"]}]}
    return {"contents": [turn], "generationConfig": {"maxOutputTokens": 900, **more}}


MADE = {"anthropic": anthropic, "openai_chat": chat, "openai_responses": responses, "gemini": gemini}
MODELS = {"anthropic": CLAUDE, "openai_chat": GPT, "openai_responses": GPT, "gemini": GEMINI}


def findings_and_losses(
    client: str, source: dict[str, Any], upstream: str, output: dict[str, Any], model: str = ""
) -> list[str]:
    """The findings of rules between formats, each as ``LEVEL rule``, and the losses with a plus."""
    judgement = judge(
        source, output, client=client, upstream=upstream, upstream_model=model or MODELS[upstream], declared=["stop"]
    )
    lines = [
        f"{finding.level.name} {finding.rule[12:]}"
        for finding in judgement.findings
        if finding.rule.startswith("translation/")
    ]
    undue = [loss.element for loss in judgement.losses if loss.kind == "undue" and loss.element != "stop"]
    return [*lines, *undue, *(f"+{loss.element}" for loss in judgement.losses if loss.kind == "cannot")]


FIVE = ["a", "b", "c", "d", "e"]
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
TO_CLAUDE = [
    # A range: the nearest value, which the default may say, and no other.
    ({"temperature": 1.5}, {"temperature": 1}, ["+temperature"]),
    ({"temperature": 1.5}, {}, ["+temperature"]),
    ({"temperature": 1.5}, {"temperature": 0.75}, ["SHOULD setting-adjusted"]),
    ({"temperature": 0.6}, {"temperature": 0.3}, ["MUST setting-changed"]),
    ({"temperature": 0.1}, {"temperature": 0.10000000149011612}, []),
    # This model refuses the two together.
    ({"temperature": 0.6, "top_p": 0.9}, {"temperature": 0.6}, ["+top-p"]),
    ({"temperature": 0.6, "top_p": 0.9}, {"top_p": 0.9}, ["+temperature"]),
    ({"temperature": 0.6, "top_p": 0.9}, {"temperature": 0.6, "top_p": 0.9}, []),
    ({"temperature": 0.6, "top_p": 0.9}, {}, ["MUST setting-lost", "MUST setting-lost"]),
    # Blank stop sequences are refused.
    ({"stop": ["a", "\n"]}, {"stop_sequences": ["a"]}, ["+stop"]),
    ({"stop": ["a", "\n"]}, {}, ["MUST setting-lost"]),
    ({"stop": ["\n"]}, {}, ["+stop"]),
    ({"stop": ["a", "b"]}, {"stop_sequences": ["b", "a"]}, []),
    ({"stop": ["a", "b"]}, {"stop_sequences": ["b"]}, ["MUST setting-changed"]),
    ({"stop": "a"}, {"stop_sequences": ["a", "b"]}, ["SHOULD setting-added"]),
    # Thinking counts toward the limit, and goes with no temperature.
    ({"reasoning_effort": "low"}, {"max_tokens": 2900, **THINKING}, []),
    ({"temperature": 0.6, "reasoning_effort": "low"}, {"max_tokens": 2900, **THINKING}, ["+temperature"]),
    ({}, {"max_tokens": 4096}, ["MUST setting-changed"]),
    ({}, {"max_tokens": 256}, ["MUST setting-changed"]),
]


@pytest.mark.parametrize(("before", "after", "expected"), TO_CLAUDE)
def test_to_anthropic(before: dict[str, Any], after: dict[str, Any], expected: list[str]) -> None:
    grown = ["SHOULD setting-adjusted"] if after.get("thinking") else []
    lines = [
        line
        for line in findings_and_losses("openai_chat", chat(**before), "anthropic", anthropic(**after))
        if "private" not in line
    ]
    assert sorted(lines) == sorted([*expected, *grown])


OTHERS = [
    ("anthropic", anthropic(stop_sequences=FIVE), "openai_chat", chat(stop=FIVE[1:]), ["+stop"]),
    ("anthropic", anthropic(stop_sequences=FIVE), "openai_chat", chat(stop=FIVE[2:]), ["MUST setting-changed"]),
    ("anthropic", anthropic(stop_sequences=FIVE), "openai_chat", chat(), ["MUST setting-lost"]),
    (
        "openai_chat",
        chat(max_completion_tokens=5),
        "openai_responses",
        responses(max_output_tokens=16),
        ["+max-output-tokens"],
    ),
    ("openai_chat", chat(frequency_penalty=0.5), "gemini", gemini(), ["+frequency-penalty"]),
    # 0 warms Anthropic's cache, -1 means no limit: the nearest of each is taken, and nothing else counts as that.
    ("anthropic", anthropic(max_tokens=0), "gemini", gemini(maxOutputTokens=1), ["+max-output-tokens"]),
    ("anthropic", anthropic(max_tokens=0), "gemini", gemini(maxOutputTokens=9), ["SHOULD setting-adjusted"]),
    ("anthropic", anthropic(max_tokens=1), "gemini", gemini(maxOutputTokens=9), ["MUST setting-changed"]),
    ("anthropic", anthropic(max_tokens=0), "openai_chat", chat(max_completion_tokens=1), ["+max-output-tokens"]),
    ("openai_chat", chat(max_completion_tokens=-1), "anthropic", anthropic(max_tokens=0), ["+max-output-tokens"]),
    ("gemini", gemini(topP=1.95), "openai_responses", responses(top_p=1), ["+top-p"]),
    ("gemini", gemini(topP=0.95), "openai_responses", responses(top_p=1), ["MUST setting-changed"]),
    ("gemini", gemini(topP=-0.5), "anthropic", anthropic(top_p=0), ["+top-p"]),
    ("gemini", gemini(topK=1.5), "anthropic", anthropic(top_k=1), ["+top-k"]),
    ("gemini", gemini(topK=2.5), "anthropic", anthropic(top_k=9), ["SHOULD setting-adjusted"]),
    ("gemini", gemini(candidateCount=0), "openai_chat", chat(n=1), ["+reply-count"]),
    ("openai_chat", chat(verbosity="brief"), "openai_responses", responses(text={"verbosity": "low"}), ["+verbosity"]),
    ("openai_chat", chat(verbosity="low"), "openai_responses", responses(), ["MUST setting-lost"]),
    (
        "openai_chat",
        chat(reasoning_effort="high"),
        "openai_responses",
        responses(reasoning={"effort": "low"}),
        ["MUST setting-changed"],
    ),
    (
        "openai_chat",
        chat(reasoning_effort="minimal"),
        "openai_responses",
        responses(reasoning={"effort": "low"}),
        ["SHOULD setting-adjusted"],
    ),
    (
        "openai_chat",
        chat(metadata={"a": "1"}),
        "openai_responses",
        responses(metadata={"a": "2"}),
        ["MUST setting-changed"],
    ),
    (
        "openai_chat",
        chat(metadata={"a": "1"}),
        "openai_responses",
        responses(metadata={"a": "1", "b": "2"}),
        ["SHOULD setting-added"],
    ),
    ("openai_chat", chat(temperature=1e39), "openai_responses", responses(temperature=2.0), ["+temperature"]),
    (
        "openai_chat",
        chat(temperature="hot"),
        "openai_responses",
        responses(temperature="cold"),
        ["MUST setting-changed"],
    ),
    ("openai_chat", chat(presence_penalty=0.5), "gemini", gemini(presencePenalty=0.25), ["SHOULD setting-adjusted"]),
]


@pytest.mark.parametrize(("client", "source", "upstream", "output", "expected"), OTHERS)
def test_to_others(
    client: str, source: dict[str, Any], upstream: str, output: dict[str, Any], expected: list[str]
) -> None:
    assert [line for line in findings_and_losses(client, source, upstream, output) if "private" not in line] == expected


@pytest.mark.parametrize(
    ("limit", "model", "expected"),
    [
        (32768, GPT, ["+max-output-tokens"]),
        (4096, GPT, ["SHOULD setting-adjusted"]),
        (4096, "our-model", ["SHOULD setting-adjusted"]),
        (1024, "our-model", ["MUST setting-changed"]),
        (64000, GPT, []),
        (65000, GPT, ["SHOULD setting-adjusted"]),
        (65000, "our-model", ["MUST setting-changed"]),
    ],
)
def test_the_models_maximum(limit: int, model: str, expected: list[str]) -> None:
    """Of a model that nobody knows it may be any that some model has."""
    output = chat(model, max_completion_tokens=limit)
    assert findings_and_losses("anthropic", anthropic(max_tokens=64000), "openai_chat", output, model) == expected


@pytest.mark.parametrize(
    ("route", "name", "expected"),
    [
        (GPT, "openai/gpt-4.1-2025-04-14", []),
        (GPT, "gpt-4.1", []),
        ("gpt-4.1", "openrouter/openai/gpt-4.1-2025-04-14:free", []),
        (GPT, "GPT-4.1-2025-04-14", ["SHOULD model-alias"]),
        ("gpt-4.1", "azure/gpt-4.1-latest", []),
        (GPT, "gpt-4.1-2025-08-07", ["MUST model-of-route"]),
        (GPT, "gpt-4.1-mini", ["MUST model-of-route"]),
        (GPT, CLAUDE, ["MUST model-of-route"]),
        (GPT, "our-deployment", ["SHOULD model-alias"]),
        ("our-deployment", "gpt-4.1", ["SHOULD model-alias"]),
        (CLAUDE, "us.anthropic.claude-sonnet-4-5-20250929-v1:0", []),
        (CLAUDE, "claude-sonnet-4-5@20250929", []),
        ("claude-sonnet-4-5", "claude-sonnet-4-5@20250929", []),
        ("gemini-2.0-flash", "models/gemini-2.0-flash-001", []),
        ("gemini-2.5-flash", "models/gemini-2.5-pro", ["MUST model-of-route"]),
    ],
)
def test_names_of_models(route: str, name: str, expected: list[str]) -> None:
    assert findings_and_losses("anthropic", anthropic(), "openai_chat", chat(name), route) == expected


def test_a_model_that_is_no_name() -> None:
    assert findings_and_losses("anthropic", anthropic(), "openai_chat", chat() | {"model": 7}) == []


def test_losses_report_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["losses", "anthropic-to-openai_chat"]) == 0
    stdout = capsys.readouterr().out
    assert "only beyond entries 4" in stdout
    assert "only beyond most 32768, models gpt-4.1*" in stdout
    assert main(["losses"]) == 0
    assert "temperature*" in capsys.readouterr().out


FUNCTION = {"name": "read_gauge", "parameters": {"type": "object", "properties": {"gauge": {"type": "string"}}}}
FUNCTIONS = {
    "openai_chat": [{"type": "function", "function": FUNCTION}],
    "openai_responses": [{"type": "function", **FUNCTION, "strict": False}],
}
BESIDE_TOOLS = [
    # What a model takes beside function tools loses nothing that could be kept.
    ("gpt-5.6", "high", "none", []),
    ("gpt-5.4-mini-2026-03-17", "high", None, []),
    ("gpt-5.4-mini-2026-03-17", "high", "none", []),
    # A model that takes both, and an effort that no model takes there.
    ("gpt-5.1-2025-11-13", "high", "none", ["SHOULD setting-adjusted"]),
    ("gpt-5.1-2025-11-13", "high", None, ["MUST setting-lost"]),
    ("gpt-5.6", "high", "low", ["MUST setting-changed"]),
]


@pytest.mark.parametrize(("model", "requested_effort", "sent", "expected"), BESIDE_TOOLS)
def test_an_effort_next_to_function_tools(
    model: str, requested_effort: str, sent: str | None, expected: list[str]
) -> None:
    source = responses(model, tools=FUNCTIONS["openai_responses"], reasoning={"effort": requested_effort})
    effort = {} if sent is None else {"reasoning_effort": sent}
    output = chat(model, tools=FUNCTIONS["openai_chat"], **effort)
    lines = findings_and_losses("openai_responses", source, "openai_chat", output, model)
    assert [line for line in lines if not line.startswith("+")] == expected


def test_thinking_that_a_model_takes_without_tools_alone() -> None:
    source = anthropic(thinking={"type": "adaptive"})
    tools = {"tools": [{"name": "read_gauge", "input_schema": FUNCTION["parameters"]}]}
    beside = chat("gpt-5.6", tools=FUNCTIONS["openai_chat"], reasoning_effort="none")
    assert "SHOULD thinking-turned-off" not in findings_and_losses(
        "anthropic", {**source, **tools}, "openai_chat", beside, "gpt-5.6"
    )
    alone = chat("gpt-5.6", reasoning_effort="none")
    assert "SHOULD thinking-turned-off" in findings_and_losses("anthropic", source, "openai_chat", alone, "gpt-5.6")


def test_a_limit_next_to_function_tools_names_the_models_of_the_rule() -> None:
    corpus = load_corpus()
    limits = corpus.format("openai_chat")["limits"]
    (models,) = [entry["models"] for entry in limits if "taken" in entry]
    for name in models:
        model = name.replace("-2*", "-2026-07-09").removesuffix("*")
        body = chat(model, tools=FUNCTIONS["openai_chat"], reasoning_effort="low")
        assert [finding.rule for finding in check_body(corpus, "openai_chat", "request", body)] == [
            "openai_chat/effort-beside-tools"
        ], model
