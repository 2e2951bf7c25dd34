"""Schemas in other words that say the same."""

from __future__ import annotations

import copy
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, harmless, need
from doubles.draft import Draft
from doubles.wire import walk

JSON_SCHEMA = (ANTHROPIC, CHAT, RESPONSES)


@harmless(target=GEMINI, beside=("gemini/schema-type", "gemini/declaration-one-schema", "translation/schema-type"))
def parameters_in_upper_case(draft: Draft) -> None:
    """Schemas stand under parameters, with Gemini's own type names."""
    hit = False
    for tool in draft.tools:
        schema = tool.inner.get("parametersJsonSchema")
        if schema is not None and _fits_parameters(schema):
            del tool.inner["parametersJsonSchema"]
            tool.inner["parameters"], hit = _as_parameters(schema), True
    need(hit)


def _fits_parameters(schema: Any) -> bool:
    plain = {
        "type",
        "description",
        "properties",
        "required",
        "items",
        "enum",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    }
    return all(set(entry) <= plain and isinstance(entry.get("type"), str) for entry in walk(schema)) and all(
        isinstance(value, str) for entry in walk(schema) for value in entry.get("enum", [])
    )


def _as_parameters(schema: dict[str, Any]) -> dict[str, Any]:
    schema = copy.deepcopy(schema)
    for entry in walk(schema):
        entry["type"] = entry["type"].upper()
    return schema


@harmless(target=GEMINI, beside=("gemini/schema-type", "gemini/schema-keyword", "translation/schema-type"))
def parameters_in_lower_case(draft: Draft) -> None:
    """Schemas stand under parameters, with the type names in lower case."""
    parameters_in_upper_case(draft)
    for tool in draft.tools:
        for entry in walk(tool.inner.get("parameters")):
            entry["type"] = entry["type"].lower()


@harmless(target=JSON_SCHEMA, beside="translation/schema-changed")
def schema_titles(draft: Draft) -> None:
    """Schemas have titles, as some libraries write them."""
    for tool in need(draft.tools):
        for name, entry in (tool.schema.get("properties") or {}).items():
            entry["title"] = name.title()
        tool.schema["title"] = "Arguments"


@harmless(target=JSON_SCHEMA, beside="translation/schema-changed")
def schema_dialect(draft: Draft) -> None:
    """Schemas name their dialect."""
    for tool in need([tool for tool in draft.tools if not tool.inner.get("strict")]):
        tool.schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **tool.schema}


@harmless(target=JSON_SCHEMA, beside="translation/schema-narrowed")
def schema_open_said_aloud(draft: Draft) -> None:
    """Schemas say that other properties are allowed, which is the default."""
    for tool in need([tool for tool in draft.tools if "additionalProperties" not in tool.schema]):
        tool.schema["additionalProperties"] = True


@harmless(target=JSON_SCHEMA, beside="translation/schema-required")
def schema_required_empty(draft: Draft) -> None:
    """A schema without required parameters says an empty list of them."""
    for tool in need([tool for tool in draft.tools if "required" not in tool.schema]):
        tool.schema["required"] = []


@harmless(beside=("translation/schema-enum", "translation/schema-required"))
def schema_in_other_order(draft: Draft) -> None:
    """Properties, required names and enum values stand in another order."""
    for tool in need(draft.tools):
        for entry in walk(tool.schema):
            if "properties" in entry:
                entry["properties"] = dict(reversed(entry["properties"].items()))
            for key in ("required", "enum"):
                if key in entry:
                    entry[key] = entry[key][::-1]


@harmless(target=(ANTHROPIC, CHAT), beside=("translation/schema-changed", "translation/schema-property-lost"))
def schema_by_reference(draft: Draft) -> None:
    """An inner schema stands under $defs, with a reference to it."""
    for tool in need([tool for tool in draft.tools if not tool.inner.get("strict")]):
        properties = tool.schema.get("properties") or {}
        for name, entry in properties.items():
            if "enum" in entry or "properties" in entry:
                tool.schema["$defs"] = {"Inner": entry}
                properties[name] = {"$ref": "#/$defs/Inner"}
                return
    need(False)
