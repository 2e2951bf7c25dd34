"""One spelling for tool schemas: types as sorted lists, local references inlined, keywords that say nothing gone."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.jsonvalue import canonical, resolve

# Keywords that say nothing about which instances are valid, or that only a provider reads.
SILENT = frozenset(
    {
        "title",
        "$schema",
        "$id",
        "$comment",
        "propertyOrdering",
        "property_ordering",
        "example",
        "examples",
        "default",
    }
)
NUMERIC = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "minimum", "maximum")


def normal(schema: Any, root: Any, depth: int = 0) -> Any:
    """A schema in one spelling: types as sorted lists, local references inlined, silent keywords gone."""
    if not isinstance(schema, dict):
        return schema if isinstance(schema, bool) else {}
    reference = schema.get("$ref", schema.get("ref"))
    if isinstance(reference, str) and reference.startswith("#") and depth < 12:
        try:
            target = resolve(root, reference[1:])
        except LookupError:
            return {"dangling": reference}
        siblings = {key: value for key, value in schema.items() if key not in ("$ref", "ref")}
        return normal({**target, **siblings} if isinstance(target, dict) else target, root, depth + 1)
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in SILENT or key in ("$defs", "definitions", "defs", "nullable", "type", "const") or value is None:
            continue
        found[key] = _normal_keyword(key, value, root, depth)
    types = _types(schema)
    if types:
        found["type"] = types
    if "const" in schema and "enum" not in found:
        found["enum"] = [schema["const"]]
    if "type" in found and found.get("enum") and "null" in found["type"] and None not in found["enum"]:
        found["enum"] = sorted([*found["enum"], None], key=canonical)
    if not str(found.get("description", "x")).strip():
        found.pop("description")
    for key in ("required", "properties"):
        if not found.get(key, True):
            found.pop(key)
    if found.get("additionalProperties") in (True, {}):
        found.pop("additionalProperties")
    return _fold_null(found)


def _normal_keyword(key: str, value: Any, root: Any, depth: int) -> Any:
    if key == "properties" and isinstance(value, dict):
        return {name: normal(entry, root, depth + 1) for name, entry in value.items()}
    if key in ("items", "additionalProperties", "not", "if", "then", "else", "propertyNames", "contains"):
        return normal(value, root, depth + 1)
    if key in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
        return [normal(entry, root, depth + 1) for entry in value]
    if key == "required" and isinstance(value, list):
        return sorted(str(name) for name in value)
    if key == "enum" and isinstance(value, list):
        return sorted(value, key=canonical)
    if key in NUMERIC and isinstance(value, str) and value.lstrip("-").isdigit():
        return int(value)
    return value


def _types(schema: dict[str, Any]) -> list[str]:
    stated = schema.get("type")
    names = [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
    types = {str(name).lower() for name in names}
    types.discard("type_unspecified")
    if schema.get("nullable") is True and types:
        types.add("null")
    return sorted(types)


def _fold_null(schema: dict[str, Any]) -> dict[str, Any]:
    """``anyOf: [X, null]`` said as a nullable X."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if not isinstance(branches, list):
            continue
        others = [branch for branch in branches if branch != {"type": ["null"]}]
        if len(branches) > len(others) and len(others) == 1 and isinstance(others[0], dict) and others[0].get("type"):
            rest = {name: value for name, value in schema.items() if name != key}
            return _null_in_enum({**others[0], **rest, "type": sorted({*others[0]["type"], "null"})})
    return schema


def _null_in_enum(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("enum") and None not in schema["enum"]:
        schema["enum"] = sorted([*schema["enum"], None], key=canonical)
    return schema
