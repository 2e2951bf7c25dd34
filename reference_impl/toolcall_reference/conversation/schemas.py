"""Parameter schemas, as JSON Schema; an API's own schema language is in its package.

A schema is passed verbatim unless the format refuses it. Then it is widened, never narrowed, so that valid arguments
stay valid.
"""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import copy_json

Schema = dict[str, Any]

NO_PARAMETERS: Schema = {"type": "object", "properties": {}}

FREE_TEXT: Schema = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
"""The schema of the function that stands for a free-text tool."""


def resolve_reference(root: Any, reference: str) -> Schema | None:
    """The schema that a local reference in ``root`` points to; None if there is none."""
    if not reference.startswith("#"):
        return None
    value = root
    for token in reference[1:].split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value if isinstance(value, dict) else None


def add_root_type(schema: Schema) -> Schema:
    """``schema`` with the root type ``object`` that providers require, unless it has a type or a composition."""
    if "type" in schema or schema.keys() & {"anyOf", "oneOf", "allOf", "$ref", "enum", "const", "not"}:
        return schema
    return {"type": "object", **({} if "properties" in schema else {"properties": {}}), **schema}


COMPOSITION_KEYWORDS = ("oneOf", "anyOf", "allOf")


def flatten_root(schema: Schema) -> tuple[Schema, list[str]]:
    """A copy with a plain object at the root, and the keywords that were dropped.

    Branches at the root are merged into properties that allow what any branch allowed.
    """
    root_schema: Schema = copy_json(schema)
    lost: list[str] = []
    for key in COMPOSITION_KEYWORDS:
        if isinstance(root_schema.get(key), list):
            _merge(
                root_schema,
                [_resolve_branch(branch, schema) for branch in root_schema.pop(key)],
                together=key == "allOf",
            )
            lost.append(f"{key} at the root")
    if root_schema.get("type") != "object":
        root_schema = {"type": "object", **{key: value for key, value in root_schema.items() if key != "type"}}
    return root_schema, lost


def _merge(merged_schema: Schema, branches: list[Schema], *, together: bool) -> None:
    """Merge the properties of branches into ``merged_schema``; ``together`` if all branches apply at once."""
    if any("properties" in branch for branch in branches):
        properties = merged_schema.setdefault("properties", {})
        for branch in branches:
            inner_properties = branch.get("properties")
            for name, inner in inner_properties.items() if isinstance(inner_properties, dict) else ():
                if name not in properties:
                    properties[name] = inner
                elif properties[name] != inner and not together:
                    properties[name] = {"anyOf": [properties[name], inner]}
    demands = [set(_required_names(branch)) for branch in branches]
    if demands:
        shared = set.union(*demands) if together else set.intersection(*demands)
        required = list(dict.fromkeys([*_required_names(merged_schema), *sorted(shared)]))
        if required:
            merged_schema["required"] = required


def _required_names(schema: Schema) -> list[str]:
    """The names of a schema's required properties."""
    required = schema.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def _resolve_branch(branch: Any, root: Schema) -> Schema:
    if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
        expanded_schema: Schema = copy_json(resolve_reference(root, branch["$ref"]) or {})
        return expanded_schema
    return branch if isinstance(branch, dict) else {}


def is_strict(schema: Any) -> bool:
    """Whether ``schema`` is strict by OpenAI's rules: every object closed, every property required."""
    if isinstance(schema, list):
        return all(is_strict(entry) for entry in schema)
    if not isinstance(schema, dict):
        return True
    if isinstance(schema.get("properties"), dict) or schema.get("type") == "object":
        properties, required = schema.get("properties") or {}, schema.get("required") or []
        if not isinstance(properties, dict) or not isinstance(required, list):
            return False
        if schema.get("additionalProperties") is not False or not all(isinstance(name, str) for name in required):
            return False
        if set(required) != set(properties):
            return False
        if not all(is_strict(inner) for inner in properties.values()):
            return False
    return all(is_strict(inner) for key, inner in schema.items() if key in ("items", "anyOf", "allOf")) and all(
        is_strict(inner)
        for key in ("$defs", "definitions")
        if isinstance(schema.get(key), dict)
        for inner in schema[key].values()
    )


def close_objects(schema: Any) -> Any:
    """A copy of a schema with every object closed, as Anthropic requires of a response format."""
    if isinstance(schema, list):
        return [close_objects(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed_schema = {
        key: close_objects(inner) if key in _SUBSCHEMA_KEYWORDS else inner for key, inner in schema.items()
    }
    for key in ("properties", "$defs", "definitions"):
        if isinstance(schema.get(key), dict):
            closed_schema[key] = {name: close_objects(inner) for name, inner in schema[key].items()}
    return closed_schema | {"additionalProperties": False} if schema.get("type") == "object" else closed_schema


_SUBSCHEMA_KEYWORDS = frozenset({"items", "anyOf", "oneOf", "allOf", "prefixItems"})
"""Keywords whose value is a schema, or a list of them."""
