"""Hypothesis strategies for the schemas of tools' parameters and of answers, and for values that fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from toolcall_conformance.trust.fuzz import shapes

Schema = dict[str, Any]
_SIMPLE = ("string", "integer", "number", "boolean")
_BOUNDS: dict[str, SearchStrategy[Schema]] = {
    "string": st.sampled_from(
        [
            {"minLength": 1},
            {"maxLength": 40},
            {"pattern": "^[a-z]+$"},
            {"format": "date-time"},
            {"default": ""},
            {"const": "f"},
        ]
    ),
    "integer": st.sampled_from([{"minimum": 0}, {"maximum": 9}, {"minimum": 1, "maximum": 5}, {"enum": [1, 2]}]),
    "number": st.sampled_from([{"minimum": -0.5}, {"exclusiveMinimum": 0}, {"multipleOf": 0.25}]),
    "boolean": st.just({"default": False}),
}
_COUNTS: SearchStrategy[Schema] = st.sampled_from([{"minItems": 1}, {"maxItems": 3}, {"uniqueItems": True}])


@st.composite
def _leaf(draw: DrawFn) -> Schema:
    kind = draw(st.sampled_from(_SIMPLE))
    schema: Schema = {"type": kind}
    more = draw(st.integers(0, 5))
    if kind == "string" and more in (1, 2):
        schema["enum"] = draw(st.lists(shapes.NAMES, min_size=1, max_size=3, unique=True))
    elif more == 3:
        schema |= draw(_BOUNDS[kind])
    elif more == 4:
        schema["type"] = [kind, "null"]
    return _describe(draw, schema)


def _describe(draw: DrawFn, schema: Schema) -> Schema:
    keyword = draw(st.sampled_from(["", "", "description", "description", "title"]))
    return {**schema, keyword: draw(shapes.TEXTS)} if keyword else schema


@st.composite
def _array(draw: DrawFn, inner: SearchStrategy[Schema]) -> Schema:
    counts: Schema = draw(_COUNTS) if draw(st.integers(0, 3)) == 3 else {}
    return _describe(draw, {"type": "array", "items": draw(inner), **counts})


@st.composite
def _choice(draw: DrawFn, inner: SearchStrategy[Schema]) -> Schema:
    return {"anyOf": draw(st.lists(inner, min_size=2, max_size=3, unique_by=repr))}


@st.composite
def _object(draw: DrawFn, inner: SearchStrategy[Schema]) -> Schema:
    members: SearchStrategy[Schema] = st.dictionaries(shapes.NAMES, inner, max_size=3)
    properties = draw(members)
    schema: Schema = {"type": "object", "properties": properties}
    if draw(st.booleans()) and properties:
        schema["required"] = draw(st.lists(st.sampled_from(sorted(properties)), min_size=1, unique=True))
    others = draw(st.integers(0, 7))
    if others >= 5:
        schema["additionalProperties"] = [False, True, {"type": "string"}][others - 5]
    return schema


_MEMBERS: SearchStrategy[Schema] = st.recursive(
    _leaf(), lambda inner: st.one_of(_object(inner), _array(inner), _choice(inner)), max_leaves=4
)
_OBJECTS = _object(_MEMBERS)


@st.composite
def _parameters(draw: DrawFn) -> Schema:
    """An object's schema; some refer to a definition, from one or two of their properties."""
    schema = draw(_OBJECTS)
    if schema["properties"] and draw(st.integers(0, 3)) == 3:
        name = draw(shapes.NAMES)
        places = draw(st.lists(st.sampled_from(sorted(schema["properties"])), min_size=1, max_size=2, unique=True))
        schema["$defs"] = {name: draw(_object(_leaf()))}
        reference = {"$ref": f"#/$defs/{name}"}
        for place in places:
            schema["properties"][place] = reference if draw(st.booleans()) else {"type": "array", "items": reference}
    return schema


PARAMETERS: SearchStrategy[Schema] = _parameters()


def close(schema: Any) -> Any:
    """The schema with all objects closed and all their members required, as APIs want those that they keep strictly.

    Keywords that some of them do not take there are left out.
    """
    if isinstance(schema, list):
        return [close(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed_schema = {
        key: close(value) if key in _CONTAINERS else value for key, value in schema.items() if key in _STRICT
    }
    for key in ("properties", "$defs"):
        if key in schema:
            closed_schema[key] = {name: close(inner) for name, inner in schema[key].items()}
    if schema.get("type") == "object":
        closed_schema |= {"required": list(schema["properties"]), "additionalProperties": False}
    return closed_schema


_CONTAINERS = ("items", "anyOf")
_STRICT = frozenset({"type", "enum", "const", "description", "properties", "items", "anyOf", "$defs", "$ref"})
STRICT: SearchStrategy[Schema] = _parameters().map(close)


def fitting_value(draw: DrawFn, schema: Schema, root: Schema) -> Any:
    """A value that a closed schema takes, as far as simple keywords say."""
    if "$ref" in schema:
        return fitting_value(draw, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return fitting_value(draw, draw(st.sampled_from(schema["anyOf"])), root)
    for key in ("enum", "const"):
        if key in schema:
            return draw(st.sampled_from(schema[key])) if key == "enum" else schema[key]
    kind = schema["type"]
    if isinstance(kind, list):
        kind = draw(st.sampled_from(kind))
    if kind == "object":
        return {name: fitting_value(draw, inner, root) for name, inner in schema["properties"].items()}
    if kind == "array":
        return [fitting_value(draw, schema["items"], root) for _ in range(draw(st.integers(0, 2)))]
    return draw(shapes.OF_TYPE[kind])
