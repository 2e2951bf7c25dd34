"""JSON Schemas as OpenAI's two formats take them for the parameters of a function."""

from __future__ import annotations

from typing import Any

from toolcall_reference import schemas
from toolcall_reference.intermediate import Body, Tool
from toolcall_reference.target import Target

_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_REFUSED = ("enum", "not")
"""What else the root may not have: https://github.com/nspady/google-calendar-mcp/issues/39"""


def for_parameters(tool: Tool, target: Target) -> Body:
    """The schema of a tool for ``parameters``; what it no longer says is noted.

    The root is an object with ``properties`` that is not composed, and every array says what is in it.
    """
    found, lost = schemas.plain_root(schemas.NO_PARAMETERS if tool.schema is None else tool.schema)
    lost += [f"{key} at the root" for key in _REFUSED if found.pop(key, None) is not None]
    for keyword in lost:
        target.losses.add("tool-schema-root", f"{keyword} cannot be said; widened", tool.name)
    found.setdefault("properties", {})
    filled: Body = _filled(found)
    return filled


def _filled(schema: Any) -> Any:
    """A schema whose arrays all have ``items``: ``{}`` where they said nothing."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    for key, inner in schema.items():
        if isinstance(inner, dict) and key in _ONE:
            found[key] = _filled(inner)
        elif isinstance(inner, dict) and key in _NAMED:
            found[key] = {name: _filled(entry) for name, entry in inner.items()}
        elif isinstance(inner, list) and key in _MANY:
            found[key] = [_filled(entry) for entry in inner]
    kind = found.get("type")
    if (kind == "array" or (isinstance(kind, list) and "array" in kind)) and "items" not in found:
        found["items"] = {}
    return found
