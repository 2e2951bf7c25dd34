"""Schemas compiled to functions say of every value what jsonschema says of it, however a body is damaged."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from every import every
from formats.test_mutations import JUNK, each_format, mutate
from toolcall_conformance.judge.rules.schema_errors import validator
from toolcall_conformance.judge.rules.schemas import breaches
from toolcall_conformance.judge.rules.shapes import Shapes
from toolcall_conformance.library import Corpus
from turns import share

VALUES: list[Any] = [*JUNK, 2, 2.0, 3, 10**20, "a", "ab", "abc", [1], [True], [1, 2], [1, "a"], {"a": 1}, {"a": None}]
VALUES += [{"a": 1, "b": "b"}, {"ax": 1, "b": 2}, {"abc": []}, {"a": {"a": {"a": 1}}}, {"b": True}, {"a": [], "c": 1}]

SCHEMAS: list[Any] = [
    *({"type": name} for name in ("object", "array", "string", "boolean", "null", "number", "integer")),
    *({"type": ["string", "integer"]}, {"const": 1}, {"const": True}, {"const": [1]}, {"enum": ["a", 0, None, {}]}),
    *({"minimum": 1}, {"maximum": 1}, {"minLength": 2}, {"maxLength": 2}, {"pattern": "^a"}, {"pattern": r"\S"}),
    *({"minItems": 1}, {"maxItems": 1}, {"items": {"type": "integer"}}, {"contains": {"type": "string"}}),
    *({"minProperties": 2}, {"maxProperties": 1}, {"required": ["a", "b"]}, {"propertyNames": {"maxLength": 1}}),
    *({"properties": {"a": {"type": "integer"}}}, {"patternProperties": {"^a": {"type": "integer"}}}),
    *({"properties": {"a": True}, "additionalProperties": False}, {"additionalProperties": {"type": "integer"}}),
    {"properties": {"b": {}}, "patternProperties": {"^a": {}}, "additionalProperties": {"type": "boolean"}},
    *({"not": {"type": "string"}}, {"not": {}}, {"allOf": [{"type": "number"}, {"minimum": 1}]}),
    *({"anyOf": [{"type": "number"}, {"type": "null"}]}, {"oneOf": [{"type": "number"}, {"minimum": 1}]}),
    *({"if": {"type": "null"}}, {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "object"}}),
    *({"if": {"type": "string"}, "else": False}, {"then": False, "else": False}, True, False),
    {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}}}}},
]


@every("schema", SCHEMAS, id=json.dumps)
def test_each_keyword_means_what_it_means_to_jsonschema(schema: Any) -> None:
    document = {"allOf": [schema], "$defs": schema.get("$defs", {}) if isinstance(schema, dict) else {}}
    plain, compiled = jsonschema.Draft202012Validator(document), Shapes(document)
    for value in VALUES:
        assert compiled.fits(value) == plain.is_valid(value), value


@every("schema", SCHEMAS, id=json.dumps)
def test_each_error_is_that_of_jsonschema(schema: Any) -> None:
    document = {"allOf": [schema], "$defs": schema.get("$defs", {}) if isinstance(schema, dict) else {}}
    plain, ours = jsonschema.Draft202012Validator(document), validator(document, Shapes(document))
    for value in [*VALUES, *map(list, itertools.pairwise(VALUES))]:
        assert errors_of(ours, value) == errors_of(plain, value), value


def errors_of(judge: Any, value: Any) -> list[Any]:
    return sorted(
        json.dumps([*map(list, (error.absolute_path, error.absolute_schema_path)), error.validator, error.message])
        + json.dumps([error.validator_value, error.instance, error.schema])
        for error in judge.iter_errors(value)
    )


def test_an_unknown_keyword_is_reported() -> None:
    with pytest.raises(ValueError, match="'uniqueItems' is not known here"):
        Shapes({"$defs": {"names": {"type": "array", "uniqueItems": True}}})


@pytest.mark.parametrize("part", [{"$id": "https://example.com/b"}, {"items": {"$id": "b"}}], ids=json.dumps)
def test_a_part_has_no_id_of_its_own(part: Any) -> None:
    Shapes({"$id": "https://example.com/a", "type": "object"})
    with pytest.raises(ValueError, match="only the whole document may have"):
        Shapes({"$id": "https://example.com/a", "properties": {"b": part}})


@each_format
@pytest.mark.parametrize("direction", ["request", "response", "error"])
def test_bodies_fit_where_jsonschema_says_so(name: str, direction: str, corpus: Corpus) -> None:
    chance = random.Random(f"{name} {direction}")
    schema = corpus.schema(name, direction)
    plain, compiled = jsonschema.Draft202012Validator(schema), Shapes(schema)
    bodies = list(golden(corpus, name, direction))
    damaged = share([damage(chance, copy.deepcopy(chance.choice(bodies))) for _ in range(150) if bodies], 3)
    for body in (*share(bodies, 3), *damaged, *VALUES):
        assert compiled.fits(body) == plain.is_valid(body), body
    assert len({compiled.fits(body) for body in damaged}) == (2 if bodies else 0)


def golden(corpus: Corpus, name: str, direction: str) -> Iterator[Any]:
    for path in sorted((corpus.root / "scenarios").glob(f"*/*/{name}/*-{direction}.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def damage(chance: random.Random, body: Any) -> Any:
    for _ in range(chance.randint(1, 3)):
        body = mutate(chance, body)
    return body


def test_breaches_come_in_the_order_of_the_body(corpus: Corpus) -> None:
    keys = [f"key_{number}" for number in random.Random(1).sample(range(100), 12)]
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], **dict.fromkeys(keys, 1)}
    pointers = [breach.pointer for _, breach in breaches(corpus, "openai_chat", "request", body)]
    assert pointers == [f"/{key}" for key in keys]
