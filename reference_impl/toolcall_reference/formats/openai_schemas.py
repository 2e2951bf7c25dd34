"""JSON Schemas as OpenAI's two formats take them for the parameters of a function."""

from __future__ import annotations

from typing import Any

from toolcall_reference.conversation import schemas
from toolcall_reference.conversation.intermediate import Body, Tool
from toolcall_reference.conversation.target import Target

_ONE = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"})
_MANY = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_REFUSED = ("enum", "not")
"""What else the root may not have: https://github.com/nspady/google-calendar-mcp/issues/39"""


def for_parameters(tool: Tool, target: Target) -> Body:
    """The schema of a tool for ``parameters``; what it no longer says is noted.

    The root is an object with ``properties`` that is not composed, and every array says what is in it.
    """
    schema, lost = schemas.plain_root(schemas.NO_PARAMETERS if tool.schema is None else tool.schema)
    lost += [f"{key} at the root" for key in _REFUSED if schema.pop(key, None) is not None]
    for keyword in lost:
        target.losses.add("tool-schema-root", f"{keyword} cannot be said; widened", tool.name)
    schema.setdefault("properties", {})
    _fill(schema)
    return schema


def _fill(schema: Any) -> None:
    """Give all arrays of a schema ``items``: ``{}`` where they said nothing."""
    if not isinstance(schema, dict):
        return
    for key, inner in schema.items():
        if isinstance(inner, dict):
            if key in _ONE:
                _fill(inner)
            elif key in _NAMED:
                for entry in inner.values():
                    _fill(entry)
        elif isinstance(inner, list) and key in _MANY:
            for entry in inner:
                _fill(entry)
    kind = schema.get("type")
    if (kind == "array" or (isinstance(kind, list) and "array" in kind)) and "items" not in schema:
        schema["items"] = {}
