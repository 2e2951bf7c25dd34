"""Lists in a schema: listed values that the output has otherwise, and lists that repeat a member."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import JSONError, canonical, equal, exact_number, join, parse, resolve
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.schema_pair import SchemaDifference, SchemaPair


def lists_the_same(place: SchemaPair) -> bool:
    """Whether both list the same values, which constrain more than types and bounds do."""
    return "enum" in place.left and equal(place.left["enum"], place.right.get("enum"))


def lists_as_texts(place: SchemaPair) -> bool:
    """Whether the same values are listed as texts, in a schema for texts: a format may have no other enums."""
    left, right = place.left, place.right
    if "enum" not in left or "enum" not in right:
        return False
    types = set(right.get("type", ()))
    of_own_type = place.context.texts_only and types and all(fits_types(value, right["type"]) for value in left["enum"])
    if not of_own_type and ("string" not in types or types - {"string", "null"}):
        return False
    if None in right["enum"] and "null" not in right["type"]:
        return False  # it is listed, and no value is valid that is null
    numbers = {canonical(value) for value in left["enum"] if type(value) in (int, float)}
    texts = {value for value in left["enum"] if isinstance(value, str)}
    listed = (value if value in texts else _as_number(value, numbers) for value in map(listed_text, right["enum"]))
    return sorted(map(listed_text, left["enum"])) == sorted(listed)


def cannot_be_listed(place: SchemaPair) -> bool:
    """Whether the output's language lists only texts, no listed value is one, and the output has their types."""
    values, types = place.left["enum"], place.right.get("type")
    if not place.context.texts_only or any(isinstance(value, str) for value in values):
        return False
    return types is None or (
        all(types_of(value) & set(types) for value in values) and set(types) <= set().union(*map(types_of, values))
    )


def says_without_list(schema: dict[str, Any], values: list[Any]) -> bool:
    """Whether a schema without an enum allows just one value: null by its type, a number by its bounds."""
    types = schema.get("type", [])
    if len(values) != 1 or values == [None] or not types:
        return values == [None] and types == ["null"]
    if type(values[0]) not in (int, float) or set(types) - {"integer", "number"}:
        return False
    bounds, number = [schema.get("minimum"), schema.get("maximum")], exact_number(values[0])
    return None not in bounds and bounds == [number, number]


def listed_text(value: Any) -> str:
    """Return a listed value as text, for sorting; null is a text that no value has."""
    return "\0" if value is None else value if isinstance(value, str) else canonical(value)


def _as_number(text: str, numbers: Collection[str]) -> str:
    """Return the one of ``numbers`` (canonical texts) that a text writes otherwise; any other text unchanged."""
    try:
        number = canonical(parse(text))
    except JSONError:
        return text
    return number if number in numbers else text


def fits_types(value: Any, types: list[str] | None) -> bool:
    """Whether a value has one of the types; objects and arrays are not decided here."""
    return types is None or isinstance(value, (dict, list)) or bool(types_of(value) & set(types))


def types_of(value: Any) -> set[str]:
    """Return the names of the types that a value has."""
    names = {
        str: {"string"}, bool: {"boolean"}, type(None): {"null"}, int: {"integer", "number"},
        float: {"integer", "number"} if isinstance(value, float) and value.is_integer() else {"number"},
        dict: {"object"}, list: {"array"},
    }  # fmt: skip
    return names[type(value)]


_LIST_KEYWORDS: Final = ("required", "type", "enum")


def find_repeated_members(source: Any, output: Any) -> Iterator[SchemaDifference]:
    """Yield a difference for every list of the output with a repeated member, unless the source repeats it too.

    The comparison sees normalized, folded schemas without repetitions. So this walks through the schema as it is
    written, definitions and branches included; it may be one that the translator made up.
    """
    repeats = list(_repeated_members(output))
    source_repeats = {(key, twice) for _, key, _, twice in _repeated_members(source)} if repeats else set()
    for pointer, key, listed, twice in repeats:
        if (key, twice) not in source_repeats:
            once = {canonical(entry): entry for entry in listed}
            yield SchemaDifference(
                "translation/schema-listed-twice",
                join(pointer, key),
                _place_in_source(source, pointer),
                want=[*once.values()],
                got=listed,
            )


def _repeated_members(document: Any) -> Iterator[tuple[str, str, Any, frozenset[str]]]:
    """Yield the pointer of each schema with such a list, the list's keyword, the list, and its repeated members."""
    for pointer, schema in inner_schemas(document):
        for key in _LIST_KEYWORDS:
            listed = schema.get(key)
            members = Counter(map(canonical, listed)) if isinstance(listed, list) else Counter[str]()
            twice = frozenset(member for member, count in members.items() if count > 1)
            if twice:
                yield pointer, key, listed, twice


def _place_in_source(source: Any, pointer: str) -> str:
    """Return the same place in the source; its root if there is none."""
    try:
        resolve(source, pointer)
    except LookupError:
        return ""
    return pointer
