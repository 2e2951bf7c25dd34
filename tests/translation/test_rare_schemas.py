"""Spellings of schemas that the corpus never holds: equal meaning passes, a difference is reported by its rule."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.judge.translation.schemas.schemas import accepted_notations, compare_schemas
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
TEXT, WHOLE, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}


def rules(source: Any, output: Any) -> set[str]:
    differences = compare_schemas(CORPUS, source, output, closing_allowed=False)
    return {difference.rule.removeprefix("translation/") for difference in differences}


def members(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


BOTH = {"x": TEXT, "y": TEXT}
SAME: dict[str, tuple[Any, Any]] = {
    "required-of-both": (
        {"allOf": [members({"x": TEXT}, required=["x"]), members({"y": TEXT}, required=["y"])]},
        members(BOTH, required=["x", "y"]),
    ),
    "types-that-all-take": ({"allOf": [{"type": ["string", "integer"]}, {"type": ["string", "null"]}]}, TEXT),
    "a-closed-part": (
        {"allOf": [members({"x": TEXT}, additionalProperties=False), members({"y": TEXT})], "title": "A"},
        {"allOf": [members({"x": TEXT}, additionalProperties=False), members({"y": TEXT})]},
    ),
    "two-bounds": (
        {"allOf": [{"type": "string", "minLength": 1}, {"type": "string", "minLength": 2}], "title": "A"},
        {"allOf": [{"type": "string", "minLength": 1}, {"type": "string", "minLength": 2}]},
    ),
    "list-or-null": (
        {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]},
        {"type": ["string", "null"], "enum": ["a", None]},
    ),
    "lists-of-one-type": (
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}]},
        {"type": "string", "enum": ["a", "b"]},
    ),
    "a-reference-to-true": ({"$ref": "#/$defs/T"}, {}),
    "a-reference-and-more": (
        {"$ref": "#/$defs/U", "required": ["y"]},
        members(BOTH, required=["x", "y"]),
    ),
    "null-for-nothing": ({"type": "string", "minLength": None}, TEXT),
    "a-count-as-text": ({"type": "string", "minLength": "3"}, {"type": "string", "minLength": 3}),
    "both-booleans": ({"type": "boolean", "enum": [True, False]}, {"type": "boolean"}),
    "no-strict-bound": (
        {"type": "integer", "minimum": 1, "exclusiveMinimum": False},
        {"type": "integer", "minimum": 1},
    ),
    "a-multiple-of-one": ({"type": "integer", "multipleOf": 1}, WHOLE),
    "a-listed-number-of-either-type": ({"type": "integer", "enum": [1, 2]}, {"type": "number", "enum": [1, 2]}),
    "listed-objects": ({"type": ["object", "string"], "enum": [{"a": 1}]}, {"type": "object", "enum": [{"a": 1}]}),
    "the-same-dependencies": (
        {"type": "object", "dependentRequired": {"a": ["b"]}, "title": "A"},
        {"type": "object", "dependentRequired": {"a": ["b"]}},
    ),
    "branches-folded-into-the-rest": (
        {"type": "object", "anyOf": [members({"x": TEXT}), members({"y": WHOLE})], "properties": {"z": TEXT}},
        members({"x": TEXT, "y": WHOLE, "z": TEXT}),
    ),
    "twice-is-allowed": ({"type": "array", "uniqueItems": False}, {"type": "array"}),
}


@pytest.mark.parametrize(("source", "output"), SAME.values(), ids=SAME)
def test_the_same_in_another_spelling(source: Any, output: Any) -> None:
    definitions = {"$defs": {"T": True, "U": members(BOTH, required=["x"])}}
    assert rules(members({"a": source}, **definitions), members({"a": output})) == set()


def shape(kind: str, **more: Any) -> dict[str, Any]:
    return members({"kind": {"const": kind}, **more}, required=["kind"])


def schema_with_enum(kind: str, **more: Any) -> dict[str, Any]:
    return members({"kind": {"type": "string", "enum": [kind]}, **more}, required=["kind"])


DIFFERENT: dict[str, tuple[Any, Any, str]] = {
    "no-longer-distinct": ({"type": "array", "uniqueItems": True}, {"type": "array"}, "schema-bound"),
    "now-distinct": ({"type": "array"}, {"type": "array", "uniqueItems": True}, "schema-narrowed"),
    "a-type-that-no-value-has": ({"type": "string", "enum": ["a"]}, {"type": "integer", "enum": ["a"]}, "schema-type"),
    "bounds-in-a-union": (
        {"anyOf": [{"type": "string", "minLength": 3}, {"type": "string", "pattern": "^a"}]},
        {"anyOf": [{"type": "string", "minLength": 2}, {"type": "string", "pattern": "^b"}]},
        "schema-bound",
    ),
    "a-property-that-none-may-have": (
        {"anyOf": [members({"b": False}), TEXT]},
        {"anyOf": [members({"b": TEXT}), TEXT]},
        "schema-widened",
    ),
    "both-branches-fit": (
        {"anyOf": [WHOLE, {"type": "number"}]},
        {"oneOf": [WHOLE, {"type": "number"}]},
        "schema-narrowed",
    ),
    "other-keys-in-a-condition": (
        {"type": "object", "patternProperties": {"^a": TEXT}, "if": {"required": ["a"]}},
        {"type": "object", "patternProperties": {"^a": WHOLE}, "if": {"required": ["b"]}},
        "schema-bound",
    ),
    "a-new-bound": ({"type": "array"}, {"type": "array", "minItems": 1}, "schema-narrowed"),
    "other-values": (
        {"type": "object", "additionalProperties": {"type": "string", "minLength": 2}},
        {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        "schema-bound",
    ),
    "branches-of-other-constants": (
        {"oneOf": [shape("a", x=TEXT), shape("b", x=TEXT)]},
        {"oneOf": [shape("a", x=TEXT), shape("c", x=TEXT)]},
        "schema-narrowed schema-widened",
    ),
    "a-branch-known-by-its-only-value": (
        {"oneOf": [schema_with_enum("a", x={"type": "string", "minLength": 2}), schema_with_enum("b", x=WHOLE)]},
        {"oneOf": [schema_with_enum("b", x=WHOLE), schema_with_enum("a", x=TEXT)]},
        "schema-bound",
    ),
    "a-shorter-text-in-a-rewritten-union": (
        {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "string", "pattern": "^a"}]},
        {"type": "string", "maxLength": 2},
        "schema-narrowed",
    ),
    "branches-folded-into-other-types": (
        {"anyOf": [members({"x": TEXT}, required=["x"]), members({"y": WHOLE}, required=["y"])]},
        members({"x": TEXT, "y": TEXT}),
        "schema-narrowed schema-widened",
    ),
    "a-property-that-a-union-forbids": (
        {"anyOf": [members({"b": False}, required=["c"]), members({"c": TEXT})]},
        {"anyOf": [members({"c": WHOLE}), TEXT]},
        "schema-narrowed schema-widened",
    ),
    "a-branch-known-by-its-constant": (
        {"oneOf": [shape("a", x={"type": "string", "minLength": 2}), shape("b", x=WHOLE)]},
        {"oneOf": [shape("b", x=WHOLE), shape("a", x=TEXT)]},
        "schema-bound",
    ),
}


@pytest.mark.parametrize(("source", "output", "rule"), DIFFERENT.values(), ids=DIFFERENT)
def test_reported_findings(source: Any, output: Any, rule: str) -> None:
    assert rules(members({"a": source}), members({"a": output})) == set(rule.split())


def test_nothing_is_said_of_the_spelling_of_schemas_that_are_too_large() -> None:
    twice = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(20)}
    large = {"$ref": "#/$defs/d0", "$defs": twice | {"d20": TEXT}}
    assert accepted_notations(CORPUS, large, {"type": "STRING"}, closing_allowed=False) == []
    assert len(accepted_notations(CORPUS, TEXT, {"type": "STRING"}, closing_allowed=False)) == 1
