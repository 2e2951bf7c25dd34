"""Parameter schemas, as JSON Schema; what one API alone has in their place is in its package.

JSON Schema travels verbatim. Only where a format refuses something is a schema changed, and then widened rather than
narrowed: what was valid stays valid.
"""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import copied

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


COMPOSED = ("oneOf", "anyOf", "allOf")


def plain_root(schema: Schema) -> tuple[Schema, list[str]]:
    """A copy whose root is an object and is not composed, and what it no longer says.

    Branches at the root are merged into properties that allow what any branch allowed.
    """
    root_schema: Schema = copied(schema)
    lost: list[str] = []
    for key in COMPOSED:
        if isinstance(root_schema.get(key), list):
            _merge(root_schema, [_expanded(branch, schema) for branch in root_schema.pop(key)], together=key == "allOf")
            lost.append(f"{key} at the root")
    if root_schema.get("type") != "object":
        root_schema = {"type": "object", **{key: value for key, value in root_schema.items() if key != "type"}}
    return root_schema, lost


def _merge(merged_schema: Schema, branches: list[Schema], *, together: bool) -> None:
    """Put the properties of branches into ``merged_schema``; ``together`` if all branches hold at once."""
    if any("properties" in branch for branch in branches):
        properties = merged_schema.setdefault("properties", {})
        for branch in branches:
            inner_properties = branch.get("properties")
            for name, inner in inner_properties.items() if isinstance(inner_properties, dict) else ():
                if name not in properties:
                    properties[name] = inner
                elif properties[name] != inner and not together:
                    properties[name] = {"anyOf": [properties[name], inner]}
    demands = [set(_names(branch)) for branch in branches]
    if demands:
        shared = set.union(*demands) if together else set.intersection(*demands)
        required = list(dict.fromkeys([*_names(merged_schema), *sorted(shared)]))
        if required:
            merged_schema["required"] = required


def _names(schema: Schema) -> list[str]:
    """The properties that a schema requires."""
    required = schema.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def _expanded(branch: Any, root: Schema) -> Schema:
    if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
        expanded_schema: Schema = copied(resolve(root, branch["$ref"]) or {})
        return expanded_schema
    return branch if isinstance(branch, dict) else {}


def is_strict(schema: Any) -> bool:
    """Whether OpenAI takes ``schema`` as strict: every object closed, and every property required."""
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


def closed(schema: Any) -> Any:
    """A copy of a schema whose objects have no members but those that are listed, as Anthropic wants of an answer."""
    if isinstance(schema, list):
        return [closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed_schema = {key: closed(inner) if key in _HOLDING else inner for key, inner in schema.items()}
    for key in ("properties", "$defs", "definitions"):
        if isinstance(schema.get(key), dict):
            closed_schema[key] = {name: closed(inner) for name, inner in schema[key].items()}
    return closed_schema | {"additionalProperties": False} if schema.get("type") == "object" else closed_schema


_HOLDING = frozenset({"items", "anyOf", "oneOf", "allOf", "prefixItems"})
"""Keywords whose value is a schema, or a list of them."""
