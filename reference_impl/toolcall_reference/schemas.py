"""Parameter schemas, as JSON Schema; what one API alone has in their place is in its package.

JSON Schema travels verbatim. Only where a format refuses something is a schema changed, and then widened rather than
narrowed: what was valid stays valid.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

NO_PARAMETERS: Schema = {"type": "object", "properties": {}}

FREE_TEXT: Schema = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
"""What a free-text tool is declared with where a format knows only functions."""


def resolve(root: Any, reference: str) -> Schema | None:
    """The schema that a reference of ``root`` to a place in itself leads to; None where there is none."""
    if not reference.startswith("#"):
        return None
    value = root
    for token in reference[1:].split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value if isinstance(value, dict) else None


def rooted(schema: Schema) -> Schema:
    """``schema`` with the type that every provider wants at the root, where it says nothing at all of its own."""
    if "type" in schema or schema.keys() & {"anyOf", "oneOf", "allOf", "$ref", "enum", "const", "not"}:
        return schema
    return {"type": "object", **({} if "properties" in schema else {"properties": {}}), **schema}


def is_strict(schema: Any) -> bool:
    """Whether OpenAI takes ``schema`` as strict: every object closed, and every property required."""
    if isinstance(schema, list):
        return all(is_strict(entry) for entry in schema)
    if not isinstance(schema, dict):
        return True
    if isinstance(schema.get("properties"), dict) or schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", [])) != set(properties):
            return False
        if not all(is_strict(inner) for inner in properties.values()):
            return False
    return all(is_strict(inner) for key, inner in schema.items() if key in ("items", "anyOf", "allOf")) and all(
        is_strict(inner) for key in ("$defs", "definitions") for inner in schema.get(key, {}).values()
    )
