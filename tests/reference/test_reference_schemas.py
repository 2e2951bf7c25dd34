"""Schemas: verbatim where JSON Schema is spoken, converted for Gemini's ``parameters``, widened where refused."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.reference_bodies import ask, open_way
from toolcall_reference.formats.gemini.schemas import from_parameters, to_parameters

RICH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "title": "Title", "const": "x"},
        "maybe": {"type": ["integer", "null"], "minimum": 0},
        "tree": {"$ref": "#/$defs/node"},
        "one": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}]},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
}
CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "object", "properties": {}, "required": [], "additionalProperties": False}},
    "required": ["a"],
    "additionalProperties": False,
}
SAID = [{"role": "user", "parts": [{"text": "Go."}]}]


def chat(parameters: Any, **more: Any) -> dict[str, Any]:
    function = {"name": "f", "description": "F.", **({} if parameters is None else {"parameters": parameters}), **more}
    return {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"type": "function", "function": function}],
    }


def test_json_schema_travels_verbatim() -> None:
    assert ask("openai_chat", "anthropic", chat(RICH))["tools"][0]["input_schema"] == RICH
    assert ask("openai_chat", "openai_responses", chat(RICH))["tools"][0]["parameters"] == RICH
    declaration = ask("openai_chat", "gemini", chat(RICH))["tools"][0]["functionDeclarations"][0]
    assert declaration["parametersJsonSchema"] == RICH
    assert "parameters" not in declaration


def test_tools_without_parameters() -> None:
    body = chat(None)
    assert ask("openai_chat", "anthropic", body)["tools"][0]["input_schema"] == {"type": "object", "properties": {}}
    assert ask("openai_chat", "openai_responses", body)["tools"][0]["parameters"] == {
        "type": "object",
        "properties": {},
    }
    declaration = ask("openai_chat", "gemini", body)["tools"][0]["functionDeclarations"][0]
    assert declaration == {"name": "f", "description": "F."}
    back = ask("gemini", "openai_chat", {"contents": SAID, "tools": [{"functionDeclarations": [declaration]}]})
    assert back["tools"][0]["function"] == {"name": "f", "description": "F."}


@pytest.mark.parametrize(("strict", "expected"), [(None, False), (False, False), (True, True)])
def test_strict_is_always_said_to_responses(strict: bool | None, expected: bool) -> None:
    more = {} if strict is None else {"strict": strict}
    assert ask("openai_chat", "openai_responses", chat(CLOSED, **more))["tools"][0]["strict"] is expected


def test_a_schema_that_openai_would_refuse_is_not_called_strict() -> None:
    tool = {"name": "f", "input_schema": RICH, "strict": True}
    session = open_way("anthropic", "openai_chat")
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "tools": [tool]}
    assert session.request(body)["tools"][0]["function"]["strict"] is False
    assert [loss.element for loss in session.losses] == ["tool-strict"]


def test_strict_goes_no_further_than_it_means_something() -> None:
    body = chat(RICH, strict=True)
    assert ask("openai_chat", "anthropic", body)["tools"][0]["strict"] is True
    assert "strict" not in str(ask("openai_chat", "gemini", body))
    assert "strict" not in ask("openai_chat", "anthropic", chat(RICH, strict=False))["tools"][0]


def test_gemini_parameters_become_json_schema() -> None:
    parameters = {
        "type": "OBJECT",
        "properties": {
            "b": {"type": "STRING", "nullable": True, "enum": ["x", "y"], "format": "enum"},
            "a": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "2"},
            "nullable": {"type": "BOOLEAN", "example": True},
        },
        "required": ["a"],
        "propertyOrdering": ["a", "b"],
    }
    body = {"contents": SAID, "tools": [{"functionDeclarations": [{"name": "f", "parameters": parameters}]}]}
    input_schema = ask("gemini", "anthropic", body)["tools"][0]["input_schema"]
    assert input_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
            "b": {"type": ["string", "null"], "enum": ["x", "y", None]},
            "nullable": {"type": "boolean", "examples": [True]},
        },
        "required": ["a"],
    }
    assert list(input_schema["properties"]) == ["a", "b", "nullable"]
    jsonschema.Draft202012Validator.check_schema(input_schema)


def test_composed_root_is_widened_for_anthropic() -> None:
    schema = {
        "anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "b"]},
        ]
    }
    input_schema = ask("openai_chat", "anthropic", chat(schema))["tools"][0]["input_schema"]
    assert input_schema["type"] == "object"
    assert not input_schema.keys() & {"anyOf", "oneOf", "allOf"}
    for instance in ({"a": "x"}, {"a": 1, "b": None}):
        jsonschema.validate(instance, schema)
        jsonschema.validate(instance, input_schema)
    assert input_schema["required"] == ["a"]


SIMPLE = st.recursive(
    st.sampled_from(
        [{"type": "string"}, {"type": "integer", "minimum": 1}, {"type": ["number", "null"]}, {"type": "boolean"}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda item: {"type": "array", "items": item}, inner),
        st.builds(lambda a, b: {"type": "object", "properties": {"a": a, "type": b}, "required": ["a"]}, inner, inner),
        st.builds(lambda a, b: {"anyOf": [a, b, {"type": "null"}]}, inner, inner),
    ),
    max_leaves=6,
)


@given(SIMPLE)
@settings(derandomize=True, max_examples=150, deadline=None)
def test_to_gemini_and_back_means_the_same(schema: dict[str, Any]) -> None:
    converted, lost = to_parameters(schema)
    assert lost == []
    back = from_parameters(converted)
    jsonschema.Draft202012Validator.check_schema(back)
    for instance in (None, "x", 0, 1, 1.5, True, [], [1], [None], {}, {"a": "x"}, {"a": 1, "type": None}, {"a": [1]}):
        before = jsonschema.Draft202012Validator(schema).is_valid(instance)
        after = jsonschema.Draft202012Validator(back).is_valid(instance)
        assert before == after, (schema, back, instance)


def test_references_are_put_in_place_for_parameters() -> None:
    converted, lost = to_parameters(RICH)
    assert converted["properties"]["tree"]["type"] == "OBJECT"
    assert "recursive $ref" in lost
    assert "$ref" not in str(converted)
    assert converted["properties"]["title"]["enum"] == ["x"]
