"""What excuses a fault: the source's own at the same place, and none of another's."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.library import load_corpus


def chat(*tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    declared = [{"type": "function", "function": tool} for tool in tools]
    return {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": declared, **more}


def responses(*tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    declared = [{"type": "function", **tool, "strict": False} for tool in tools]
    return {"model": "m", "input": [{"role": "user", "content": "x"}], "tools": declared, **more}


def tool(name: str, schema: Any = None, description: str = "Does it.") -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": schema or {"type": "object", "properties": {}}}


def levels(source: dict[str, Any], output: dict[str, Any], rule: str) -> list[Level]:
    findings = judge(source, output, client="openai_chat", upstream="openai_responses").findings
    return [finding.level for finding in findings if finding.rule == rule]


def test_the_same_fault_of_the_same_tool_is_a_note() -> None:
    source = chat(tool("a b"), tool("c"))
    assert levels(source, responses(tool("a b"), tool("c")), "openai_responses/tool-name") == [Level.NOTE]


def test_the_fault_of_another_tool_is_not_excused() -> None:
    source = chat(tool("a b"), tool("c"))
    assert levels(source, responses(tool("a_b"), tool("c d")), "openai_responses/tool-name") == [Level.MUST]


def test_a_fault_in_another_member_is_not_excused() -> None:
    source = chat(tool("a b"), tool("c"))
    assert levels(
        source, responses(tool("a b", {"type": "string"}), tool("c")), "openai_responses/tool-schema-root"
    ) == [Level.MUST]


@pytest.mark.parametrize(("place", "level"), [("a", Level.NOTE), ("b", Level.MUST)])
def test_inside_a_schema_the_way_counts(place: str, level: Level) -> None:
    def schema(wrong: str) -> dict[str, Any]:
        return {"type": "object", "properties": {key: {"type": "nil" if key == wrong else "string"} for key in "ab"}}

    declared = {"name": "c", "description": "Does it.", "input_schema": schema(place)}
    output = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "tools": [declared]}
    findings = judge(chat(tool("c", schema("a"))), output, client="openai_chat", upstream="anthropic").findings
    assert [finding.level for finding in findings if finding.rule == "anthropic/tool-schema-valid"] == [level]


def test_what_no_known_part_is_at_excuses_by_its_kind_and_once() -> None:
    def request_with_roles(*roles: str) -> dict[str, Any]:
        return responses() | {"input": [{"role": role, "content": "x"} for role in roles]}

    def messages(*roles: str) -> dict[str, Any]:
        return chat() | {"messages": [{"role": role, "content": "x"} for role in roles]}

    source = messages("user", "robot")
    findings = judge(
        source, request_with_roles("user", "robot"), client="openai_chat", upstream="openai_responses"
    ).findings
    assert {finding.level for finding in findings if finding.rule == "openai_responses/message-role"} == {Level.NOTE}


def test_a_fault_at_nothing_excuses_one_of_its_kind() -> None:
    source = {"model": "m", "messages": []}
    findings = judge(source, {"contents": []}, client="openai_chat", upstream="gemini").findings
    assert [(finding.rule, finding.level) for finding in findings] == [("gemini/contents-given", Level.NOTE)]


def test_an_old_form_that_its_api_takes_is_a_note_where_it_comes_back() -> None:
    """Functions instead of tools draw a SHOULD, and say no more of a translator that hands them on."""
    source = load_corpus().cases["legacy_functions/called"].exchanges("openai_chat")[-1].request
    findings = judge(source, {**source, "user": "x"}, client="openai_chat", upstream="openai_chat").findings
    assert {finding.level for finding in findings if finding.rule == "openai_chat/legacy-functions"} == {Level.NOTE}


@pytest.mark.parametrize(("input_schema", "level"), [(None, Level.MUST), ({"type": "object"}, None)])
def test_what_an_api_takes_in_a_declaration_excuses_no_other_api_s_refusal(
    input_schema: Any, level: Level | None
) -> None:
    source = chat({"name": "c", "description": "Does it.", "parameters": None})
    declared = {"name": "c", "description": "Does it.", "input_schema": input_schema}
    output = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "tools": [declared]}
    findings = judge(source, output, client="openai_chat", upstream="anthropic").findings
    assert {finding.level for finding in findings if finding.rule == "anthropic/tool-has-schema"} == (
        {level} if level else set()
    )
