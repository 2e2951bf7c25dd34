"""JSON Schemas inside bodies: the schemas in them, and keywords whose value is none that any draft allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.findings import Form, OneOf
from toolcall_conformance.formats.wanted import LIST, OBJECT, TEXT
from toolcall_conformance.jsonvalue import join
from toolcall_conformance.reading.breach import Breach

Place = tuple[dict[str, Any], str]

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
"""The types of JSON Schema."""

_ONE = ("items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames")
_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def subschemas(schema: Any, pointer: str) -> Iterator[Place]:
    """A JSON Schema and every schema in it, each with its pointer."""
    waiting = [(schema, pointer)]
    while waiting:
        inner, place = waiting.pop()
        if isinstance(inner, dict):
            yield inner, place
            waiting.extend(reversed(list(_held(inner, place))))


def _held(schema: dict[str, Any], pointer: str) -> Iterator[tuple[Any, str]]:
    """What stands where ``schema`` has schemas, each with its pointer."""
    for key in _ONE:
        if key in schema:
            yield schema[key], join(pointer, key)
    for key in (*_MANY, *_NAMED):
        held = schema.get(key)
        if isinstance(held, dict if key in _NAMED else list):
            for name, entry in held.items() if isinstance(held, dict) else enumerate(held):
                yield entry, join(pointer, key, name)


def invalid(schema: Any, pointer: str) -> Iterator[Breach]:
    """Keywords that make ``schema`` none: types that there are not, and values of another type than theirs.

    Only what is the same in all drafts (https://json-schema.org/specification-links).
    """
    for inner, place in subschemas(schema, pointer):
        for keyword, value in inner.items():
            if keyword == "type":
                yield from _wrong_types(value, join(place, keyword))
            elif (wanted := _wanted(keyword)) and not isinstance(value, wanted[0]):
                yield Breach(join(place, keyword), f"{keyword} must be {wanted[1]}", wanted[2], value)


def _wrong_types(value: Any, pointer: str) -> Iterator[Breach]:
    said = [(entry, join(pointer, index)) for index, entry in enumerate(value)] if isinstance(value, list) else []
    for entry, place in said or [(value, pointer)]:
        if entry not in TYPES:
            lower = entry.lower() if isinstance(entry, str) else None
            want = lower if lower in TYPES else OneOf(TYPES)
            yield Breach(place, "this is no type of JSON Schema; they are in lower case", want, entry)


def _wanted(keyword: str) -> tuple[type, str, Form] | None:
    """The type that the value of a keyword has, in words, and as a form; None if it may be of several."""
    if keyword in _NAMED:
        return dict, "an object", OBJECT
    if keyword in (*_MANY, "required", "enum"):
        return list, "a list", LIST
    return (str, "text", TEXT) if keyword in ("description", "title") else None
