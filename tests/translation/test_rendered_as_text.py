"""Calls and results that became text: where they are now, and which text renders none of them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.library import load_corpus

ID = "toolu_01Qm4pVxT7dKcJwR9hYbNzEa"
LOST, CALL, INVENTED = "translation/result-lost", "translation/call-lost", "translation/text-invented"


def source(result: Any, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": "How warm is it?"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": ID, "name": "sense", "input": arguments or {}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": ID, "content": result}]},
        ],
        "tools": [{"name": "sense", "description": "Read it.", "input_schema": {"type": "object"}}],
    }


def findings_by_rule(
    request: dict[str, Any], text: str, called: str | None = None, *, keeps_call: bool = False
) -> dict[str, Finding]:
    """A Chat request in which the result is ``text`` as text; the call, too, if it is given as ``called``.

    Where ``keeps_call``, the call is there as well.
    """
    call = {"id": ID, "type": "function", "function": {"name": "sense", "arguments": "{}"}}
    output = {
        "model": "gpt-4.1-2025-04-14",
        "max_completion_tokens": 100,
        "messages": [
            {"role": "user", "content": "How warm is it?"},
            {"role": "assistant", "content": called, **({} if called and not keeps_call else {"tool_calls": [call]})},
            {"role": "user", "content": text},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "sense", "description": "Read it.", "parameters": {"type": "object"}},
            }
        ],
    }
    findings = judge(request, output, client="anthropic", upstream="openai_chat").findings
    return {finding.rule: finding for finding in findings}


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("4", "4"),
        ("4", f"Result of {ID}: 4"),
        ("4", "Tool sense said 4"),
        ("It is 21 degrees in here.", "Observation: It is 21 degrees in here."),
        (
            '{"degrees": 21, "place": "the cellar below"}',
            '{"raw": "{\\"degrees\\": 21, \\"place\\": \\"the cellar below\\"}"}',
        ),
        ([{"type": "text", "text": "one two"}, {"type": "text", "text": "three"}], "one two\n\nthree"),
    ],
)
def test_a_result_that_is_text_now_is_lost_and_found(result: Any, text: str) -> None:
    findings = findings_by_rule(source(result), text)
    assert findings[LOST].message == "a tool result is rendered as text instead"
    assert (findings[LOST].pointer, findings[LOST].got) == ("/messages/2/content", text)
    assert INVENTED not in findings


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("4", "At 4 we leave."),
        ("41", "Tool sense gave msg_179588410"),  # not a word of its own
        ("", "Nothing came."),
        ("21 degrees", "22 degrees"),
    ],
)
def test_another_text_is_invented(result: str, text: str) -> None:
    findings = findings_by_rule(source(result), text)
    assert findings[LOST].message == "a tool result is lost" or findings[LOST].pointer != "/messages/2/content"
    assert findings[INVENTED].got == text


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        ({}, f"Called sense, {ID}"),
        ({"where": ["cellar", 2]}, 'sense({"where": ["cellar", 2]})'),
        ({"where": {"text": 'the "cellar" below'}}, '{"sense": {"where": {"text": "the \\"cellar\\" below"}}}'),
    ],
)
def test_a_call_that_is_text_now_is_lost_and_found(arguments: dict[str, Any], called: str) -> None:
    findings = findings_by_rule(source("21 degrees", arguments), "Result of sense: 21 degrees", called)
    assert findings[CALL].message == "a tool call is rendered as text instead"
    assert (findings[CALL].pointer, findings[CALL].got) == ("/messages/1/content", called)
    assert INVENTED not in findings
    assert LOST not in findings, "a consequence of the lost call"


def test_a_call_that_is_only_named_is_not_rendered_as_text() -> None:
    findings = findings_by_rule(source("21 degrees"), "Result of sense: 21 degrees", "I sense something.")
    assert (findings[CALL].pointer, findings[CALL].got) == ("/messages/1", MISSING), "the turn where it should stand"
    assert findings[INVENTED].got == "I sense something."


def test_calls_on_both_sides_of_a_result_as_text_are_not_merged() -> None:
    """The text is taken for the result; the message of the user that held it still parts the calls."""
    case = load_corpus().cases["server_tools/tool-reference-in-result"]
    source = case.exchanges("anthropic")[-1].request
    output = copy.deepcopy(case.exchanges("openai_chat")[-1].request)
    for number, message in enumerate(output["messages"]):
        if message["role"] == "tool":
            output["messages"][number] = {"role": "user", "content": str(message["content"])}
    rules = {finding.rule for finding in judge(source, output, client="anthropic", upstream="openai_chat").findings}
    assert "translation/result-lost" in rules
    assert "translation/calls-merged" not in rules


def test_a_short_result_is_found_where_nothing_else_is_said() -> None:
    """The text for the call names it, and holds the two letters of its result."""
    request = source("ok")
    called = '{"tool_call": {"name": "sense", "then": "echo ok"}}'
    finding = findings_by_rule(request, '{"output": "ok"}', called, keeps_call=True)[LOST]
    assert finding.pointer == "/messages/2/content"
