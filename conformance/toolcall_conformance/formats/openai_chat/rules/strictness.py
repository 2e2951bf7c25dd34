"""What ``strict: true`` asks of a parameter schema.

https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.formats.wanted import having

UNSUPPORTED = ("oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")

_MAPS = ("properties", "$defs", "definitions", "patternProperties")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not")


def subschemas(schema: Any, pointer: str) -> Iterator[tuple[dict[str, Any], str]]:
    """``schema`` and every schema inside it, each with its pointer."""
    waiting = [(schema, pointer)]
    while waiting:
        schema, pointer = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield schema, pointer
        for key, value in schema.items():
            if key in _MAPS and isinstance(value, dict):
                waiting.extend((entry, join(pointer, key, name)) for name, entry in value.items())
            elif key in _LISTS and isinstance(value, list):
                waiting.extend((entry, join(pointer, key, index)) for index, entry in enumerate(value))
            elif key in _SINGLES:
                waiting.append((value, join(pointer, key)))


def open_objects(schema: Any, pointer: str) -> Iterator[tuple[str, str, Any, Any]]:
    """(pointer, what is wrong, what a key of it should be, what it is) of every object schema that strict refuses."""
    for inner, place in subschemas(schema, pointer):
        if not _is_object(inner):
            continue
        if inner.get("additionalProperties") is not False:
            message = "strict mode wants additionalProperties: false at every object"
            yield place, message, having(additionalProperties=False), _members(inner, "additionalProperties")
        properties, required = inner.get("properties"), inner.get("required")
        keys = properties if isinstance(properties, dict) else {}
        listed = required if isinstance(required, list) else []
        missing = [key for key in keys if key not in listed]
        if missing:
            message = f"strict mode wants every property in required; it lacks {', '.join(missing)}"
            yield place, message, having(required=list(keys)), _members(inner, "required")


def _members(schema: dict[str, Any], key: str) -> dict[str, Any]:
    return {key: schema[key]} if key in schema else {}


def unsupported_keywords(schema: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """(pointer, keyword) of every keyword that strict mode does not have."""
    for inner, place in subschemas(schema, pointer):
        for keyword in UNSUPPORTED:
            if keyword in inner:
                yield join(place, keyword), keyword


def _is_object(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in schema
