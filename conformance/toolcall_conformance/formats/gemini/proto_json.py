"""Proto-JSON: the several spellings that Gemini accepts for one message.

The API parses bodies by the rules of https://protobuf.dev/programming-guides/json/, generously: a key may be in
camelCase or in snake_case, an enum value in letters of either case or its number, an integer a string of digits, and a
repeated field with one entry may be that entry itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from toolcall_conformance.basics.reading import Node
from toolcall_conformance.formats.json_schemas import COUNT_KEYWORDS

#: The names of the enum Type, by number.
SCHEMA_TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")

#: The names of the enum Mode of a FunctionCallingConfig, by number.
FUNCTION_CALLING_MODES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")

#: The names of the enum FinishReason, by number, as far as the Gemini API and Vertex AI agree.
FINISH_REASONS = ("FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")

#: Finish reasons of replies with calls: a normal end, a cut after the call, or an undeclared function.
FINISH_REASONS_WITH_CALLS = {"STOP", "MAX_TOKENS", "SAFETY", "UNEXPECTED_TOOL_CALL", "FINISH_REASON_UNSPECIFIED"}

#: The keywords of the message Schema that hold a schema, a list of schemas, or a map of schemas.
_SCHEMA_KEYWORDS = {"items", "additionalProperties"}
_SCHEMA_LIST_KEYWORDS = {"anyOf"}
_SCHEMA_MAP_KEYWORDS = {"properties", "defs"}

#: The keys whose values may have a user's own keys.
_USER_KEY_HOLDERS = {"args", "response", "parametersJsonSchema", "responseJsonSchema", *_SCHEMA_MAP_KEYWORDS}


@cache
def spellings(key: str) -> tuple[str, ...]:
    """Return the accepted spellings of a camelCase key, which comes first."""
    snake = re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), key)
    return (key,) if snake == key else (key, snake)


@cache
def camel_case(key: str) -> str:
    """Return the camelCase spelling of a key."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), key)


def undocumented_key(pointer: str) -> str:
    """Return the first key of the API in a pointer that is not in camelCase; empty if all are."""
    for token in pointer.split("/"):
        if camel_case(token) != token:
            return token
        if token in _USER_KEY_HOLDERS:
            break
    return ""


def member(value: Any, key: str) -> Any:
    """Return the member ``key`` in any of its spellings; None if it is absent or ``value`` is no object."""
    if isinstance(value, dict):
        for spelling in spellings(key):
            if spelling in value:
                return value[spelling]
    return None


def root(body: Any) -> Node:
    """Return a cursor over a body that accepts both spellings of every key."""
    return Node(body, "", spellings)


def entries(node: Node) -> Iterator[Node]:
    """Yield the entries of a repeated field; an object in its place is the only entry."""
    if node.is_object:
        yield node
    else:
        yield from node.each()


def enum_name(value: Any, names: tuple[str, ...]) -> str | None:
    """Return the name of an enum value, which may be a name or a number; None for anything else."""
    if isinstance(value, str):
        return value.upper()
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
        return names[value]
    return None


def parse_number(value: Any) -> int | float | None:
    """Return a number, which may also be a string; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}(\.[0-9]{1,19})?([eE][+-]?[0-9]{1,2})?", value):
        return float(value)
    return None


def to_json_schema(schema: Any) -> Any:
    """Return a Schema message in the spelling of JSON Schema.

    Only keywords are rewritten (``any_of`` to ``anyOf``, ``type: 6`` to ``OBJECT``, ``ref`` to ``$ref``), never a
    property of such a name. A schema that needs no rewriting is returned as the same object.
    """
    replacements: dict[int, Any] = {}
    for subschema in reversed(_nested_schemas(schema)):  # the inner ones first
        replacements[id(subschema)] = _rewrite_schema(subschema, replacements)
    return replacements.get(id(schema), schema)


def _nested_schemas(schema: Any) -> list[dict[str, Any]]:
    """Return a schema and all schemas in it, each after its holder; without recursion: they may be deep."""
    schemas, left = [], [schema]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            schemas.append(node)
            left += _child_schemas(node)
    return schemas


def _child_schemas(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the values at the places where a schema may hold schemas."""
    for key, value in schema.items():
        keyword = camel_case(key)
        if keyword in _SCHEMA_KEYWORDS:
            yield value
        elif keyword in _SCHEMA_LIST_KEYWORDS and isinstance(value, list):
            yield from value
        elif keyword in _SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
            yield from value.values()


def _rewrite_schema(schema: dict[str, Any], inner: dict[int, Any]) -> dict[str, Any]:
    """Return a schema in the spelling of JSON Schema; ``inner`` has its rewritten subschemas by the old ones' id()."""
    rewritten: dict[str, Any] = {}
    for key, value in schema.items():
        keyword = camel_case(key)
        if keyword == "type":
            value = (enum_name(value, SCHEMA_TYPES) or value) if isinstance(value, int) else value
        elif keyword in COUNT_KEYWORDS and isinstance(value, str):
            value = parse_number(value) if parse_number(value) is not None else value
        elif keyword in _SCHEMA_KEYWORDS:
            value = inner.get(id(value), value)
        elif keyword in _SCHEMA_LIST_KEYWORDS and isinstance(value, list):
            value = _old_if_same(value, [inner.get(id(entry), entry) for entry in value])
        elif keyword in _SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
            value = _old_if_same(value, {name: inner.get(id(entry), entry) for name, entry in value.items()})
        elif keyword == "ref" and isinstance(value, str):
            value = re.sub(r"^#/defs/", "#/$defs/", value)
        rewritten[{"ref": "$ref", "defs": "$defs"}.get(keyword, keyword)] = value
    same: dict[str, Any] = _old_if_same(schema, rewritten)
    return same


def _old_if_same(old: Any, new: Any) -> Any:
    """Return ``old`` if ``new`` holds the same objects under the same keys, else ``new``."""
    if isinstance(old, dict):
        same = old.keys() == new.keys() and all(old[key] is new[key] for key in old)
    else:
        same = all(before is after for before, after in zip(old, new, strict=True))
    return old if same else new
