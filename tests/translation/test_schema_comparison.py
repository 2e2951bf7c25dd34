"""Pairs of parameter schemas: equal meaning raises nothing grave, a difference is reported under the exact rule."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.translation.schemas.schemas import SchemaDifference, compare_schemas
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
RULES = CORPUS.rules
TEXT, WHOLE, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}


def compare(source: Any, output: Any, *, closing_allowed: bool = False) -> tuple[SchemaDifference, ...]:
    return compare_schemas(CORPUS, source, output, closing_allowed=closing_allowed)


def members(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def must_rules(differences: tuple[SchemaDifference, ...]) -> set[str]:
    return {
        difference.rule
        for difference in differences
        if RULES[difference.rule].level is Level.MUST and not difference.under
    }


def rules_of(differences: tuple[SchemaDifference, ...]) -> set[str]:
    return {difference.rule.removeprefix("translation/") for difference in differences}


NODE = members({"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/definitions/Node"}}})
NODE_2 = members({"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/N"}}})


def nested_schema(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = members({"k": inner})
    return inner


SAME: dict[str, tuple[Any, Any]] = {
    "nullable-union": (
        {"anyOf": [TEXT, WHOLE, NULL]},
        {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}], "nullable": True},
    ),
    "nullable-type-list": (
        {"type": ["string", "integer", "null"]},
        {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}], "nullable": True},
    ),
    "nullable-enum": ({"enum": ["x", None]}, {"enum": ["x"], "nullable": True}),
    "conjunction-of-one": (
        {"allOf": [{"$ref": "#/$defs/T"}], "description": "d"},
        {"type": "string", "enum": ["x"], "description": "d"},
    ),
    "conjunction-merged": ({"allOf": [members({"x": TEXT}), members({"y": TEXT})]}, members({"x": TEXT, "y": TEXT})),
    "union-of-one": ({"anyOf": [TEXT]}, TEXT),
    "exclusive-minimum": ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
    "exclusive-maximum-draft-4": (
        {"type": "integer", "maximum": 9, "exclusiveMaximum": True},
        {"type": "integer", "maximum": 8},
    ),
    "items-in-a-branch": (
        {"type": ["string", "array"], "items": TEXT},
        {"anyOf": [TEXT, {"type": "array", "items": TEXT}]},
    ),
    "true": (True, {}),
    "whole-numbers-as-texts": ({"type": "integer", "enum": [1, 2]}, {"type": "string", "enum": ["1", "2"]}),
    "union-of-constants": ({"anyOf": [{"const": "a"}, {"const": "b"}]}, {"type": "string", "enum": ["a", "b"]}),
    "branches-in-another-order": (
        {"oneOf": [members({"k": {"const": key}}, required=["k"]) for key in "ab"]},
        {"anyOf": [members({"k": {"type": "string", "enum": [key]}}, required=["k"]) for key in "ba"]},
    ),
    "implied-type": ({"properties": {"x": TEXT}}, members({"x": TEXT})),
    "bounds-of-listed-values": ({"enum": [1, 2], "type": "integer", "minimum": 1}, {"enum": [1, 2], "type": "integer"}),
    "tuple-as-union": ({"type": "array", "items": [TEXT, WHOLE]}, {"type": "array", "items": {"anyOf": [TEXT, WHOLE]}}),
    "anchor": ({"$ref": "#t"}, {"type": "string", "enum": ["x"]}),
}


@pytest.mark.parametrize("name", SAME)
def test_same(name: str) -> None:
    before, after = SAME[name]
    definitions = {"T": {"$anchor": "t", "type": "string", "enum": ["x"]}}
    differences = compare(members({"a": before}, **{"$defs": definitions}), members({"a": after}))
    assert must_rules(differences) == set(), differences


def test_references_are_followed_at_any_depth() -> None:
    source = {**nested_schema(14, {"$ref": "#/$defs/T"}), "$defs": {"T": TEXT}}
    assert compare(source, nested_schema(14, TEXT)) == ()
    assert rules_of(compare(source, nested_schema(14, WHOLE))) == {"schema-type"}


def test_schemas_that_hold_themselves() -> None:
    source = {**members({"tree": {"$ref": "#/definitions/Node"}}), "definitions": {"Node": NODE}}
    same = {**members({"tree": {"$ref": "#/$defs/N"}}), "$defs": {"N": NODE_2}}
    assert compare(source, same) == ()
    other = copy.deepcopy(same)
    other["$defs"]["N"]["properties"]["name"] = WHOLE
    assert rules_of(compare(source, other)) == {"schema-type"}
    # Without references the inlining ends somewhere, which is told but is no fault.
    cut = copy.deepcopy(NODE)
    cut["properties"]["children"]["items"] = {"type": "object"}
    differences = compare(source, members({"tree": cut}))
    assert differences
    assert must_rules(differences) == set()


STRICT: dict[str, tuple[Any, Any]] = {
    "type": (TEXT, {"type": ["string", "null"]}),
    "enum": ({"type": "string", "enum": ["x"]}, {"type": ["string", "null"], "enum": ["x", None]}),
    "union": ({"anyOf": [WHOLE, TEXT]}, {"anyOf": [WHOLE, TEXT, NULL]}),
    "union-of-objects": (
        {"anyOf": [members({"x": TEXT}), members({"y": TEXT})]},
        {"anyOf": [members({"x": TEXT}), members({"y": TEXT}), NULL]},
    ),
    "object": (members({"x": TEXT}, required=["x"]), {"anyOf": [members({"x": TEXT}, required=["x"]), NULL]}),
}


@pytest.mark.parametrize("name", STRICT)
def test_strict_mode_keeps_parameters_optional_by_null(name: str) -> None:
    before, after = STRICT[name]
    closed = members({"a": after}, required=["a"], additionalProperties=False)
    assert compare(members({"a": before}), closed, closing_allowed=True) == ()
    assert must_rules(compare(members({"a": before}), closed))


OBJECT = members({"x": TEXT, "y": {"type": "string", "description": "why"}})
DAMAGED: dict[str, tuple[Any, Any, str]] = {
    "branch-description": (
        {"anyOf": [{**TEXT, "description": "ISO date"}, WHOLE]},
        {"anyOf": [TEXT, WHOLE]},
        "schema-branch-description",
    ),
    "branch-property": ({"anyOf": [OBJECT, WHOLE]}, {"anyOf": [members({"x": TEXT}), WHOLE]}, "schema-property-lost"),
    "branch-property-of-two": (
        {"anyOf": [OBJECT, members({"z": TEXT})]},
        {"anyOf": [members({"x": TEXT}), members({"z": TEXT})]},
        "schema-property-lost",
    ),
    "branch-property-renamed": (
        {"oneOf": [members({"long": TEXT}), WHOLE]},
        {"oneOf": [members({"other": TEXT}), WHOLE]},
        "schema-property-lost",
    ),
    "branch-pattern": (
        {"anyOf": [{**TEXT, "pattern": "^[A-Z]{3}$"}, WHOLE]},
        {"anyOf": [{**TEXT, "pattern": "^[A-Z]{5}$"}, WHOLE]},
        "schema-bound",
    ),
    "branch-format": (
        {"anyOf": [{**TEXT, "format": "date"}, WHOLE]},
        {"anyOf": [{**TEXT, "format": "uri"}, WHOLE]},
        "schema-bound",
    ),
    "branch-bound": (
        {"anyOf": [{**WHOLE, "maximum": 9}, TEXT]},
        {"anyOf": [{**WHOLE, "maximum": 5}, TEXT]},
        "schema-narrowed",
    ),
    "branch-lost": (
        {"anyOf": [members({"x": TEXT}), members({"y": TEXT}, required=["y"]), TEXT]},
        {"anyOf": [members({"x": TEXT}), members({"y": TEXT}, required=["y"])]},
        "schema-narrowed",
    ),
    "conjunct-property": (
        {"allOf": [members({"x": TEXT}, additionalProperties={}), OBJECT]},
        {"allOf": [members({"x": TEXT})]},
        "schema-property-lost",
    ),
    "tuple-lost": ({"type": "array", "prefixItems": [TEXT, WHOLE]}, {"type": "array"}, "schema-items"),
    "tuple-changed": (
        {"type": "array", "prefixItems": [TEXT, WHOLE]},
        {"type": "array", "prefixItems": [TEXT, TEXT]},
        "schema-type",
    ),
    "older-tuple-changed": (
        {"type": "array", "items": [TEXT, WHOLE]},
        {"type": "array", "items": [TEXT]},
        "schema-items",
    ),
    "contains-lost": ({"type": "array", "contains": TEXT}, {"type": "array"}, "schema-widened"),
    "default-changed": ({**WHOLE, "default": 5}, {**WHOLE, "default": 500}, "schema-bound"),
    "default-lost": ({**WHOLE, "default": 5}, WHOLE, "schema-bound"),
    "const-beside-enum": ({"const": "x", "enum": ["x", "y"]}, {"const": "y", "enum": ["x", "y"]}, "schema-enum"),
    "numbers-as-texts-in-a-type-for-numbers": ({**WHOLE, "enum": [1, 2]}, {**WHOLE, "enum": ["1", "2"]}, "schema-enum"),
    "truth-as-text": ({"enum": [True, False]}, {"enum": ["true", "false"]}, "schema-enum"),
    "null-as-text": (
        {"type": ["string", "null"], "enum": ["x", None]},
        {"type": ["string", "null"], "enum": ["x", "null"]},
        "schema-enum",
    ),
    "maximum-stricter": ({**WHOLE, "maximum": 100}, {**WHOLE, "maximum": 1}, "schema-narrowed"),
    "maximum-looser": ({**WHOLE, "maximum": 1}, {**WHOLE, "maximum": 100}, "schema-bound"),
    "items-stricter": ({"type": "array", "maxItems": 100}, {"type": "array", "maxItems": 1}, "schema-narrowed"),
    "multiple-stricter": ({**WHOLE, "multipleOf": 2}, {**WHOLE, "multipleOf": 4}, "schema-narrowed"),
    "multiple-looser": ({**WHOLE, "multipleOf": 4}, {**WHOLE, "multipleOf": 2}, "schema-bound"),
    "exclusive-stricter": (
        {"type": "number", "minimum": 0},
        {"type": "number", "exclusiveMinimum": 0},
        "schema-narrowed",
    ),
    "key-pattern-lost": ({"type": "object", "propertyNames": {"pattern": "^a"}}, {"type": "object"}, "schema-bound"),
    "keys-by-pattern-lost": ({"type": "object", "patternProperties": {"^a": TEXT}}, {"type": "object"}, "schema-bound"),
    "type-beside-union": (
        {"anyOf": [OBJECT, members({"z": TEXT})]},
        {"type": "string", "anyOf": [OBJECT, members({"z": TEXT})]},
        "schema-narrowed",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage(name: str) -> None:
    before, after, rule = DAMAGED[name]
    source, output = members({"a": before}), members({"a": after})
    differences = compare(source, output)
    assert rule in rules_of(differences), differences
    assert must_rules(differences) <= {f"translation/{rule}"}, differences
    for difference in differences:
        resolve(output, difference.pointer)
        resolve(source, difference.source_pointer)


def test_a_schema_that_is_gone_is_reported_once() -> None:
    """Its type, parameters and requirements are gone by one cause; the wanted value is all of it."""
    schema = members({"a": TEXT, "b": WHOLE}, required=["a"])
    (difference,) = compare(schema, {})
    assert (difference.rule, difference.pointer, difference.want, difference.got) == (
        "translation/schema-property-lost",
        "",
        schema,
        {},
    )


@pytest.mark.parametrize("keyword", ["const", "enum"])
def test_a_lost_value_is_named_as_the_source_spells_it(keyword: str) -> None:
    value = {"const": 2} if keyword == "const" else {"enum": [2]}
    (difference,) = compare(members({"protocol": {"type": "integer", **value}}), members({"protocol": WHOLE}))
    assert (difference.rule, difference.source_pointer) == (
        "translation/schema-enum",
        f"/properties/protocol/{keyword}",
    )
    assert difference.want == ("2 alone" if keyword == "const" else [2]), "const and enum may both say it"
    assert ("const" in difference.message) is (keyword == "const")


def test_a_late_branch_is_looked_at() -> None:
    wide = [members({f"p{row}_{column}": TEXT for column in range(20)}) for row in range(12)]
    for branch in wide:
        branch["required"] = list(branch["properties"])
    other = copy.deepcopy(wide)
    other[11]["properties"]["p11_3"] = WHOLE
    differences = compare(members({"a": {"anyOf": wide}}), members({"a": {"anyOf": other}}))
    assert [(entry.rule, entry.pointer) for entry in differences] == [
        ("translation/schema-type", "/properties/a/anyOf/11/properties/p11_3/type")
    ]


def test_a_free_map_that_can_hold_nothing() -> None:
    source = members({"a": {"type": "object", "additionalProperties": TEXT}}, required=["a"])
    output = members(
        {"a": {"type": "object", "additionalProperties": False}}, required=["a"], additionalProperties=False
    )
    assert must_rules(compare(source, output, closing_allowed=True)) == {"translation/schema-narrowed"}


ODD: tuple[Any, ...] = (
    {"anyOf": [{"type": "string", "pattern": "^\\p{L}+$"}, WHOLE]},
    {"patternProperties": {"\\p{L}": {}}},
    {"oneOf": [{"$ref": "http://x/y"}, TEXT]},
    {"anyOf": [{"type": "string", "pattern": "^(x+)+$"}, OBJECT, {"not": {"pattern": "^(x+)+y$"}}]},
    {"$ref": "#/properties/a"},
    {"$ref": 5},
    {"required": 5},
    {"enum": 5},
    {"anyOf": 5},
    {"anyOf": [1, 2]},
    {"anyOf": [{"type": ["string", 5]}]},
    {"anyOf": [{"type": "file"}, OBJECT]},
    {"anyOf": [{"multipleOf": 0}, OBJECT]},
    {"anyOf": [{"pattern": "["}, OBJECT]},
    {"anyOf": [TEXT, {"maximum": 10**400, "minimum": -1.5e308}]},
    {"dependentRequired": 5},
    {"dependentRequired": {"a": 5}},
    {"if": {"required": 5}},
    {"not": 5},
    {"properties": "x"},
    {"properties": {"x": 5}},
    {"additionalProperties": 5},
    {"minimum": {}, "maxItems": "many", "multipleOf": -1, "nullable": "no", "const": [], "items": 5, "prefixItems": {}},
    {"description": 5, "format": [], "uniqueItems": 0, "default": {"x": [None]}},
    "text",
    5,
    [],
    False,
)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:60])
def test_no_schema_raises(odd: Any) -> None:
    whole = members({"a": odd})
    assert compare(whole, copy.deepcopy(whole)) == ()
    for other in (TEXT, members({"q": {}}, required=["q"]), {"enum": ["x"]}, {"anyOf": [WHOLE, OBJECT]}, *ODD):
        for source, output in ((whole, members({"a": other})), (members({"a": other}), whole), (odd, other)):
            for difference in compare(source, output):
                resolve(output, difference.pointer)


@pytest.mark.parametrize(
    "broken",
    [{"type": "string", "enum": 5}, {"type": "object", "required": 5}, {"anyOf": 5}, {"type": 5}, "string"],
    ids=repr,
)
def test_a_keyword_without_sense_damages_a_schema(broken: Any) -> None:
    differences = compare(members({"a": {"type": "string"}}), members({"a": broken}))
    assert "translation/schema-changed" in must_rules(differences), differences


@pytest.mark.parametrize("depth", [200, 5_000])
def test_deep_schemas(depth: int) -> None:
    source, same, other = nested_schema(depth, TEXT), nested_schema(depth, TEXT), nested_schema(depth, WHOLE)
    assert compare(source, same) == ()
    assert rules_of(compare(source, other)) == {"schema-type" if depth < 1000 else "schema-changed"}


@pytest.mark.timing
def test_schemas_that_refer_to_each_other_many_times_are_soon_compared() -> None:
    def tangled(leaf: Any) -> dict[str, Any]:
        names = [f"T{number}" for number in range(12)]
        parts = {name: members({other: {"$ref": f"#/$defs/{other}"} for other in names}) for name in names}
        parts["T11"]["properties"]["leaf"] = leaf
        return {**members({"a": {"$ref": "#/$defs/T0"}}), "$defs": parts}

    start = time.monotonic()
    assert compare(tangled(TEXT), tangled(TEXT)) == ()
    assert rules_of(compare(tangled(TEXT), tangled(WHOLE))) == {"schema-type"}
    assert time.monotonic() - start < 5


def chat(schema: Any, name: str = "answer") -> dict[str, Any]:
    return {
        "model": "gpt-4.1-2025-04-14",
        "messages": [{"role": "user", "content": "Answer."}],
        "response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": schema}},
    }


def responses(schema: Any, name: str = "answer") -> dict[str, Any]:
    return {
        "model": "gpt-4.1-2025-04-14",
        "input": [{"role": "user", "content": "Answer."}],
        "text": {"format": {"type": "json_schema", "name": name, "schema": schema}},
    }


ANSWER = members({"answer": {"type": "string", "enum": ["yes", "no"]}}, required=["answer"])


@pytest.mark.parametrize(
    ("output", "levels"),
    [
        (responses(ANSWER), []),
        (responses({**ANSWER, "additionalProperties": False}), []),
        (responses(members({"zzz": WHOLE})), [Level.SHOULD]),
        (responses(members({"answer": TEXT}, required=["answer"])), [Level.SHOULD]),
        (responses(ANSWER, "other"), [Level.SHOULD]),
    ],
)
def test_schema_of_a_response_format(output: Any, levels: list[Level]) -> None:
    findings = judge(chat(ANSWER), output, client="openai_chat", upstream="openai_responses").findings
    assert [entry.level for entry in findings if entry.rule == "translation/response-format-changed"] == levels, (
        findings
    )


def test_a_type_that_there_is_not_may_become_any() -> None:
    """A provider refuses it, and nobody knows what it means; a type that there is stays what it is."""
    for output in (TEXT, {}, {"type": "word"}):
        assert must_rules(compare(members({"a": {"type": "word"}}), members({"a": output}))) == set()
    assert must_rules(compare(members({"a": TEXT}), members({"a": WHOLE}))) == {"translation/schema-type"}
    assert must_rules(compare(members({"a": TEXT}), members({"a": {"type": "word"}}))) == {"translation/schema-type"}
