"""What a finding on a schema says in addition: a lost union, what was beside a reference, what forbade a value."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.reports.features import feature
from toolcall_conformance.reports.item_record import finding_json

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def schema_findings(source: dict[str, Any], output: dict[str, Any], **around: Any) -> list[Finding]:
    """The findings on a parameter ``at`` that was ``source``, and is ``output``."""

    def request(parameter: dict[str, Any]) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"at": parameter}, "required": ["at"], **around}
        tool = {"name": "moor", "description": "Moors a boat.", "parameters": schema}
        return {
            "model": "gpt-4.1-2025-04-14",
            "messages": [{"role": "user", "content": "Moor it."}],
            "tools": [{"type": "function", "function": tool}],
        }

    findings = judge(request(source), anthropic(request(output)), client="openai_chat", upstream="anthropic").findings
    return [finding for finding in findings if finding.rule.startswith("translation/schema-")]


def messages(source: dict[str, Any], output: dict[str, Any], **around: Any) -> list[str]:
    """The messages of these findings."""
    return [finding.message for finding in schema_findings(source, output, **around)]


def anthropic(chat: dict[str, Any]) -> dict[str, Any]:
    tools = [
        {"name": function["name"], "description": function["description"], "input_schema": function["parameters"]}
        for function in (tool["function"] for tool in chat["tools"])
    ]
    return {"model": "claude-sonnet-4-5-20250929", "max_tokens": 90, "messages": chat["messages"], "tools": tools}


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_a_union_that_is_gone_is_named(union: str) -> None:
    texts = messages({union: [TEXT, NUMBER]}, TEXT)
    assert texts
    assert all(
        f"; its place in the source has `{union}`, its place in the output has none" in message for message in texts
    )


def test_a_union_in_another_notation_is_not_gone() -> None:
    texts = messages({"anyOf": [TEXT, NUMBER]}, {"oneOf": [TEXT]})
    assert texts
    assert not any("its place in the output has none" in message for message in texts)


def test_a_union_that_is_new_is_named() -> None:
    texts = messages({"type": ["string", "null"], "enum": ["north", None]}, {"anyOf": [TEXT, {"type": "null"}]})
    assert texts
    assert all(
        message.endswith("; its place in the output has `anyOf`, its place in the source has none") for message in texts
    )


@pytest.mark.parametrize(
    ("source", "output", "note"),
    [
        ({"$ref": "#/$defs/Berth", "description": "Where."}, TEXT, "; in the source it is with `$ref`"),
        (
            {"anyOf": [TEXT, NUMBER], "description": "Where."},
            {"anyOf": [TEXT, NUMBER]},
            "; in the source it is with `anyOf`",
        ),
        ({**TEXT, "description": "Where."}, TEXT, ""),
    ],
)
def test_a_lost_description_says_what_it_was_with(source: dict[str, Any], output: dict[str, Any], note: str) -> None:
    (message,) = messages(source, output, **{"$defs": {"Berth": TEXT}})
    assert message == f"the description of a parameter was lost or changed{note}"


@pytest.mark.parametrize(
    ("kind", "keyword"),
    [
        ({"const": "north"}, "const"),
        ({"enum": ["north"]}, "enum"),
        ({"enum": ["north", "south"]}, "enum"),
        ({"type": "string", "minLength": 3}, "minLength"),
    ],
)
def test_a_value_that_is_valid_now_names_what_forbade_it(kind: dict[str, Any], keyword: str) -> None:
    """Of a union, it is what forbids it in the branch that is nearest to it."""

    def berth(kind: dict[str, Any]) -> dict[str, Any]:
        return {"type": "object", "properties": {"kind": kind}, "required": ["kind"], "additionalProperties": False}

    source = {
        "anyOf": [
            berth(kind),
            {**berth(kind), "required": ["kind", "quay"], "properties": {"kind": kind, "quay": NUMBER}},
        ]
    }
    texts = messages(source, berth({"type": "string"}))
    assert [message for message in texts if f"; `{keyword}` forbids it in the source" in message]


def test_a_lost_list_of_values_says_what_it_was_with() -> None:
    source = {"enum": ["north", "south"], "anyOf": [TEXT, {"type": "null"}]}
    output = {key: value for key, value in source.items() if key != "enum"}
    texts = messages(source, output)
    assert texts
    assert any(message.endswith("; in the source it is with `anyOf`") for message in texts), texts


def test_an_object_that_is_open_now_says_so() -> None:
    closed = {"type": "object", "properties": {"quay": TEXT}, "additionalProperties": False}
    opened = {key: value for key, value in closed.items() if key != "additionalProperties"}
    assert messages(closed, opened) == ["members that no property names are valid now"]


@pytest.mark.parametrize(
    ("source", "output", "word"),
    [
        ({"anyOf": [TEXT, NUMBER]}, TEXT, "union-lost"),
        ({"type": ["string", "null"], "enum": ["north", None]}, {"anyOf": [TEXT, {"type": "null"}]}, "union-added"),
        ({"$ref": "#/$defs/Berth", "description": "Where."}, TEXT, "with-$ref"),
        ({"type": "string", "const": "north"}, TEXT, "const"),
        ({"type": "object", "properties": {}, "additionalProperties": False}, {"type": "object"}, "no-longer-closed"),
    ],
)
def test_reports_tell_repairs_apart_by_what_the_judge_says(
    source: dict[str, Any], output: dict[str, Any], word: str
) -> None:
    findings = schema_findings(source, output, **{"$defs": {"Berth": TEXT}})
    assert word in {feature(finding_json(finding)) for finding in findings}, findings
