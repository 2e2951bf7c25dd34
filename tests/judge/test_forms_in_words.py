"""A form is described in words that fit into two lines of a block."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Form
from toolcall_conformance.basics.schema_words import describe_schema
from toolcall_conformance.reports.text.failure import short_value

NAME = {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"}
NOT_NULL = {"not": {"type": "null"}}
KINDS = ["text", "image", "document", "search_result", "tool_reference", "browser_state"]


def objects(*keys: str, **members: Any) -> dict[str, Any]:
    """A schema that asks for keys of an object."""
    return {"required": list(keys), "properties": {key.strip("_"): member for key, member in members.items()}}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, "anything"),
        ({"const": "a"}, '"a"'),
        ({"enum": ["a", "b", 1]}, '"a", "b" or 1'),
        ({"type": "string"}, "any string"),
        (NAME, "any string of at least 1 character that matches ^[a-z]+$"),
        ({"type": "string", "minLength": 1, "maxLength": 64}, "any string of 1 to 64 characters"),
        ({"maxLength": 1}, "any string of at most 1 character"),
        ({"pattern": "^a", "allOf": [{"pattern": "b$"}]}, "any string that matches ^a and b$"),
        ({"type": "string", "not": {"pattern": "^data:"}}, "any string that does not match ^data:"),
        ({"type": "string", "not": {"enum": ["a", "b"]}}, 'any string other than "a" or "b"'),
        ({"not": {"const": 429}}, "anything other than 429"),
        ({"not": {"type": "null"}}, "anything other than null"),
        ({"type": "string", "contentMediaType": "application/json"}, "any JSON text"),
        (
            {"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "object"}},
            "any JSON text of an object",
        ),
        ({"type": ["string", "array"]}, "any string or list"),
        ({"type": ["integer", "null"], "minimum": 16}, "any whole number, at least 16, or null"),
        ({"type": "number", "minimum": 0, "maximum": 2}, "any number from 0 to 2"),
        ({"type": "number", "maximum": 0}, "any number, at most 0"),
        ({"type": "integer", "exclusiveMinimum": 0}, "any whole number above 0"),
        ({"type": "boolean"}, "true or false"),
        (
            {"type": "array", "items": NAME, "maxItems": 4},
            f"any list of at most 4 entries, each {describe_schema(NAME, 80)}",
        ),
        ({"minItems": 1}, "any list of at least 1 entry"),
        ({"type": "array", "uniqueItems": True}, "any list, each only once"),
        ({"type": "object", "maxProperties": 16}, "any object of at most 16 keys"),
        ({"type": "object", "required": ["a", "b"]}, 'any object with "a" and "b"'),
        (
            {"type": "object", **objects("type", "id", type={"const": "x"}, id={"type": "string"})},
            'any object with "type": "x"; "id": any string',
        ),
        ({"type": "object", **objects("a", a=NOT_NULL)}, 'any object with "a": anything other than null'),
        ({"type": "object", "not": objects("a", "b")}, 'any object without both "a" and "b"'),
        ({"type": "object", "not": objects("a")}, 'any object without "a"'),
        (
            {"type": "object", "not": {"allOf": [objects("a"), {"anyOf": [objects("bC"), objects("b_c")]}]}},
            'any object without both "a" and "bC"',
        ),
        ({"type": "object", "oneOf": [objects("a"), objects("b")]}, 'any object with exactly one of "a" and "b"'),
        ({"anyOf": [{"type": "array", "items": NAME}, {"minLength": 2}]},
         f"any string of at least 2 characters, or any list, each {describe_schema(NAME, 80)}"),
        ({"type": "object", "required": ["a"], "anyOf": [objects("b"), objects("c")]},
         'any object with "a", and one of "b" and "c"'),
        ({"items": {"anyOf": [objects("a"), objects("b")]}}, 'any list, each any object with one of "a" and "b"'),
    ],
)  # fmt: skip
def test_a_value(schema: dict[str, Any], words: str) -> None:
    assert short_value(Form(schema)) == words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (objects("a", "b"), 'the keys "a" and "b"'),
        (objects("a", "b", a={"type": "string"}), '"a": any string; "b"'),
        ({"anyOf": [objects("a", a=NOT_NULL), objects("b")]}, 'one of "a" and "b"'),
        ({"anyOf": [objects("a", a={"type": "object"}), objects("b")]}, '"a": any object, or "b"'),
    ],
)
def test_keys_that_lack(schema: dict[str, Any], words: str) -> None:
    assert short_value(Form(schema)) == words


def test_what_is_too_long_is_left_out_step_by_step() -> None:
    schema = {"type": "object", **objects("type", "id", type={"enum": KINDS}, id=NAME)}
    assert "browser_state" in describe_schema(schema, 500)
    shorter = 'any object with "type": "text", "image", "document" or 3 more; "id": any string of at least 1 character'
    assert describe_schema(schema, 130) == f"{shorter} that matches ^[a-z]+$"
    assert describe_schema(schema, 60) == 'any object with "type" and "id"'
    assert describe_schema({"enum": KINDS}, 1) == '"text", "image", "document" or 3 more'
