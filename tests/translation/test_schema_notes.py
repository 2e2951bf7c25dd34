"""What a finding on a schema says in addition: a lost union, what was beside a reference, what forbade a value."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def messages(source: dict[str, Any], output: dict[str, Any], **around: Any) -> list[str]:
    """The messages of findings on a parameter ``at`` that was ``source``, and is ``output``."""

    def request(parameter: dict[str, Any]) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"at": parameter}, "required": ["at"], **around}
        tool = {"name": "moor", "description": "Moors a boat.", "parameters": schema}
        return {
            "model": "gpt-4.1-2025-04-14",
            "messages": [{"role": "user", "content": "Moor it."}],
            "tools": [{"type": "function", "function": tool}],
        }

    findings = judge(request(source), anthropic(request(output)), client="openai_chat", upstream="anthropic").findings
    return [finding.message for finding in findings if finding.rule.startswith("translation/schema-")]


def anthropic(chat: dict[str, Any]) -> dict[str, Any]:
    tools = [
        {"name": function["name"], "description": function["description"], "input_schema": function["parameters"]}
        for function in (tool["function"] for tool in chat["tools"])
    ]
    return {"model": "claude-sonnet-4-5-20250929", "max_tokens": 90, "messages": chat["messages"], "tools": tools}


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_a_union_that_is_gone_is_named(union: str) -> None:
    said = messages({union: [TEXT, NUMBER]}, TEXT)
    assert said
    assert all(f"; the source has `{union}` here, the output has none" in message for message in said)


def test_a_union_in_another_notation_is_not_gone() -> None:
    said = messages({"anyOf": [TEXT, NUMBER]}, {"oneOf": [TEXT]})
    assert said
    assert not any("the output has none" in message for message in said)


def test_a_union_that_is_new_is_named() -> None:
    said = messages({"type": ["string", "null"], "enum": ["north", None]}, {"anyOf": [TEXT, {"type": "null"}]})
    assert said
    assert all(message.endswith("; the output has `anyOf` here, the source has none") for message in said)


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
    said = messages(source, berth({"type": "string"}))
    assert [message for message in said if f"; `{keyword}` forbids it in the source" in message]


def test_a_lost_list_of_values_says_what_it_was_with() -> None:
    source = {"enum": ["north", "south"], "anyOf": [TEXT, {"type": "null"}]}
    output = {key: value for key, value in source.items() if key != "enum"}
    said = messages(source, output)
    assert said
    assert any(message.endswith("; in the source it is with `anyOf`") for message in said), said


def test_an_object_that_is_open_now_says_so() -> None:
    closed = {"type": "object", "properties": {"quay": TEXT}, "additionalProperties": False}
    opened = {key: value for key, value in closed.items() if key != "additionalProperties"}
    assert messages(closed, opened) == ["members that no property names are valid now"]
