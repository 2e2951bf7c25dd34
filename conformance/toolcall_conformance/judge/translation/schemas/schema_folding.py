"""Unions and conjunctions folded into one plain schema, where that schema means the same."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import canonical, equal

NOTE_KEYWORDS = ("description", "default")
# The type that a keyword constrains; values of another type are always valid for it.
TYPE_BY_KEYWORD = {
    **dict.fromkeys(("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(
        ("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
         "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
        "object",
    ),
}  # fmt: skip
NULL_SCHEMA = {"type": ["null"]}


def fold_schema(schema: dict[str, Any], branches: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return ``schema`` with its unions and conjunctions folded where that changes nothing.

    ``branches`` are the entries of ``anyOf``, ``oneOf`` and ``allOf``, each normalized already.
    """
    for key, entries in branches.items():
        rest = {name: value for name, value in schema.items() if name != key}
        entries = entries if key == "oneOf" else _without_repeats(entries)
        plain = (
            _fold_conjunction([*entries], rest) if key == "allOf" or len(entries) == 1 else _fold_union(entries, rest)
        )
        if plain is not None:
            schema = plain
    return schema


def _without_repeats(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries without repeated ones, which change neither a union nor a conjunction."""
    return [
        entry for place, entry in enumerate(entries) if not any(equal(entry, earlier) for earlier in entries[:place])
    ]


def _fold_conjunction(entries: list[dict[str, Any]], other_keywords: dict[str, Any]) -> dict[str, Any] | None:
    """Return the conjunction of schemas as one schema; None if two have different values for a keyword."""
    several = len(entries) > 1 or bool(other_keywords.keys() & {"properties", "required"})
    schema: dict[str, Any] = {}
    for entry in (*entries, other_keywords):
        if several and entry.keys() & {"additionalProperties", "unevaluatedProperties", "patternProperties"}:
            return None  # these look at their neighbours
        for key, value in entry.items():
            if key not in schema or equal(schema[key], value) or (key in NOTE_KEYWORDS and entry is other_keywords):
                schema[key] = value
            elif key == "required":
                schema[key] = sorted({*schema[key], *value})
            elif key == "properties" and all(equal(schema[key].get(name, value[name]), value[name]) for name in value):
                schema[key] = {**schema[key], **value}
            elif key == "type" and set(schema[key]) & set(value):
                schema[key] = sorted(set(schema[key]) & set(value))
            elif key not in NOTE_KEYWORDS:
                return None
    return schema


def _fold_union(entries: list[dict[str, Any]], other_keywords: dict[str, Any]) -> dict[str, Any] | None:
    """Return a union as one schema; None if that would change its meaning."""
    others = [entry for entry in entries if entry != NULL_SCHEMA]
    if not other_keywords.keys() <= {*NOTE_KEYWORDS, "type"} or not others:
        return None
    types = {name for entry in entries for name in entry.get("type") or ()}
    if "type" in other_keywords and not types <= set(other_keywords["type"]):
        return None
    notes = {key: other_keywords[key] for key in NOTE_KEYWORDS if key in other_keywords}
    if len(others) == 1 and others[0].get("type"):
        union = {**others[0], **notes, "type": sorted({*others[0]["type"], "null"})}
        if union.get("enum") and None not in union["enum"]:
            union["enum"] = sorted([*union["enum"], None], key=canonical)
        return union
    if all(("enum" in entry and entry.keys() <= {"enum", "type"}) or entry == NULL_SCHEMA for entry in entries):
        return {**notes, **_union_of_enums(entries)}
    return _union_by_type(entries, notes)


def _union_of_enums(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a union of listed values as one list."""
    values = {canonical(value): value for entry in entries for value in entry.get("enum", [None])}
    schema: dict[str, Any] = {"enum": [values[name] for name in sorted(values)]}
    if all(entry.get("type") for entry in entries):
        schema["type"] = sorted({name for entry in entries for name in entry["type"]})
    return schema


def _union_by_type(entries: list[dict[str, Any]], notes: dict[str, Any]) -> dict[str, Any] | None:
    """Return a union of schemas for different types as one schema: each keyword concerns its own type only."""
    schema: dict[str, Any] = {"type": []}
    for entry in entries:
        types = entry.get("type")
        if not types or set(types) & set(schema["type"]):
            return None
        for key, value in entry.items():
            if key == "type":
                continue
            if key in schema or TYPE_BY_KEYWORD.get(key) not in types:
                return None
            schema[key] = value
        schema["type"] = sorted([*schema["type"], *types])
    if {"integer", "number"} <= set(schema["type"]):
        return None
    return {**schema, **notes}
