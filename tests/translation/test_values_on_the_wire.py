"""A wanted value is reported in the notation of the output's format, or in words where that is not known."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import MISSING, Form, Words
from toolcall_conformance.judge import Judge
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.library import load_corpus

JUDGE = Judge(load_corpus())
SCHEMA = {"type": "object", "properties": {"legs": {"type": "integer"}}, "required": ["legs"]}
HELLO = [{"role": "user", "content": "Hello"}]
GEMINI_HELLO = [{"role": "user", "parts": [{"text": "Hello"}]}]
BARE: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "claude-sonnet-4-5", "max_tokens": 9000, "messages": HELLO},
    "openai_chat": {"model": "gpt-5", "messages": HELLO},
    "openai_responses": {"model": "gpt-5", "input": HELLO},
    "gemini": {"contents": GEMINI_HELLO},
}
NAMED = {"name": "species", "schema": SCHEMA, "strict": True}
CHAT_FORM: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": NAMED}}
RESPONSES_FORM: dict[str, Any] = {"text": {"format": {"type": "json_schema", **NAMED}}}
CHAT_NAMELESS = Form(
    {
        "type": "object",
        "required": ["type", "json_schema"],
        "properties": {
            "type": {"const": "json_schema"},
            "json_schema": {
                "type": "object",
                "required": ["name", "schema", "strict"],
                "properties": {"name": {"type": "string", "minLength": 1}, "schema": {"const": SCHEMA}, "strict": {}},
            },
        },
    }
)
GEMINI_FORM: dict[str, Any] = {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}


def want_of_rule(rule: str, client: str, upstream: str, source: dict[str, Any]) -> Any:
    findings = JUDGE.request(BARE[client] | source, BARE[upstream], Ends(client, upstream)).findings
    [finding] = [
        finding for finding in findings if finding.rule.endswith(rule) and finding.source_pointer != "/max_tokens"
    ]
    return finding.want


@pytest.mark.parametrize(
    ("client", "upstream", "source", "want"),
    [
        ("openai_chat", "gemini", CHAT_FORM, GEMINI_FORM),
        ("openai_chat", "openai_responses", CHAT_FORM, {"type": "json_schema", **NAMED}),
        ("openai_responses", "openai_chat", RESPONSES_FORM, CHAT_FORM["response_format"]),
        ("openai_responses", "anthropic", RESPONSES_FORM, {"type": "json_schema", "schema": SCHEMA}),
        (
            "openai_chat",
            "gemini",
            {"response_format": {"type": "json_object"}},
            {"responseMimeType": "application/json"},
        ),
        # Chat needs a name, which Gemini's schema does not have.
        ("gemini", "openai_chat", {"generationConfig": GEMINI_FORM}, CHAT_NAMELESS),
    ],
)
def test_response_formats(client: str, upstream: str, source: dict[str, Any], want: Any) -> None:
    assert want_of_rule("response-format-lost", client, upstream, source) == want


def test_a_response_format_in_several_members() -> None:
    mime = {"responseMimeType": "application/json"}
    for form in (mime, GEMINI_FORM | {"responseJsonSchema": {"type": "string"}}):
        output = BARE["gemini"] | {"generationConfig": {**form, "temperature": 1}}
        findings = JUDGE.request(BARE["openai_chat"] | CHAT_FORM, output, Ends("openai_chat", "gemini")).findings
        assert [(finding.want, finding.got) for finding in findings if "response-format" in finding.rule] == [
            (GEMINI_FORM, form)
        ]


THINKING = {"type": "enabled", "budget_tokens": 2048}
BUDGET = {"generationConfig": {"thinkingConfig": {"thinkingBudget": 2048}}}


@pytest.mark.parametrize(
    ("client", "upstream", "source", "want"),
    [
        ("openai_chat", "openai_responses", {"reasoning_effort": "high"}, {"effort": "high"}),
        ("openai_responses", "openai_chat", {"reasoning": {"effort": "high"}}, "high"),
        ("gemini", "anthropic", BUDGET, THINKING),
        ("anthropic", "gemini", {"thinking": THINKING}, {"thinkingBudget": 2048}),
        # How many tokens a word stands for is not documented.
        ("gemini", "openai_chat", BUDGET, Words("budget 2048")),
    ],
)
def test_how_much_to_think(client: str, upstream: str, source: dict[str, Any], want: Any) -> None:
    assert want_of_rule("lost", client, upstream, source) == want


CALLS: dict[str, dict[str, Any]] = {
    "anthropic": {"type": "tool_use", "name": "count_legs", "input": {"of": "spider"}},
    "openai_chat": {"type": "function", "function": {"name": "count_legs", "arguments": '{"of": "spider"}'}},
    "openai_responses": {"type": "function_call", "name": "count_legs", "arguments": '{"of": "spider"}'},
    "gemini": {"functionCall": {"name": "count_legs", "args": {"of": "spider"}}},
}


def reply(name: str, *calls: dict[str, Any]) -> dict[str, Any]:
    tool_calls = [dict(call) for call in calls]
    if name == "anthropic":
        return {"type": "message", "role": "assistant", "content": [call | {"id": "toolu_1"} for call in tool_calls]}
    if name == "openai_chat":
        message = {"role": "assistant", "content": None, "tool_calls": [call | {"id": "call_1"} for call in tool_calls]}
        return {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    if name == "openai_responses":
        return {"object": "response", "output": [call | {"id": "fc_1", "call_id": "call_1"} for call in tool_calls]}
    return {"candidates": [{"content": {"role": "model", "parts": tool_calls}}]}


def without_id(want: Any) -> Any:
    """A call that is wanted, whole or as a form of one, without the id that a reader may have to make up."""
    if isinstance(want, Form):
        want = want.schema.get("const") or {key: form.get("const") for key, form in want.schema["properties"].items()}
    return {key: value for key, value in want.items() if key not in ("id", "call_id")}


@pytest.mark.parametrize("client", CALLS)
@pytest.mark.parametrize("upstream", CALLS)
def test_calls_that_are_lost_or_invented(client: str, upstream: str) -> None:
    if client == upstream:
        return
    ends = Ends(client, upstream)
    lost = JUDGE.response(reply(upstream, CALLS[upstream]), reply(client), ends).findings
    [(want, got)] = [(finding.want, finding.got) for finding in lost if finding.rule == "translation/call-lost"]
    assert (without_id(want), got) == (CALLS[client], MISSING)
    more = JUDGE.response(reply(upstream), reply(client, CALLS[client]), ends).findings
    [(want, got)] = [(finding.want, finding.got) for finding in more if finding.rule == "translation/call-invented"]
    call = CALLS[client] if client != "gemini" else CALLS[client]["functionCall"]
    assert want is MISSING
    assert call.items() <= got.items()
