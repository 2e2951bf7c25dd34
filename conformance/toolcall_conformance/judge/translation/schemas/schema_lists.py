"""Listed values of a schema: whether the output lists the same, lists them as texts, or says them without a list."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, canonical, equal, exact_number, parse
from toolcall_conformance.judge.translation.schemas.schema_pair import SchemaPair


def lists_the_same(place: SchemaPair) -> bool:
    """Whether both list the same values, which says more than types and bounds beside them."""
    return "enum" in place.left and equal(place.left["enum"], place.right.get("enum"))


def lists_as_texts(place: SchemaPair) -> bool:
    """Whether the same values were listed as texts, in a schema for texts: a format may have no other enums."""
    left, right = place.left, place.right
    if "enum" not in left or "enum" not in right:
        return False
    types = set(right.get("type", ()))
    of_own_type = place.context.texts_only and types and all(fits(value, right["type"]) for value in left["enum"])
    if not of_own_type and ("string" not in types or types - {"string", "null"}):
        return False
    if None in right["enum"] and "null" not in right["type"]:
        return False  # it is listed, and no value is valid that is null
    numbers = {canonical(value) for value in left["enum"] if type(value) in (int, float)}
    texts = {value for value in left["enum"] if isinstance(value, str)}
    listed = (value if value in texts else _as_number(value, numbers) for value in map(as_text, right["enum"]))
    return sorted(map(as_text, left["enum"])) == sorted(listed)


def cannot_be_listed(place: SchemaPair) -> bool:
    """Whether the output's language lists texts alone, no listed value is one, and the output has their types."""
    values, types = place.left["enum"], place.right.get("type")
    if not place.context.texts_only or any(isinstance(value, str) for value in values):
        return False
    return types is None or (
        all(types_of(value) & set(types) for value in values) and set(types) <= set().union(*map(types_of, values))
    )


def says_without_list(schema: dict[str, Any], values: list[Any]) -> bool:
    """Whether one value is all that a schema without an enum allows: null by its type, a number by its bounds."""
    types = schema.get("type", [])
    if len(values) != 1 or values == [None] or not types:
        return values == [None] and types == ["null"]
    if type(values[0]) not in (int, float) or set(types) - {"integer", "number"}:
        return False
    bounds, number = [schema.get("minimum"), schema.get("maximum")], exact_number(values[0])
    return None not in bounds and bounds == [number, number]


def as_text(value: Any) -> str:
    return "\0" if value is None else value if isinstance(value, str) else canonical(value)


def _as_number(text: str, numbers: Collection[str]) -> str:
    """A text that writes one of the ``numbers`` (canonical texts) otherwise, as that one; others as they are."""
    try:
        number = canonical(parse(text))
    except JSONError:
        return text
    return number if number in numbers else text


def fits(value: Any, types: list[str] | None) -> bool:
    return types is None or isinstance(value, (dict, list)) or bool(types_of(value) & set(types))


def types_of(value: Any) -> set[str]:
    """The names of the types that a value has."""
    names = {
        str: {"string"}, bool: {"boolean"}, type(None): {"null"}, int: {"integer", "number"},
        float: {"integer", "number"} if isinstance(value, float) and value.is_integer() else {"number"},
        dict: {"object"}, list: {"array"},
    }  # fmt: skip
    return names[type(value)]
