"""Parameter schemas: JSON Schema everywhere, except in Gemini's older ``parameters``, a subset of OpenAPI's.

JSON Schema travels verbatim. Only where a format refuses something is a schema changed, and then widened rather than
narrowed: what was valid stays valid.
"""

from __future__ import annotations

from typing import Any

from .jsontext import copied

Schema = dict[str, Any]

NO_PARAMETERS: Schema = {"type": "object", "properties": {}}

FREE_TEXT: Schema = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
"""What a free-text tool is declared with where a format knows only functions."""

_GEMINI_TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
_COUNTS = {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
_SNAKE = {
    "any_of": "anyOf", "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength",
    "max_length": "maxLength", "min_properties": "minProperties", "max_properties": "maxProperties",
    "property_ordering": "propertyOrdering", "additional_properties": "additionalProperties",
    "ref": "$ref", "defs": "$defs",
}  # fmt: skip


def from_gemini(schema: Any) -> Any:
    """JSON Schema of a Gemini ``parameters`` or ``responseSchema``.

    Upper-case types become lower-case, ``nullable`` a union with null, counts written as strings (proto JSON spells
    64-bit integers so) numbers, ``example`` an ``examples`` list; ``propertyOrdering`` becomes the order of the keys.
    """
    if not isinstance(schema, dict):
        return schema
    found: Schema = {}
    nullable = False
    for spelt, value in schema.items():
        key = str(_SNAKE.get(spelt, spelt))
        if key == "type" and isinstance(value, int) and 0 <= value < len(_GEMINI_TYPES):
            value = _GEMINI_TYPES[value]  # proto JSON takes an enum's number for its name
        if key == "type" and isinstance(value, str):
            if value != "TYPE_UNSPECIFIED":
                found["type"] = value.lower() if value.upper() in _GEMINI_TYPES else value
        elif key == "nullable":
            nullable = value is True
        elif key == "propertyOrdering" or (key == "format" and value == "enum"):
            continue
        elif key == "example":
            found["examples"] = [value]
        elif key in _COUNTS and isinstance(value, str) and value.isdecimal():
            found[key] = int(value)
        elif key in ("properties", "$defs") and isinstance(value, dict):
            found[key] = {name: from_gemini(value[name]) for name in _ordered(value, schema)}
        elif key == "anyOf" and isinstance(value, list):
            found[key] = [from_gemini(branch) for branch in value]
        elif key in ("items", "additionalProperties"):
            found[key] = from_gemini(value)
        else:
            found[key] = copied(value)
    return _with_null(found) if nullable else found


def _ordered(properties: Schema, schema: Schema) -> list[str]:
    wanted = schema.get("propertyOrdering", schema.get("property_ordering"))
    first = [name for name in wanted if name in properties] if isinstance(wanted, list) else []
    return list(dict.fromkeys([*first, *properties]))


def _with_null(schema: Schema) -> Schema:
    if isinstance(schema.get("type"), str) and schema["type"] != "null":
        schema["type"] = [schema["type"], "null"]
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
    elif isinstance(schema.get("anyOf"), list):
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    return schema


def for_gemini_json_schema(schema: Schema) -> Schema:
    """A schema for ``parametersJsonSchema``: verbatim but for the root's ``$schema``, which some back-ends refuse."""
    return {key: value for key, value in copied(schema).items() if key != "$schema"}


def to_gemini(schema: Any, root: Any = None, depth: int = 0) -> tuple[Any, list[str]]:
    """A schema for Gemini's ``parameters``, and the keywords that it cannot say.

    References are put in place, null in a union becomes ``nullable``, ``const`` an ``enum`` of one, exclusive bounds
    and unknown keywords are left out (which widens). Enum values that are not strings cannot be said.
    """
    root = schema if root is None else root
    lost: list[str] = []
    if not isinstance(schema, dict):
        return {}, lost if schema is True else ["boolean schema"]
    if isinstance(schema.get("$ref"), str):
        target = _resolve(root, schema["$ref"])
        if target is None or depth > 8:
            return {"type": "OBJECT"}, ["recursive $ref"]
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return to_gemini({**target, **beside}, root, depth + 1)
    found: Schema = {}
    nullable = False
    for key, value in schema.items():
        if key == "type" and isinstance(value, list):
            nullable = nullable or "null" in value
            kinds = [kind for kind in value if kind != "null"]
            if len(kinds) == 1:
                found["type"] = str(kinds[0]).upper()
            elif kinds:
                found["anyOf"] = [{"type": str(kind).upper()} for kind in kinds]
        elif key == "type":
            found["type"] = str(value).upper()
        elif key in ("anyOf", "oneOf") and isinstance(value, list):
            branches = [branch for branch in value if branch != {"type": "null"}]
            nullable = nullable or len(branches) < len(value)
            converted = []
            for branch in branches:
                inner, missing = to_gemini(branch, root, depth + 1)
                converted.append(inner)
                lost += missing
            if len(converted) == 1:
                found.update(converted[0])
            elif converted:
                found["anyOf"] = converted
        elif key == "enum" and isinstance(value, list):
            values = [entry for entry in value if entry is not None]
            nullable = nullable or len(values) < len(value)
            if all(isinstance(entry, str) for entry in values):
                found["enum"] = values
            else:
                lost.append("enum of other than strings")
        elif key == "const":
            if isinstance(value, str):
                found["enum"] = [value]
            else:
                lost.append("const of other than a string")
        elif key == "properties" and isinstance(value, dict):
            found["properties"] = {}
            for name, inner in value.items():
                found["properties"][name], missing = to_gemini(inner, root, depth + 1)
                lost += missing
        elif key == "items":
            found["items"], missing = to_gemini(value, root, depth + 1)
            lost += missing
        elif key == "required" and isinstance(value, list):
            if value:
                found["required"] = list(value)
        elif key in _COUNTS or key in _PLAIN:
            found[key] = copied(value)
        elif key not in _SILENT:
            lost.append(key)
    if found.get("type") == "ARRAY" and "items" not in found:
        found["items"] = {}
    if found.get("required"):
        known = [name for name in found["required"] if name in found.get("properties", {})]
        if len(known) < len(found["required"]):
            lost.append("required names without a property")
        found["required"] = known
    if found.get("properties") == {}:
        del found["properties"]
    if nullable:
        found["nullable"] = True
    return found, lost


_PLAIN = {"title", "description", "format", "pattern", "minimum", "maximum", "default"}
_SILENT = {"$schema", "$defs", "definitions", "$id", "$comment", "additionalProperties", "examples"}


def _resolve(root: Any, reference: str) -> Schema | None:
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


def for_anthropic(schema: Schema | None) -> tuple[Schema, list[str]]:
    """A schema for ``input_schema`` and what it no longer says.

    The root must be an object and may not be composed (``oneOf``, ``anyOf``, ``allOf``): branches are then merged into
    properties that allow what any branch allowed.
    """
    if schema is None:
        return copied(NO_PARAMETERS), []
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


def _expand(branch: Any, root: Schema) -> Schema:
    if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
        return _resolve(root, branch["$ref"]) or {}
    return branch if isinstance(branch, dict) else {}
