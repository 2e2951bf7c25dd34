"""Gemini's older ``parameters``, a subset of OpenAPI's schemas, from JSON Schema and back."""

from __future__ import annotations

from typing import Any

from toolcall_reference import schemas
from toolcall_reference.intermediate import Body
from toolcall_reference.jsontext import copied

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
    found: Body = {}
    nullable = False
    for spelt, value in schema.items():
        key = str(_SNAKE.get(spelt, spelt))
        if key == "type" and isinstance(value, int) and 0 <= value < len(_TYPES):
            value = _TYPES[value]  # proto JSON takes an enum's number for its name
        if key == "type" and isinstance(value, str):
            if value != "TYPE_UNSPECIFIED":
                found["type"] = value.lower() if value.upper() in _TYPES else value
        elif key == "nullable":
            nullable = value is True
        elif key == "propertyOrdering" or (key == "format" and value == "enum"):
            continue
        elif key == "example":
            found["examples"] = [value]
        elif key in _COUNTS and isinstance(value, str) and value.isdecimal():
            found[key] = int(value)
        elif key in ("properties", "$defs") and isinstance(value, dict):
            found[key] = {name: from_parameters(value[name]) for name in _ordered(value, schema)}
        elif key == "anyOf" and isinstance(value, list):
            found[key] = [from_parameters(branch) for branch in value]
        elif key in ("items", "additionalProperties"):
            found[key] = from_parameters(value)
        else:
            found[key] = copied(value)
    return _with_null(found) if nullable else found


def _ordered(properties: Body, schema: Body) -> list[str]:
    wanted = schema.get("propertyOrdering", schema.get("property_ordering"))
    first = [name for name in wanted if name in properties] if isinstance(wanted, list) else []
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
    lost: list[str] = []
    if not isinstance(schema, dict):
        return {}, lost if schema is True else ["boolean schema"]
    if isinstance(schema.get("$ref"), str):
        target = schemas.resolve(root, schema["$ref"])
        if target is None or depth > 8:
            return {"type": "OBJECT"}, ["recursive $ref"]
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return to_parameters({**target, **beside}, root, depth + 1)
    found: Body = {}
    nullable = False
    for key, value in schema.items():
        if key == "type" and isinstance(value, list):
            nullable = nullable or "null" in value
            kinds = [kind for kind in value if kind != "null"]
            if len(kinds) == 1:
                found["type"] = str(kinds[0]).upper()
            elif kinds:
                found["anyOf"] = [{"type": str(kind).upper()} for kind in kinds]
        elif key == "type":
            found["type"] = str(value).upper()
        elif key in ("anyOf", "oneOf") and isinstance(value, list):
            branches = [branch for branch in value if branch != {"type": "null"}]
            nullable = nullable or len(branches) < len(value)
            converted = []
            for branch in branches:
                inner, missing = to_parameters(branch, root, depth + 1)
                converted.append(inner)
                lost += missing
            if len(converted) == 1:
                found.update(converted[0])
            elif converted:
                found["anyOf"] = converted
        elif key == "enum" and isinstance(value, list):
            values = [entry for entry in value if entry is not None]
            nullable = nullable or len(values) < len(value)
            if all(isinstance(entry, str) for entry in values):
                found["enum"] = values
            else:
                lost.append("enum of other than strings")
        elif key == "const":
            if isinstance(value, str):
                found["enum"] = [value]
            else:
                lost.append("const of other than a string")
        elif key == "properties" and isinstance(value, dict):
            found["properties"] = {}
            for name, inner in value.items():
                found["properties"][name], missing = to_parameters(inner, root, depth + 1)
                lost += missing
        elif key == "items":
            found["items"], missing = to_parameters(value, root, depth + 1)
            lost += missing
        elif key == "required" and isinstance(value, list):
            if value:
                found["required"] = list(value)
        elif key in _COUNTS or key in _PLAIN:
            found[key] = copied(value)
        elif key not in _SILENT:
            lost.append(key)
    if found.get("type") == "ARRAY" and "items" not in found:
        found["items"] = {}
    if found.get("required"):
        known = [name for name in found["required"] if name in found.get("properties", {})]
        if len(known) < len(found["required"]):
            lost.append("required names without a property")
        found["required"] = known
    if found.get("properties") == {}:
        del found["properties"]
    if nullable:
        found["nullable"] = True
    return found, lost
