"""Merges schemas: keywords that hold at once, and choices. A result may demand less, never more.

A ``type`` is a list here, and a ``const`` is an ``enum`` of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import equal

SchemaForm = dict[str, Any]

STRICTER_BY_BOUND: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **dict.fromkeys(("minimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "maxLength", "maxItems", "maxProperties"), min),
}
"""The keywords that bound something, each with the function that chooses the stricter of two values."""


def all_of(schemas: Iterable[SchemaForm]) -> SchemaForm:
    """The schema that holds if all of these hold."""
    return reduce(join_forms, schemas, {})


def join_forms(left: SchemaForm, other: SchemaForm) -> SchemaForm:
    """The schema that holds if both do; of keywords that cannot be joined the second goes to ``allOf``."""
    joined = {**other, **left}
    for keyword in (keyword for keyword in left if keyword in other and left[keyword] != other[keyword]):
        if keyword in _JOIN_BY_KEYWORD:
            joined[keyword] = _JOIN_BY_KEYWORD[keyword](left[keyword], other[keyword])
        else:
            joined["allOf"] = [*joined.get("allOf", ()), {keyword: other[keyword]}]
    if "allOf" in joined:
        joined["allOf"] = [part for part in joined["allOf"] if not part.items() <= joined.items()]
    return {keyword: value for keyword, value in joined.items() if value != []}


def any_of(branches: Sequence[SchemaForm]) -> SchemaForm:
    """The schema that holds if one of these does; empty if one of them is."""
    if not all(branches):
        return {}
    if len(branches) == 1:
        return branches[0]
    if all(branch.keys() == {"type"} for branch in branches):
        return {"type": list(dict.fromkeys(kind for branch in branches for kind in branch["type"]))}
    return {"anyOf": list(branches)}


def _common_types(types: list[str], other: list[str]) -> list[str]:
    narrow = {"integer"} if "number" in other else set[str]()
    kinds = [kind for kind in types if kind in other or kind in narrow]
    return kinds or ["integer"] if "integer" in other and "number" in types else kinds or types


def _common_values(values: list[Any], other: list[Any]) -> list[Any]:
    return [value for value in values if any(equal(value, other_value) for other_value in other)] or values


_JOIN_BY_KEYWORD: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **STRICTER_BY_BOUND,
    "type": _common_types,
    "enum": _common_values,
    "required": lambda left, other: list(dict.fromkeys([*left, *other])),
    "items": join_forms,
    "allOf": lambda left, other: [*left, *(part for part in other if part not in left)],
}


def types_in(form: SchemaForm) -> list[str]:
    """The JSON types that a value may have; empty if it may have any."""
    if "type" in form:
        return list(form["type"])
    branch_types = [types_in(branch) for branch in form.get("anyOf", ())]
    return list(dict.fromkeys(kind for kinds in branch_types for kind in kinds)) if all(branch_types) else []


def simplify(form: SchemaForm) -> SchemaForm:
    """The schema as people write it: one type, or one value, without a list."""
    plain: SchemaForm = {}
    for keyword, value in form.items():
        if keyword in ("type", "enum") and len(value) == 1:
            plain["const" if keyword == "enum" else keyword] = value[0]
        elif keyword == "properties":
            plain[keyword] = {key: simplify(member) for key, member in value.items()}
        else:
            plain[keyword] = simplify(value) if keyword == "items" else value
    return plain | {"anyOf": [*map(simplify, form["anyOf"])]} if "anyOf" in form else plain
