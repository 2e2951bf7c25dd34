"""JSON Schemas inside bodies: their subschemas, and keywords with values that no draft allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from toolcall_conformance.basics.findings import Form, OneOf
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import BOOLEAN, INDEX, LIST, NUMBER, OBJECT, TEXT

SchemaPlace = tuple[dict[str, Any], str]

SCHEMA_TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
"""The types of JSON Schema."""

_SCHEMA_KEYWORDS = ("items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames")
_SCHEMA_LIST_KEYWORDS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SCHEMA_MAP_KEYWORDS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_MAX_DIGITS: Final = len(str(2**63))
COUNT_KEYWORDS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
"""Keywords whose value is a count; protobuf's JSON writes these numbers as strings."""


class _Requirement(NamedTuple):
    """A keyword's value: a test that it has to pass, a description, and its form."""

    accepts: Callable[[Any], bool]
    words: str
    form: Form


def subschemas(schema: Any, pointer: str) -> Iterator[SchemaPlace]:
    """Yield a JSON Schema and every schema in it, each with its pointer."""
    waiting = [(schema, pointer)]
    while waiting:
        inner, place = waiting.pop()
        if isinstance(inner, dict):
            yield inner, place
            waiting.extend(reversed(list(_child_schemas(inner, place))))


def _child_schemas(schema: dict[str, Any], pointer: str) -> Iterator[tuple[Any, str]]:
    """Yield the values at the places where ``schema`` may hold schemas, each with its pointer."""
    for key in _SCHEMA_KEYWORDS:
        if key in schema:
            yield schema[key], join(pointer, key)
    for key in (*_SCHEMA_LIST_KEYWORDS, *_SCHEMA_MAP_KEYWORDS):
        children = schema.get(key)
        if isinstance(children, dict if key in _SCHEMA_MAP_KEYWORDS else list):
            for name, entry in children.items() if isinstance(children, dict) else enumerate(children):
                yield entry, join(pointer, key, name)


def invalid_keywords(schema: Any, pointer: str) -> Iterator[Breach]:
    """Yield a breach for each keyword that makes ``schema`` invalid: unknown types and values of a wrong JSON type.

    It checks only what is the same in all drafts (https://json-schema.org/specification-links).
    """
    for inner, place in subschemas(schema, pointer):
        for keyword, value in inner.items():
            if keyword == "type":
                yield from _wrong_types(value, join(place, keyword))
            elif (requirement := _REQUIREMENTS.get(keyword)) and not requirement.accepts(value):
                yield Breach(
                    join(place, keyword),
                    f"{keyword} must be {requirement.words}",
                    _expected_value(requirement, value),
                    value,
                )


def _wrong_types(value: Any, pointer: str) -> Iterator[Breach]:
    entries = [(entry, join(pointer, index)) for index, entry in enumerate(value)] if isinstance(value, list) else []
    for entry, place in entries or [(value, pointer)]:
        if entry not in SCHEMA_TYPES:
            lower = entry.lower() if isinstance(entry, str) else None
            want = lower if lower in SCHEMA_TYPES else OneOf(SCHEMA_TYPES)
            yield Breach(place, "this is no type of JSON Schema; they are in lower case", want, entry)


def _expected_value(requirement: _Requirement, value: Any) -> Any:
    """Return the form of the keyword's value; for a count that is a string of digits, the number itself."""
    is_text = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _MAX_DIGITS
    return int(value) if is_text and requirement.form is INDEX else requirement.form


def _type_check(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == value // 1


_REQUIREMENTS: Final = {
    **dict.fromkeys(_SCHEMA_MAP_KEYWORDS, _Requirement(_type_check(dict), "an object", OBJECT)),
    **dict.fromkeys((*_SCHEMA_LIST_KEYWORDS, "required", "enum"), _Requirement(_type_check(list), "a list", LIST)),
    **dict.fromkeys(("description", "title", "pattern", "format"), _Requirement(_type_check(str), "text", TEXT)),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _Requirement(_is_number, "a number", NUMBER)),
    **dict.fromkeys(COUNT_KEYWORDS, _Requirement(_is_count, "a whole number, 0 or more", INDEX)),
    "uniqueItems": _Requirement(_type_check(bool), "true or false", BOOLEAN),
}
