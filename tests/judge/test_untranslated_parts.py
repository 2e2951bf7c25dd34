"""A tool, message or block that passed through untranslated is reported as such, once, and not by each wrong key."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Finding

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}
FLAT = {"type": "function", "name": "get_stock", "description": "Pieces left.", "parameters": SCHEMA}
NESTED = {"type": "function", "function": {key: value for key, value in FLAT.items() if key != "type"}}
FREE = {"type": "custom", "name": "run_sql", "description": "Runs a query."}
CALL = {"type": "function_call", "call_id": "call_v8Rb2Wq", "name": "get_stock", "arguments": '{"sku":"7"}'}
OUTPUT = {"type": "function_call_output", "call_id": "call_v8Rb2Wq", "output": "12"}
ASK = {"role": "user", "content": "How many are left?"}


def responses(tools: list[Any], *items: Any) -> dict[str, Any]:
    return {"model": "gpt-4.1-2025-04-14", "input": [ASK, *items], "tools": tools}


def chat(tools: list[Any], *messages: Any) -> dict[str, Any]:
    return {"model": "gpt-4.1-2025-04-14", "messages": [ASK, *messages], "tools": tools}


def anthropic(*messages: Any) -> dict[str, Any]:
    tool = {"name": "get_stock", "description": "Pieces left.", "input_schema": SCHEMA}
    return {"model": "claude-sonnet-4-5-20250929", "max_tokens": 90, "messages": [ASK, *messages], "tools": [tool]}


def untranslated_parts(findings: tuple[Finding, ...]) -> dict[str, tuple[str, str | None]]:
    """By place, the rule and the source's place of the parts that are reported as untranslated."""
    return {
        finding.pointer: (finding.rule, finding.source_pointer)
        for finding in findings
        if finding.message == "this has the form of openai_responses: it was passed through untranslated"
    }


def test_a_tool_of_another_format() -> None:
    findings = judge(
        responses([FREE, FLAT]), chat([FREE, FLAT]), client="openai_responses", upstream="openai_chat"
    ).findings
    assert untranslated_parts(findings) == {
        "/tools/0": ("openai_chat/custom-tool", "/tools/0"),
        "/tools/1": ("openai_chat/tool-nested", "/tools/1"),
    }
    assert [finding.pointer for finding in findings if finding.is_must] == ["/tools/0", "/tools/1"]


def test_an_item_among_messages() -> None:
    findings = judge(
        responses([FLAT], CALL, OUTPUT), anthropic(CALL, OUTPUT), client="openai_responses", upstream="anthropic"
    ).findings
    assert untranslated_parts(findings) == {
        "/messages/1": ("anthropic/shape", "/input/1"),
        "/messages/2": ("anthropic/shape", "/input/2"),
    }
    inside = [
        finding for finding in findings if finding.pointer.startswith("/messages/") and finding.pointer.count("/") > 2
    ]
    assert inside == []


@pytest.mark.parametrize("tool", [NESTED, NESTED | {"strict": False}, FLAT | {"name": "get_stok"}])
def test_an_unrestored_value_breaks_its_own_rule(tool: dict[str, Any]) -> None:
    findings = judge(responses([FLAT]), chat([tool]), client="openai_responses", upstream="openai_chat").findings
    assert untranslated_parts(findings) == {}


def test_a_schema_is_json_schema_in_either_format() -> None:
    """What a provider refuses inside a schema is reported at its keyword, though the schema is unchanged."""
    schema = SCHEMA | {"properties": {"sku": {"anyOf": [{"type": "string", "$anchor": "a"}, {"type": "null"}]}}}
    source = responses([FLAT | {"parameters": schema}])
    function = {"name": "get_stock", "description": "Pieces left.", "parameters": schema}
    output = {
        "contents": [{"role": "user", "parts": [{"text": "How many are left?"}]}],
        "tools": [{"functionDeclarations": [function]}],
    }
    findings = judge(source, output, client="openai_responses", upstream="gemini").findings
    assert any(finding.is_must and finding.rule.startswith("gemini/schema") for finding in findings)
    assert untranslated_parts(findings) == {}


def test_an_empty_message_is_alike_in_both_formats() -> None:
    """Only its content is wrong: it is reported as empty, and not as the other format's."""
    empty = {"role": "user", "content": ""}
    source = {"model": "gpt-4.1-2025-04-14", "messages": [ASK, {"role": "assistant", "content": "Of what?"}, empty]}
    output = {"model": "claude-sonnet-4-5-20250929", "max_tokens": 90, "messages": source["messages"]}
    findings = judge(source, output, client="openai_chat", upstream="anthropic").findings
    assert not any("untranslated" in finding.message for finding in findings)
    assert "anthropic/content-not-empty" in {finding.rule for finding in findings}


def test_a_fault_in_a_copied_block_says_where_it_was_copied_from() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://buoys.example/north.png"}}
    before = {"role": "user", "content": [{"type": "text", "text": "Is it lit?"}, picture]}
    source = {"model": "gpt-4.1-2025-04-14", "messages": [ASK, {"role": "assistant", "content": "12."}, before]}
    output = {**anthropic(*source["messages"][1:]), "tools": []}
    (wrong,) = (
        finding
        for finding in judge(source, output, client="openai_chat", upstream="anthropic").findings
        if finding.rule == "anthropic/block-type"
    )
    assert (wrong.pointer, wrong.source_pointer) == ("/messages/2/content/1/type", "/messages/2/content/1")


@pytest.mark.parametrize(("call_id", "origin"), [("srvtoolu_1", "/messages/1/content/0"), ("srvtoolu_2", None)])
def test_an_item_of_no_type_comes_from_the_part_with_its_id(call_id: str, origin: str | None) -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tide"}}
    item = {"type": "function_web_search", "call_id": call_id, "status": "completed"}
    findings = judge(
        anthropic({"role": "assistant", "content": [search]}),
        responses([FLAT], item),
        client="anthropic",
        upstream="openai_responses",
    ).findings
    origins = [finding.source_pointer for finding in findings if finding.rule == "openai_responses/item-type"]
    assert origins == [origin]
