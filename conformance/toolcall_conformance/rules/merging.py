"""Schemas that are put together of others: keywords that hold at once, and choices. A result may say less, never more.

A ``type`` is a list here, and a ``const`` is an ``enum`` of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Final

from toolcall_conformance.jsonvalue import equal

Said = dict[str, Any]

BOUNDS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **dict.fromkeys(("minimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "maxLength", "maxItems", "maxProperties"), min),
}
"""The keywords that bound something, each with what chooses the stricter of two."""


def all_of(schemas: Iterable[Said]) -> Said:
    """What holds where all of these hold."""
    return reduce(both, schemas, {})


def both(one: Said, other: Said) -> Said:
    """What holds where two schemas hold; of keywords that cannot be joined the second goes to ``allOf``."""
    joined = {**other, **one}
    for keyword in (keyword for keyword in one if keyword in other and one[keyword] != other[keyword]):
        if keyword in _JOINED:
            joined[keyword] = _JOINED[keyword](one[keyword], other[keyword])
        else:
            joined["allOf"] = [*joined.get("allOf", ()), {keyword: other[keyword]}]
    if "allOf" in joined:
        joined["allOf"] = [part for part in joined["allOf"] if not part.items() <= joined.items()]
    return {keyword: said for keyword, said in joined.items() if said != []}


def any_of(branches: Sequence[Said]) -> Said:
    """What holds where one of these holds; empty where one of them says nothing."""
    if not all(branches):
        return {}
    if len(branches) == 1:
        return branches[0]
    if all(branch.keys() == {"type"} for branch in branches):
        return {"type": list(dict.fromkeys(kind for branch in branches for kind in branch["type"]))}
    return {"anyOf": list(branches)}


def _types(one: list[str], other: list[str]) -> list[str]:
    narrow = {"integer"} if "number" in other else set[str]()
    found = [kind for kind in one if kind in other or kind in narrow]
    return found or ["integer"] if "integer" in other and "number" in one else found or one


def _values(one: list[Any], other: list[Any]) -> list[Any]:
    return [value for value in one if any(equal(value, known) for known in other)] or one


_JOINED: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **BOUNDS,
    "type": _types,
    "enum": _values,
    "required": lambda one, other: list(dict.fromkeys([*one, *other])),
    "items": both,
    "allOf": lambda one, other: [*one, *(part for part in other if part not in one)],
}


def types_in(form: Said) -> list[str]:
    """The JSON types that a value may have; empty if it may have any."""
    if "type" in form:
        return list(form["type"])
    found = [types_in(branch) for branch in form.get("anyOf", ())]
    return list(dict.fromkeys(kind for kinds in found for kind in kinds)) if all(found) else []


def written(form: Said) -> Said:
    """The same as people write it: of one type, or of one value, there is no list."""
    plain: Said = {}
    for keyword, said in form.items():
        if keyword in ("type", "enum") and len(said) == 1:
            plain["const" if keyword == "enum" else keyword] = said[0]
        elif keyword == "properties":
            plain[keyword] = {key: written(member) for key, member in said.items()}
        else:
            plain[keyword] = written(said) if keyword == "items" else said
    return plain | {"anyOf": [*map(written, form["anyOf"])]} if "anyOf" in form else plain
