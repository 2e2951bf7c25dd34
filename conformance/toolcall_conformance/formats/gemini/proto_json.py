"""Proto-JSON: the spellings that Gemini takes for one and the same message.

The API parses bodies by the rules of https://protobuf.dev/programming-guides/json/, generously: a key may be spelt in
camelCase or in snake_case, an enum value in letters of either case or as its number, an integer as a string of digits,
and a repeated field that has one entry may be that entry itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from toolcall_conformance.basics.reading import Node
from toolcall_conformance.formats.json_schemas import COUNT_KEYWORDS

#: The numbers of the enum Type, by their place.
SCHEMA_TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")

#: The numbers of the enum Mode of a FunctionCallingConfig, by their place.
FUNCTION_CALLING_MODES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")

#: The numbers of the enum FinishReason on which the Gemini API and Vertex AI agree, by their place.
FINISH_REASONS = ("FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")

#: Ends that can stand beside a call: it was made, or the reply was cut behind it, or nobody declared its function.
FINISH_REASONS_WITH_CALLS = {"STOP", "MAX_TOKENS", "SAFETY", "UNEXPECTED_TOOL_CALL", "FINISH_REASON_UNSPECIFIED"}

#: The keywords of the message Schema that hold a Schema, a list of them, or a map of them.
_SCHEMA_KEYWORDS = {"items", "additionalProperties"}
_SCHEMA_LIST_KEYWORDS = {"anyOf"}
_SCHEMA_MAP_KEYWORDS = {"properties", "defs"}

#: The keys behind which a user's own keys may come.
_USER_KEY_HOLDERS = {"args", "response", "parametersJsonSchema", "responseJsonSchema", *_SCHEMA_MAP_KEYWORDS}


@cache
def spellings(key: str) -> tuple[str, ...]:
    """The accepted spellings of a camelCase key, that one first."""
    snake = re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), key)
    return (key,) if snake == key else (key, snake)


@cache
def camel_case(key: str) -> str:
    """The camelCase spelling of a key."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), key)


def undocumented_key(pointer: str) -> str:
    """The first key of the API's on the way to a place that is not in camelCase; empty if there is none."""
    for token in pointer.split("/"):
        if camel_case(token) != token:
            return token
        if token in _USER_KEY_HOLDERS:
            break
    return ""


def member(value: Any, key: str) -> Any:
    """The member ``key`` of an object in whichever spelling it has; None if absent or ``value`` is no object."""
    if isinstance(value, dict):
        for spelling in spellings(key):
            if spelling in value:
                return value[spelling]
    return None


def root(body: Any) -> Node:
    """A cursor over a body that knows both spellings of every key."""
    return Node(body, "", spellings)


def entries(node: Node) -> Iterator[Node]:
    """The entries of a repeated field; an object that stands there by itself is its only entry."""
    if node.is_object:
        yield node
    else:
        yield from node.each()


def enum_name(value: Any, names: tuple[str, ...]) -> str | None:
    """The name of an enum value that is given by name or by number; None for anything else."""
    if isinstance(value, str):
        return value.upper()
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
        return names[value]
    return None


def parse_number(value: Any) -> int | float | None:
    """A number, also one that is written as a string."""
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
    """A Schema message in the one spelling that JSON Schema shares with it.

    Only keywords are rewritten (``any_of`` to ``anyOf``, ``type: 6`` to ``OBJECT``, ``ref`` to ``$ref``), never a
    property that happens to be called like one. A schema that needs no rewriting comes back as the very same object.
    """
    replacements: dict[int, Any] = {}
    for subschema in reversed(_nested_schemas(schema)):  # the inner ones first
        replacements[id(subschema)] = _rewrite_schema(subschema, replacements)
    return replacements.get(id(schema), schema)


def _nested_schemas(schema: Any) -> list[dict[str, Any]]:
    """A schema and those within it, each behind the one that holds it; in any depth, so without recursion."""
    schemas, left = [], [schema]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            schemas.append(node)
            left += _child_schemas(node)
    return schemas


def _child_schemas(schema: dict[str, Any]) -> Iterator[Any]:
    """What stands right within a schema where a schema may stand."""
    for key, value in schema.items():
        keyword = camel_case(key)
        if keyword in _SCHEMA_KEYWORDS:
            yield value
        elif keyword in _SCHEMA_LIST_KEYWORDS and isinstance(value, list):
            yield from value
        elif keyword in _SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
            yield from value.values()


def _rewrite_schema(schema: dict[str, Any], inner: dict[int, Any]) -> dict[str, Any]:
    """A schema in that spelling; ``inner`` has those within it rewritten, by the identity of what they were."""
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
    """``old`` if ``new`` holds the very same members under the very same keys, else ``new``."""
    if isinstance(old, dict):
        same = old.keys() == new.keys() and all(old[key] is new[key] for key in old)
    else:
        same = all(before is after for before, after in zip(old, new, strict=True))
    return old if same else new
