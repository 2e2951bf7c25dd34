"""Makes the schema of a tool's parameters simpler, by one step each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
_SIMPLEST = {"type": "string"}


def simpler_schemas(schema: Schema) -> Iterator[Schema]:
    """An object's schema without one property, its required ones or its definitions, or with a simpler property."""
    properties: dict[str, Schema] = schema.get("properties", {})
    if "$defs" in schema and "$ref" not in repr(properties):
        yield _without(schema, "$defs")
    for name in ("required", "additionalProperties"):
        if name in schema:
            yield _without(schema, name)
    for name, inner in properties.items():
        demands = [key for key in schema.get("required", ()) if key != name]
        left = {**schema, "properties": _without(properties, name)}
        yield {**left, "required": demands} if demands else _without(left, "required")
        for simpler_schema in _simpler(inner):
            yield {**schema, "properties": {**properties, name: simpler_schema}}


def _simpler(schema: Schema) -> Iterator[Schema]:
    """The simplest schema, one that stands inside, and those with one inner schema simpler."""
    if schema == _SIMPLEST:
        return
    yield dict(_SIMPLEST)
    yield from _inside(schema)
    for name in schema.keys() - {"type", "properties", "items", "anyOf", "required", "$ref"}:
        yield _without(schema, name)
    if schema.get("type") == "object":
        yield from simpler_schemas(schema)
    if "items" in schema:
        yield from ({**schema, "items": simpler_schema} for simpler_schema in _simpler(schema["items"]))
    branches: list[Schema] = schema.get("anyOf", [])
    for number, branch in enumerate(branches):
        before, after = branches[:number], branches[number + 1 :]
        if len(branches) > 2:
            yield {**schema, "anyOf": [*before, *after]}
        yield from ({**schema, "anyOf": [*before, simpler_schema, *after]} for simpler_schema in _simpler(branch))


def _inside(schema: Schema) -> list[Schema]:
    inner = schema.get("items")
    return [*schema.get("properties", {}).values(), *([inner] if inner else []), *schema.get("anyOf", [])]


def _without(members: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in members.items() if key != name}
