"""Gemini's older ``parameters``: what leaks into it from JSON Schema, and schemas that are right there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from doubles.bodies.schema_keywords import FAMILY, schemas_in
from doubles.body import GEMINI, broken, harmless, need
from doubles.draft import Draft
from doubles.wire import Tool
from toolcall_reference.formats.gemini.schemas import to_parameters

_REFUSED = (
    *("$schema", "$ref", "const", "oneOf", "allOf", "exclusiveMinimum", "multipleOf", "patternProperties"),
    *("propertyNames", "uniqueItems", "prefixItems", "examples"),
)


def _moved(draft: Draft, fits: Callable[[dict[str, Any]], Any]) -> list[Tool]:
    """The tools with a schema that fits; it stands under ``parameters`` as it was."""
    tools = []
    for tool in draft.tools:
        schema = tool.inner.get("parametersJsonSchema")
        if schema is not None and any(fits(inner) for inner in schemas_in(schema)):
            tool.inner["parameters"] = tool.inner.pop("parametersJsonSchema")
            tools.append(tool)
    return need(tools)


@broken("gemini/schema-keyword", cases=FAMILY)
def json_schema_in_parameters(draft: Draft) -> None:
    """Keywords of JSON Schema stand under parameters, which knows a few alone."""
    _moved(draft, lambda schema: any(key in schema for key in _REFUSED))


@broken("gemini/schema-type", cases=FAMILY)
def list_of_types_in_parameters(draft: Draft) -> None:
    """A list of types stands under parameters."""
    _moved(draft, lambda schema: isinstance(schema.get("type"), list))


@broken("gemini/schema-enum-strings", cases=FAMILY)
def numbers_in_parameters(draft: Draft) -> None:
    """An enum under parameters has numbers."""
    _moved(draft, lambda schema: any(not isinstance(entry, str) for entry in schema.get("enum", [])))


@broken("gemini/schema-enum-not-blank", cases=FAMILY)
def blank_value_in_parameters(draft: Draft) -> None:
    """An enum under parameters has the empty text among its values."""
    _moved(draft, lambda schema: "" in schema.get("enum", []))


@broken("gemini/schema-array-items", cases=FAMILY)
def bare_array_in_parameters(draft: Draft) -> None:
    """An array under parameters does not say what is in it."""
    _moved(draft, lambda schema: schema.get("type") == "array" and "items" not in schema)


@broken("gemini/schema-array-keywords", cases=FAMILY)
def items_beside_text(draft: Draft) -> None:
    """Items were put into a schema under parameters that is for texts."""
    tools = _moved(draft, lambda schema: schema.get("type") == "string")
    for tool in tools:
        for schema in list(schemas_in(tool.inner["parameters"])):
            if schema.get("type") == "string":
                schema["items"] = {"type": "string"}


@broken("gemini/schema-object-keywords", cases=("schemas/deep",))
def properties_beside_text(draft: Draft) -> None:
    """An object under parameters became a text and kept its properties."""
    hit = False
    for tool in _moved(draft, lambda schema: schema.get("properties")):
        for schema in list(schemas_in(tool.inner["parameters"]))[1:]:
            if schema.get("type") == "object" and schema.get("properties"):
                schema["type"], hit = "string", True
    need(hit)


@harmless(
    target=GEMINI,
    warns=("gemini/schema-type-given", "gemini/schema-enum-type"),
    beside=(
        "gemini/schema-keyword",
        "gemini/schema-type",
        "gemini/schema-enum-strings",
        "gemini/schema-enum-not-blank",
        "gemini/schema-array-items",
        "gemini/schema-array-keywords",
        "gemini/schema-object-keywords",
    ),
)
def parameters_by_the_book(draft: Draft) -> None:
    """Schemas stand under parameters, with everything that it can say in its own words."""
    tools = []
    for tool in draft.tools:
        schema = tool.inner.get("parametersJsonSchema")
        parameters, lost = to_parameters(schema)
        blank = any("" in inner.get("enum", []) or "additionalProperties" in inner for inner in schemas_in(schema))
        if schema and "properties" in parameters and not lost and not blank:
            del tool.inner["parametersJsonSchema"]
            tool.inner["parameters"] = parameters
            tools.append(tool)
    need(tools)
