"""JSON Schemas as Anthropic takes them for the input of a tool."""

from __future__ import annotations

from typing import Any

from toolcall_reference import schemas
from toolcall_reference.intermediate import Body
from toolcall_reference.jsontext import copied


def for_input(schema: Body | None) -> tuple[Body, list[str]]:
    """A schema for ``input_schema`` and what it no longer says.

    The root must be an object and may not be composed (``oneOf``, ``anyOf``, ``allOf``): branches are then merged into
    properties that allow what any branch allowed.
    """
    if schema is None:
        return copied(schemas.NO_PARAMETERS), []
    found = copied(schema)
    composed = [key for key in ("oneOf", "anyOf", "allOf") if isinstance(found.get(key), list)]
    lost: list[str] = []
    for key in composed:
        branches = [_expand(branch, schema) for branch in found.pop(key)]
        properties = found.setdefault("properties", {})
        for branch in branches:
            for name, inner in branch.get("properties", {}).items():
                if name not in properties:
                    properties[name] = inner
                elif properties[name] != inner:
                    properties[name] = {"anyOf": [properties[name], inner]} if key != "allOf" else properties[name]
        demands = [set(branch.get("required", [])) for branch in branches]
        if demands:
            shared = set.union(*demands) if key == "allOf" else set.intersection(*demands)
            required = list(dict.fromkeys([*found.get("required", []), *sorted(shared)]))
            if required:
                found["required"] = required
        lost.append(f"{key} at the root")
    if found.get("type") != "object":
        found = {"type": "object", **{key: value for key, value in found.items() if key != "type"}}
    return found, lost


def _expand(branch: Any, root: Body) -> Body:
    if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
        return schemas.resolve(root, branch["$ref"]) or {}
    return branch if isinstance(branch, dict) else {}
