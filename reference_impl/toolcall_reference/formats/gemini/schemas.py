"""Gemini's older ``parameters``, a subset of OpenAPI's schemas, from JSON Schema and back."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import copied
from toolcall_reference.conversation import schemas
from toolcall_reference.conversation.intermediate import Body

_TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
_COUNTS = {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
_SNAKE = {
    "any_of": "anyOf", "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength",
    "max_length": "maxLength", "min_properties": "minProperties", "max_properties": "maxProperties",
    "property_ordering": "propertyOrdering", "additional_properties": "additionalProperties",
    "ref": "$ref", "defs": "$defs",
}  # fmt: skip
_PLAIN = {"title", "description", "format", "pattern", "minimum", "maximum", "default"}
_SILENT = {"$schema", "$defs", "definitions", "$id", "$comment", "additionalProperties", "examples"}


def from_parameters(schema: Any) -> Any:
    """The JSON Schema of a ``parameters`` or ``responseSchema``.

    Upper-case types become lower-case, ``nullable`` a union with null, counts written as strings (proto JSON spells
    64-bit integers so) numbers, ``example`` an ``examples`` list; ``propertyOrdering`` becomes the order of the keys.
    """
    if not isinstance(schema, dict):
        return schema
    json_schema: Body = {}
    nullable = False
    for raw_key, value in schema.items():
        key = str(_SNAKE.get(raw_key, raw_key))
        if key == "nullable":
            nullable = value is True
        elif key in ("properties", "$defs") and isinstance(value, dict):
            json_schema[key] = {name: from_parameters(value[name]) for name in _ordered(value, schema)}
        elif key == "anyOf" and isinstance(value, list):
            json_schema[key] = [from_parameters(branch) for branch in value]
        elif key in ("items", "additionalProperties"):
            json_schema[key] = from_parameters(value)
        else:
            json_schema |= _keyword(key, value)
    return _with_null(json_schema) if nullable else json_schema


def _keyword(key: str, value: Any) -> Body:
    """A keyword without schemas in it, as JSON Schema says it."""
    if key == "type" and isinstance(value, int) and 0 <= value < len(_TYPES):
        value = _TYPES[value]  # proto JSON takes an enum's number for its name
    if key == "type" and isinstance(value, str):
        if value == "TYPE_UNSPECIFIED":
            return {}
        return {key: value.lower() if value.upper() in _TYPES else value}
    if key == "propertyOrdering" or (key == "format" and value == "enum"):
        return {}
    if key == "example":
        return {"examples": [value]}
    if key in _COUNTS and isinstance(value, str) and value.isdecimal():
        return {key: int(value)}
    return {key: copied(value)}


def _ordered(properties: Body, schema: Body) -> list[str]:
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


def for_json_schema(schema: Body) -> Body:
    """A schema for ``parametersJsonSchema``: verbatim but for the root's ``$schema``, which some back-ends refuse."""
    return {key: value for key, value in copied(schema).items() if key != "$schema"}


def to_parameters(schema: Any, root: Any = None, depth: int = 0) -> tuple[Any, list[str]]:
    """A schema for ``parameters``, and the keywords that it cannot say.

    References are put in place, null in a union becomes ``nullable``, ``const`` an ``enum`` of one, exclusive bounds
    and unknown keywords are left out (which widens). Enum values that are not strings cannot be said.
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
    writer = _Writer(root, depth)
    for key, value in schema.items():
        writer.write(key, value)
    return writer.finished(), writer.lost


class _Writer:
    """One object of a schema, keyword by keyword."""

    def __init__(self, root: Any, depth: int) -> None:
        self._root, self._depth = root, depth
        self._found: Body = {}
        self._nullable = False
        self.lost: list[str] = []

    def write(self, key: str, value: Any) -> None:
        """Say a keyword, or note that it is lost."""
        if key in ("anyOf", "oneOf") and isinstance(value, list):
            self._union(value)
        elif key == "properties" and isinstance(value, dict):
            self._found[key] = {name: self._inner(inner) for name, inner in value.items()}
        elif key == "items":
            self._found[key] = self._inner(value)
        elif key == "required" and isinstance(value, list):
            self._found |= {key: list(value)} if value else {}
        elif key == "type":
            self._type(value)
        elif key == "enum" and isinstance(value, list):
            self._enum(value)
        elif key == "const":
            self._const(value)
        elif key in _COUNTS or key in _PLAIN:
            self._found[key] = copied(value)
        elif key not in _SILENT:
            self.lost.append(key)

    def finished(self) -> Body:
        """The whole object, with what one keyword asks of another."""
        schema = self._found
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

    def _inner(self, schema: Any) -> Any:
        inner_schema, lost = to_parameters(schema, self._root, self._depth + 1)
        self.lost += lost
        return inner_schema

    def _union(self, value: list[Any]) -> None:
        branches = [self._inner(branch) for branch in value if branch != {"type": "null"}]
        self._nullable = self._nullable or len(branches) < len(value)
        if len(branches) == 1:
            self._found.update(branches[0])
        elif branches:
            self._found["anyOf"] = branches

    def _type(self, value: Any) -> None:
        kinds = value if isinstance(value, list) else [value]
        named = [kind for kind in kinds if kind != "null"] if isinstance(value, list) else kinds
        self._nullable = self._nullable or len(named) < len(kinds)
        if len(named) == 1:
            self._found["type"] = str(named[0]).upper()
        elif named:
            self._found["anyOf"] = [{"type": str(kind).upper()} for kind in named]

    def _enum(self, value: list[Any]) -> None:
        values = [entry for entry in value if entry is not None]
        self._nullable = self._nullable or len(values) < len(value)
        if all(isinstance(entry, str) for entry in values):
            self._found["enum"] = values
        else:
            self.lost.append("enum of other than strings")

    def _const(self, value: Any) -> None:
        if isinstance(value, str):
            self._found["enum"] = [value]
        else:
            self.lost.append("const of other than a string")
