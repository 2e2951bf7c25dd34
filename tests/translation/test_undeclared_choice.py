"""A choice of a tool that is not declared: no output could keep it, so none is held to it.

A gateway's own test sends one (``tool_choice`` names ``my_function``, and no tool is declared by that name):
https://github.com/agentgateway/agentgateway/blob/main/crates/llm/src/tests/requests/completions/full.json
"""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.library import load_corpus

ENDS: dict[str, Any] = {"client": "openai_chat", "upstream": "gemini"}


def source(name: str) -> dict[str, Any]:
    body: dict[str, Any] = load_corpus().cases["read_file/choice-named"].exchanges("openai_chat")[0].request
    return {**body, "tool_choice": {"type": "function", "function": {"name": name}}}


def output(mode: str) -> dict[str, Any]:
    body: dict[str, Any] = load_corpus().cases["read_file/choice-named"].exchanges("gemini")[0].request
    return {**body, "toolConfig": {"functionCallingConfig": {"mode": mode}}}


@pytest.mark.parametrize(("name", "wrong"), [("of_nobody", False), ("read_file", True)])
def test_a_choice_must_be_a_declared_tool(name: str, wrong: bool) -> None:
    findings = judge(source(name), output("AUTO"), direction="request", **ENDS).findings
    assert ("translation/tool-choice" in {finding.rule for finding in findings}) is wrong


def test_a_tool_that_a_search_brought_is_declared() -> None:
    """It need not be among the tools of the request."""

    def function(name: str) -> dict[str, Any]:
        empty = {"type": "object", "properties": {}}
        return {"type": "function", "name": name, "description": name, "parameters": empty, "strict": False}

    search = {"call_id": "c", "execution": "client", "status": "completed"}
    items = [
        {"role": "user", "content": "Who is on call?"},
        {"type": "tool_search_call", "arguments": {}, **search},
        {"type": "tool_search_output", "tools": [function("on_call")], **search},
    ]
    tools = [{"type": "tool_search", "execution": "client"}, function("page")]
    choice = {"type": "function", "name": "on_call"}
    request = {"model": "gpt-5.1", "input": items, "tools": tools, "tool_choice": choice}
    chat = [
        {"type": "function", "function": {key: value for key, value in function(name).items() if key != "type"}}
        for name in ("page", "on_call")
    ]
    sent = {"model": "gpt-5.1", "messages": items[:1], "tools": chat, "tool_choice": "auto"}
    ends: dict[str, Any] = {"client": "openai_responses", "upstream": "openai_chat"}
    findings = judge(request, sent, direction="request", **ends).findings
    assert "translation/tool-choice" in {finding.rule for finding in findings}
