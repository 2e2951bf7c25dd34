"""Gemini's older ``parameters``, a subset of OpenAPI's schemas, from JSON Schema and back."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import copy_json
from toolcall_reference.conversation import schemas
from toolcall_reference.conversation.intermediate import Body

_TYPE_NAMES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
_COUNT_KEYWORDS = {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
_CAMEL_BY_SNAKE = {
    "any_of": "anyOf", "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength",
    "max_length": "maxLength", "min_properties": "minProperties", "max_properties": "maxProperties",
    "property_ordering": "propertyOrdering", "additional_properties": "additionalProperties",
    "ref": "$ref", "defs": "$defs",
}  # fmt: skip
_COPIED_KEYWORDS = {"title", "description", "format", "pattern", "minimum", "maximum", "default"}
_IGNORED_KEYWORDS = {"$schema", "$defs", "definitions", "$id", "$comment", "additionalProperties", "examples"}


def from_parameters(schema: Any) -> Any:
    """The JSON Schema for a ``parameters`` or ``responseSchema``.

    Upper-case types become lower-case, ``nullable`` a union with null, counts written as strings (proto JSON's
    64-bit integers) numbers, ``example`` an ``examples`` list; ``propertyOrdering`` becomes the order of the keys.
    """
    if not isinstance(schema, dict):
        return schema
    json_schema: Body = {}
    nullable = False
    for raw_key, value in schema.items():
        key = str(_CAMEL_BY_SNAKE.get(raw_key, raw_key))
        if key == "nullable":
            nullable = value is True
        elif key in ("properties", "$defs") and isinstance(value, dict):
            json_schema[key] = {name: from_parameters(value[name]) for name in _ordered_names(value, schema)}
        elif key == "anyOf" and isinstance(value, list):
            json_schema[key] = [from_parameters(branch) for branch in value]
        elif key in ("items", "additionalProperties"):
            json_schema[key] = from_parameters(value)
        else:
            json_schema |= _decode_keyword(key, value)
    return _with_null(json_schema) if nullable else json_schema


def _decode_keyword(key: str, value: Any) -> Body:
    """A keyword without subschemas, as JSON Schema."""
    if key == "type" and isinstance(value, int) and 0 <= value < len(_TYPE_NAMES):
        value = _TYPE_NAMES[value]  # proto JSON takes an enum's number for its name
    if key == "type" and isinstance(value, str):
        if value == "TYPE_UNSPECIFIED":
            return {}
        return {key: value.lower() if value.upper() in _TYPE_NAMES else value}
    if key == "propertyOrdering" or (key == "format" and value == "enum"):
        return {}
    if key == "example":
        return {"examples": [value]}
    if key in _COUNT_KEYWORDS and isinstance(value, str) and value.isdecimal():
        return {key: int(value)}
    return {key: copy_json(value)}


def _ordered_names(properties: Body, schema: Body) -> list[str]:
    order = schema.get("propertyOrdering", schema.get("property_ordering"))
    first = [name for name in order if isinstance(name, str) and name in properties] if isinstance(order, list) else []
    return list(dict.fromkeys([*first, *properties]))


def _with_null(schema: Body) -> Body:
    if isinstance(schema.get("type"), str) and schema["type"] != "null":
        schema["type"] = [schema["type"], "null"]
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
    elif isinstance(schema.get("anyOf"), list):
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    return schema


def without_schema_uri(schema: Body) -> Body:
    """A copy for ``parametersJsonSchema`` without the root's ``$schema``, which some back-ends refuse."""
    return {key: value for key, value in copy_json(schema).items() if key != "$schema"}


def to_parameters(schema: Any, root: Any = None, depth: int = 0) -> tuple[Any, list[str]]:
    """A schema for ``parameters``, and the keywords that were dropped.

    References are resolved, null in a union becomes ``nullable``, ``const`` an ``enum`` of one, exclusive bounds
    and unknown keywords are dropped, which widens it. Enum values that are not strings are dropped, too.
    """
    root = schema if root is None else root
    if not isinstance(schema, dict):
        return {}, [] if schema is True else ["boolean schema"]
    if isinstance(schema.get("$ref"), str):
        target = schemas.resolve_reference(root, schema["$ref"])
        if target is None or depth > 8:
            return {"type": "OBJECT"}, ["recursive $ref"]
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return to_parameters({**target, **beside}, root, depth + 1)
    writer = _SchemaWriter(root, depth)
    for key, value in schema.items():
        writer.write(key, value)
    return writer.finish(), writer.lost


class _SchemaWriter:
    """Writes one object of a schema, keyword by keyword."""

    def __init__(self, root: Any, depth: int) -> None:
        self._root, self._depth = root, depth
        self._schema: Body = {}
        self._nullable = False
        self.lost: list[str] = []

    def write(self, key: str, value: Any) -> None:
        """Write a keyword, or add it to ``lost``."""
        if key in ("anyOf", "oneOf") and isinstance(value, list):
            self._write_union(value)
        elif key == "properties" and isinstance(value, dict):
            self._schema[key] = {name: self._write_inner(inner) for name, inner in value.items()}
        elif key == "items":
            self._schema[key] = self._write_inner(value)
        elif key == "required" and isinstance(value, list):
            self._schema |= {key: list(value)} if value else {}
        elif key == "type":
            self._write_type(value)
        elif key == "enum" and isinstance(value, list):
            self._write_enum(value)
        elif key == "const":
            self._write_const(value)
        elif key in _COUNT_KEYWORDS or key in _COPIED_KEYWORDS:
            self._schema[key] = copy_json(value)
        elif key not in _IGNORED_KEYWORDS:
            self.lost.append(key)

    def finish(self) -> Body:
        """The whole object, its keywords made consistent."""
        schema = self._schema
        if schema.get("type") == "ARRAY" and "items" not in schema:
            schema["items"] = {}
        if schema.get("required"):
            names = [name for name in schema["required"] if name in schema.get("properties", {})]
            if len(names) < len(schema["required"]):
                self.lost.append("required names without a property")
            schema["required"] = names
        if schema.get("properties") == {}:
            del schema["properties"]
        if self._nullable:
            schema["nullable"] = True
        return schema

    def _write_inner(self, schema: Any) -> Any:
        inner_schema, lost = to_parameters(schema, self._root, self._depth + 1)
        self.lost += lost
        return inner_schema

    def _write_union(self, value: list[Any]) -> None:
        branches = [self._write_inner(branch) for branch in value if branch != {"type": "null"}]
        self._nullable = self._nullable or len(branches) < len(value)
        if len(branches) == 1:
            self._schema.update(branches[0])
        elif branches:
            self._schema["anyOf"] = branches

    def _write_type(self, value: Any) -> None:
        kinds = value if isinstance(value, list) else [value]
        named = [kind for kind in kinds if kind != "null"] if isinstance(value, list) else kinds
        self._nullable = self._nullable or len(named) < len(kinds)
        if len(named) == 1:
            self._schema["type"] = str(named[0]).upper()
        elif named:
            self._schema["anyOf"] = [{"type": str(kind).upper()} for kind in named]

    def _write_enum(self, value: list[Any]) -> None:
        values = [entry for entry in value if entry is not None]
        self._nullable = self._nullable or len(values) < len(value)
        if all(isinstance(entry, str) for entry in values):
            self._schema["enum"] = values
        else:
            self.lost.append("enum of other than strings")

    def _write_const(self, value: Any) -> None:
        if isinstance(value, str):
            self._schema["enum"] = [value]
        else:
            self.lost.append("const of other than a string")
