"""How much a model is to think, in each format's measure, and only where the provider takes it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from toolcall_reference import ReferenceTranslator

MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "openai_chat": "gpt-5",
    "openai_responses": "gpt-5",
    "gemini": "gemini-2.5-pro",
}
ASKED: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 20000,
        "thinking": {"type": "enabled", "budget_tokens": 8000},
        "messages": [{"role": "user", "content": "Why?"}],
    },
    "openai_chat": {"model": "gpt-5", "reasoning_effort": "medium", "messages": [{"role": "user", "content": "Why?"}]},
    "openai_responses": {"model": "gpt-5", "reasoning": {"effort": "medium", "summary": "auto"}, "input": "Why?"},
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "Why?"}]}],
        "generationConfig": {"thinkingConfig": {"thinkingBudget": 8000, "includeThoughts": True}},
    },
}


def upstream_request(client: str, upstream: str, model: str | None = None, **more: Any) -> tuple[dict[str, Any], str]:
    """The upstream request for the client's, with its losses in words."""
    route = SimpleNamespace(
        client=client,
        upstream=upstream,
        client_model=MODELS[client],
        upstream_model=model or MODELS[upstream],
        stream=False,
    )
    session = ReferenceTranslator().open(route)
    return session.request(ASKED[client] | more), " ".join(f"{loss.note} {loss.where}" for loss in session.losses)


@pytest.mark.parametrize("client", ["openai_chat", "openai_responses", "gemini"])
def test_thinking_is_turned_on_for_anthropic(client: str) -> None:
    limits: dict[str, dict[str, Any]] = {
        "openai_chat": {"max_completion_tokens": 20000},
        "openai_responses": {"max_output_tokens": 20000},
        "gemini": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 8192}, "maxOutputTokens": 20000}},
    }
    body, _ = upstream_request(client, "anthropic", **limits[client])
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 8192}


def test_words_stay_words_and_tokens_stay_tokens() -> None:
    assert upstream_request("openai_chat", "openai_responses")[0]["reasoning"] == {"effort": "medium"}
    assert upstream_request("openai_responses", "openai_chat")[0]["reasoning_effort"] == "medium"
    assert upstream_request("anthropic", "gemini")[0]["generationConfig"]["thinkingConfig"] == {
        "includeThoughts": True,
        "thinkingBudget": 8000,
    }
    assert upstream_request("gemini", "openai_responses")[0]["reasoning"] == {"effort": "medium", "summary": "auto"}


def test_gemini_3_takes_a_level_and_never_a_budget_next_to_it() -> None:
    body, _ = upstream_request("anthropic", "gemini", "gemini-3-pro-preview")
    assert body["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, "thinkingLevel": "HIGH"}


def test_a_wish_that_fills_the_whole_limit_leaves_half_of_it() -> None:
    body, _ = upstream_request("openai_chat", "anthropic", max_completion_tokens=6000)
    assert body["thinking"]["budget_tokens"] == 3000


WITHOUT: dict[str, dict[str, Any]] = {
    "no room": {"max_completion_tokens": 1500},
    "temperature": {"temperature": 0.2},
    "forced call": {"tools": [{"type": "function", "function": {"name": "look"}}], "tool_choice": "required"},
    "calls made without": {
        "messages": [
            {"role": "user", "content": "Why?"},
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "x"},
        ]
    },
}


@pytest.mark.parametrize("why", WITHOUT)
def test_no_thinking_where_anthropic_would_refuse_it(why: str) -> None:
    body, lost = upstream_request("openai_chat", "anthropic", **{"max_completion_tokens": 20000} | WITHOUT[why])
    assert "thinking" not in body
    assert "no thinking" in lost


def test_calls_of_an_earlier_turn_do_not_matter() -> None:
    messages = [*WITHOUT["calls made without"]["messages"], {"role": "assistant", "content": "So."}]
    body, _ = upstream_request(
        "openai_chat",
        "anthropic",
        max_completion_tokens=20000,
        messages=[*messages, {"role": "user", "content": "And now?"}],
    )
    assert "thinking" in body


def test_what_has_no_word_is_reported() -> None:
    off = {"thinkingConfig": {"thinkingBudget": 0}}
    body, lost = upstream_request("gemini", "openai_chat", generationConfig=off)
    assert "reasoning_effort" not in body
    assert "no word" in lost
    assert "always thinks" in upstream_request("openai_chat", "gemini", "gemini-3-pro", reasoning_effort="none")[1]
    assert "thinking" not in upstream_request("openai_chat", "anthropic", reasoning_effort="none")[0]


def test_thoughts_of_another_provider_are_none() -> None:
    history = [
        {"role": "user", "content": "Why?"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABx"},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    ]
    body, lost = upstream_request("openai_responses", "anthropic", max_output_tokens=20000, input=history)
    assert "thinking" not in body
    assert "no thinking" in lost


TOOLS = [{"type": "function", "name": "read_gauge", "parameters": {"type": "object", "properties": {}}}]


@pytest.mark.parametrize(
    ("model", "wish", "effort"),
    [
        ("gpt-5.6", {"effort": "high"}, "none"),
        ("gpt-5.6-luna", None, "none"),
        ("gpt-6-sol", {"effort": "none"}, "none"),
        ("gpt-5.4", {"effort": "low"}, "none"),
        ("gpt-5.5-2026-04-23", None, None),
        ("gpt-5.1", {"effort": "low"}, "low"),
    ],
)
def test_chat_does_not_think_where_it_takes_tools_only_so(
    model: str, wish: dict[str, Any] | None, effort: str | None
) -> None:
    body, losses = upstream_request("openai_responses", "openai_chat", model, reasoning=wish, tools=TOOLS)
    assert body.get("reasoning_effort") == effort
    assert ("only without function tools" in losses) == (wish is not None and wish["effort"] != effort)


@pytest.mark.parametrize("tools", [[], [{"type": "custom", "name": "write_patch"}]])
def test_chat_thinks_where_there_are_no_functions(tools: list[dict[str, Any]]) -> None:
    body, _ = upstream_request("openai_responses", "openai_chat", "gpt-5.6", reasoning={"effort": "high"}, tools=tools)
    assert body["reasoning_effort"] == "high"
