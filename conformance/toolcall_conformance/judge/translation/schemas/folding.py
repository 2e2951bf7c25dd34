"""Unions and conjunctions as one plain schema, where such a schema means the same."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import canonical, equal

NOTES = ("description", "default")
# Which type a keyword speaks of; it says nothing about values of another type.
SPEAKS_OF = {
    **dict.fromkeys(("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(
        ("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
         "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
        "object",
    ),
}  # fmt: skip
NULL = {"type": ["null"]}


def folded(schema: dict[str, Any], branches: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """``schema`` with its unions and conjunctions made plain where that changes nothing.

    ``branches`` are the entries of ``anyOf``, ``oneOf`` and ``allOf``, each in one spelling already.
    """
    for key, entries in branches.items():
        rest = {name: value for name, value in schema.items() if name != key}
        entries = entries if key == "oneOf" else _once(entries)
        plain = _conjunction([*entries], rest) if key == "allOf" or len(entries) == 1 else _union(entries, rest)
        if plain is not None:
            schema = plain
    return schema


def _once(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries without those that say what one before says: of any and of all of them it changes nothing."""
    return [
        entry for place, entry in enumerate(entries) if not any(equal(entry, earlier) for earlier in entries[:place])
    ]


def _conjunction(entries: list[dict[str, Any]], rest: dict[str, Any]) -> dict[str, Any] | None:
    """The conjunction of schemas as one schema; None where two of them have different values for a keyword."""
    several = len(entries) > 1 or bool(rest.keys() & {"properties", "required"})
    schema: dict[str, Any] = {}
    for entry in (*entries, rest):
        if several and entry.keys() & {"additionalProperties", "unevaluatedProperties", "patternProperties"}:
            return None  # these look at their neighbours
        for key, value in entry.items():
            if key not in schema or equal(schema[key], value) or (key in NOTES and entry is rest):
                schema[key] = value
            elif key == "required":
                schema[key] = sorted({*schema[key], *value})
            elif key == "properties" and all(equal(schema[key].get(name, value[name]), value[name]) for name in value):
                schema[key] = {**schema[key], **value}
            elif key == "type" and set(schema[key]) & set(value):
                schema[key] = sorted(set(schema[key]) & set(value))
            elif key not in NOTES:
                return None
    return schema


def _union(entries: list[dict[str, Any]], rest: dict[str, Any]) -> dict[str, Any] | None:
    others = [entry for entry in entries if entry != NULL]
    if not rest.keys() <= {*NOTES, "type"} or not others:
        return None
    types = {name for entry in entries for name in entry.get("type") or ()}
    if "type" in rest and not types <= set(rest["type"]):
        return None
    notes = {key: rest[key] for key in NOTES if key in rest}
    if len(others) == 1 and others[0].get("type"):
        union = {**others[0], **notes, "type": sorted({*others[0]["type"], "null"})}
        if union.get("enum") and None not in union["enum"]:
            union["enum"] = sorted([*union["enum"], None], key=canonical)
        return union
    if all(("enum" in entry and entry.keys() <= {"enum", "type"}) or entry == NULL for entry in entries):
        return {**notes, **_values(entries)}
    return _by_type(entries, notes)


def _values(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """A union of listed values as one list."""
    values = {canonical(value): value for entry in entries for value in entry.get("enum", [None])}
    schema: dict[str, Any] = {"enum": [values[name] for name in sorted(values)]}
    if all(entry.get("type") for entry in entries):
        schema["type"] = sorted({name for entry in entries for name in entry["type"]})
    return schema


def _by_type(entries: list[dict[str, Any]], notes: dict[str, Any]) -> dict[str, Any] | None:
    """A union of schemas for different types: keywords speak of their own type only, so they can stand together."""
    schema: dict[str, Any] = {"type": []}
    for entry in entries:
        types = entry.get("type")
        if not types or set(types) & set(schema["type"]):
            return None
        for key, value in entry.items():
            if key == "type":
                continue
            if key in schema or SPEAKS_OF.get(key) not in types:
                return None
            schema[key] = value
        schema["type"] = sorted([*schema["type"], *types])
    if {"integer", "number"} <= set(schema["type"]):
        return None
    return {**schema, **notes}
