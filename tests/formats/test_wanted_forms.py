"""What a schema document says of a place becomes one schema: it may say less than the document, never more."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from toolcall_conformance.basics.findings import Form
from toolcall_conformance.judge.rules.merging import join_forms, types_in
from toolcall_conformance.judge.rules.shapes import Shapes
from toolcall_conformance.judge.rules.wants import Wants

NEVER: dict[str, Any] = {"not": {}}
DEFINED = {
    "name": {"type": "string", "pattern": "^[a-z]+$", "x-rule": "x/name", "x-message": "no name"},
    "null_key": {"not": {}, "x-rule": "x/null-key"},
    "block": {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": ["text", "call"]}},
        "allOf": [
            {"if": {"properties": {"type": {"const": "call"}}}, "then": {"required": ["name", "input"]}},
            {"properties": {"name": {"$ref": "#/$defs/name"}, "input": {"type": ["object", "string"]}}},
            {"properties": {"name": {"maxLength": 8}}},
        ],
    },
}
NULLED = {"if": {"type": "null"}, "then": {"$ref": "#/$defs/null_key"}, "else": {"type": "string"}}
BY_TYPE = {"if": {"type": "array"}, "then": {"items": {"$ref": "#/$defs/name"}}, "else": {"type": "string"}}
NO_LIST = {"if": {"type": "array"}, "then": NEVER, "else": {"type": "string"}}
LISTED = {"if": {"type": "array"}, "then": {"minItems": 1}, "else": {"type": "array"}}
NAME = {"type": "string", "pattern": "^[a-z]+$"}


def form_at_error(schema: dict[str, Any], value: Any) -> dict[str, Any]:
    """The form at the first error that a value has under a schema."""
    document = {"$defs": DEFINED, **schema}
    error = next(jsonschema.Draft202012Validator(document).iter_errors(value))
    want = Wants(document, Shapes(document)).want(error)
    assert isinstance(want, Form), want
    return dict(want.schema)


@pytest.mark.parametrize(
    ("schema", "value", "form"),
    [
        # A definition is written out, without our own keywords.
        ({"properties": {"a": {"$ref": "#/$defs/name"}}}, {"a": 1.5j}, NAME),
        # A key has what every schema for it says; what only some values need is not known of one that is to come.
        ({"$ref": "#/$defs/block"}, {"type": "call", "input": {}}, {**NAME, "maxLength": 8}),
        (
            {"properties": {"a": {"$ref": "#/$defs/block"}}},
            {"a": 1},
            {"type": "object", "required": ["type"], "properties": {"type": {"enum": ["text", "call"]}}},
        ),
        # The object that is there decides which of its keys lack.
        (
            {"$ref": "#/$defs/block"},
            {"type": "call"},
            {"required": ["name", "input"], "properties": {
                "name": {**NAME, "maxLength": 8}, "input": {"type": ["object", "string"]},
            }},
        ),
        ({"anyOf": [{"required": ["a"]}], "properties": {"a": NULLED}}, {}, {"type": "string"}),
        # Null that stands for an absent key is no value to ask for.
        ({"properties": {"a": NULLED}}, {"a": 1.5j}, {"type": "string"}),
        # It is open which type will come: either has its own form.
        ({"properties": {"a": BY_TYPE}}, {"a": 1.5j},
         {"anyOf": [{"type": "array", "items": NAME}, {"type": "string"}]}),
        ({"properties": {"a": NO_LIST}}, {"a": 1.5j}, {"type": "string"}),
        ({"properties": {"a": LISTED}}, {"a": 1.5j}, {"type": "array", "minItems": 1}),
        # Of a value of the right type the failed keyword and its limits are told.
        ({"properties": {"a": {"type": "array", "allOf": [{"minItems": 1}, {"minItems": 2}]}}}, {"a": []},
         {"type": "array", "minItems": 2}),
        ({"properties": {"a": {**NAME, "allOf": [{"pattern": "^x"}]}}}, {"a": "b"},
         {**NAME, "pattern": "^x", "allOf": [{"pattern": "^[a-z]+$"}]}),
        # A condition on the wrong value itself says nothing about the right one, but what it asked for.
        (
            {"properties": {"a": {"type": "string", "if": {"pattern": "^b"}, "then": {"pattern": "d$"}}}},
            {"a": "b"},
            {"type": "string", "pattern": "d$"},
        ),
        # Of an object with all its keys only what is wrong: the rest of it would hide that.
        (
            {"type": "object", "required": ["b"], "oneOf": [{"required": ["a"]}, {"required": ["c"]}]},
            {"a": 1, "b": 2, "c": 3},
            {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["c"]}]},
        ),
        # A choice of one is none.
        (
            {"type": "object", "anyOf": [{"required": ["a"], "properties": {"a": {"not": {"type": "null"}}}}]},
            {"a": None},
            {"type": "object", "required": ["a"], "properties": {"a": {"not": {"type": "null"}}}},
        ),
        # What lies too deep is left out.
        (
            {"properties": {"a": {"type": "array", "items": {"items": {"items": {"type": "string"}}}}}},
            {"a": 1},
            {"type": "array", "items": {}},
        ),
    ],
)  # fmt: skip
def test_a_form(schema: dict[str, Any], value: Any, form: dict[str, Any]) -> None:
    wanted_form = form_at_error(schema, value)
    assert wanted_form == {keyword: subschema for keyword, subschema in form.items() if subschema != {}}
    whole = "required" in wanted_form and "a" not in schema.get("properties", {})
    assert not jsonschema.Draft202012Validator(wanted_form).is_valid(value if whole else value.get("a", value))


def test_what_a_text_holds_is_not_said_of_its_pieces() -> None:
    document = {"type": "string", "contentMediaType": "application/json"}
    error = next(jsonschema.Draft202012Validator(document).iter_errors([]))
    whole, piece = (Wants(document, Shapes(document), pieces=pieces) for pieces in (False, True))
    assert whole.form(error) == {"type": ["string"], "contentMediaType": "application/json"}
    assert piece.form(error) == {"type": ["string"]}


@pytest.mark.parametrize(
    ("schema", "other", "joined"),
    [
        ({"type": ["integer"]}, {"type": ["number", "null"]}, {"type": ["integer"]}),
        ({"type": ["number", "null"]}, {"type": ["integer"]}, {"type": ["integer"]}),
        ({"type": ["string", "null"]}, {"type": ["null", "string", "array"]}, {"type": ["string", "null"]}),
        ({"maximum": 2}, {"maximum": 1, "minimum": 0}, {"maximum": 1, "minimum": 0}),
        ({"enum": ["a", 1, True]}, {"enum": [1, "a"]}, {"enum": ["a", 1]}),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"items": {"minLength": 1}}, {"items": {"minLength": 2}}, {"items": {"minLength": 2}}),
        ({"pattern": "a"}, {"pattern": "a"}, {"pattern": "a"}),
        (
            {"pattern": "a", "allOf": [{"pattern": "b"}]},
            {"pattern": "c", "allOf": [{"pattern": "b"}]},
            {"pattern": "a", "allOf": [{"pattern": "b"}, {"pattern": "c"}]},
        ),
    ],
)
def test_two_schemas_that_hold_together(schema: dict[str, Any], other: dict[str, Any], joined: dict[str, Any]) -> None:
    assert join_forms(schema, other) == joined


def test_the_types_of_a_choice() -> None:
    assert types_in({"anyOf": [{"type": ["array"]}, {"type": ["null", "array"]}]}) == ["array", "null"]
    assert types_in({"anyOf": [{"type": ["array"]}, {"minLength": 1}]}) == []
