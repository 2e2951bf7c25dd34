"""JSON Schemas inside bodies: the schemas in them, and keywords whose value is none that any draft allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from toolcall_conformance.basics.findings import Form, OneOf
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import INDEX, LIST, NUMBER, OBJECT, TEXT, TRUTH

Place = tuple[dict[str, Any], str]

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
"""The types of JSON Schema."""

_ONE = ("items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames")
_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_DIGITS: Final = len(str(2**63))
COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
"""The keywords that count; protobuf's JSON writes their numbers as texts."""


class _Wanted(NamedTuple):
    """What a keyword's value is to be: a test, words for it, and a form of it."""

    fits: Callable[[Any], bool]
    words: str
    form: Form


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
        children = schema.get(key)
        if isinstance(children, dict if key in _NAMED else list):
            for name, entry in children.items() if isinstance(children, dict) else enumerate(children):
                yield entry, join(pointer, key, name)


def invalid(schema: Any, pointer: str) -> Iterator[Breach]:
    """Keywords that make ``schema`` none: types that there are not, and values of another type than theirs.

    Only what is the same in all drafts (https://json-schema.org/specification-links).
    """
    for inner, place in subschemas(schema, pointer):
        for keyword, value in inner.items():
            if keyword == "type":
                yield from _wrong_types(value, join(place, keyword))
            elif (requirement := _WANTED.get(keyword)) and not requirement.fits(value):
                yield Breach(
                    join(place, keyword), f"{keyword} must be {requirement.words}", _want(requirement, value), value
                )


def _wrong_types(value: Any, pointer: str) -> Iterator[Breach]:
    entries = [(entry, join(pointer, index)) for index, entry in enumerate(value)] if isinstance(value, list) else []
    for entry, place in entries or [(value, pointer)]:
        if entry not in TYPES:
            lower = entry.lower() if isinstance(entry, str) else None
            want = lower if lower in TYPES else OneOf(TYPES)
            yield Breach(place, "this is no type of JSON Schema; they are in lower case", want, entry)


def _want(requirement: _Wanted, value: Any) -> Any:
    """The number that a text says, where one is wanted: JSON of protobuf writes counts as texts; else the form."""
    is_text = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _DIGITS
    return int(value) if is_text and requirement.form is INDEX else requirement.form


def _of(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == value // 1


_WANTED: Final = {
    **dict.fromkeys(_NAMED, _Wanted(_of(dict), "an object", OBJECT)),
    **dict.fromkeys((*_MANY, "required", "enum"), _Wanted(_of(list), "a list", LIST)),
    **dict.fromkeys(("description", "title", "pattern", "format"), _Wanted(_of(str), "text", TEXT)),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _Wanted(_is_number, "a number", NUMBER)),
    **dict.fromkeys(COUNTS, _Wanted(_is_count, "a whole number, 0 or more", INDEX)),
    "uniqueItems": _Wanted(_of(bool), "true or false", TRUTH),
}
