"""One spelling for a tool schema: types as sorted lists, references followed, without keywords that say nothing.

One schema object at a time: the schemas inside stay as they were written, so that recursive ones have an end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from toolcall_conformance.basics.jsonvalue import JSONError, canonical, equal, exact_number, parse, resolve
from toolcall_conformance.judge.translation.schemas.folding import NOTES, folded

# A keyword with a value that JSON Schema does not allow is kept under this name, to be compared by equality only.
ILL_TYPED = "ill-typed"
DANGLING = "dangling"
EXTERNAL = "external"
COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
SCHEMAS = (
    *("items", "additionalProperties", "not", "if", "then", "else", "propertyNames", "contains"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SCHEMA_MAPS = ("properties", "patternProperties", "dependentSchemas")
BRANCHES: tuple[str, ...] = ("anyOf", "oneOf", "allOf")
STEPS = 100_000
#: The keywords whose value says something; every other one is an annotation.
TELLING = frozenset(
    {*COUNTS, *LIMITS, *SCHEMAS, *SCHEMA_LISTS, *SCHEMA_MAPS, *NOTES, "pattern", "format", "type", "required", "enum"}
    | {"uniqueItems", "dependentRequired", "const", "nullable", "$ref", "ref", "$defs", "definitions", "$id", "$anchor"}
)


class TooLargeError(Exception):
    """A schema takes more steps to compare than any real one."""


class Speller:
    """Brings the schemas of one document to one spelling; ``root`` is where its references start."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._steps = 0

    def normal(self, schema: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
        """A schema object in one spelling, whatever JSON it is; raises TooLargeError after very many."""
        self._steps += 1
        if self._steps > STEPS:
            raise TooLargeError
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        if not isinstance(schema, dict):
            return {ILL_TYPED: {"": schema}}
        for key in ("$ref", "ref"):
            reference = schema.get(key)
            if isinstance(reference, str):
                return self._followed(reference, {k: v for k, v in schema.items() if k not in ("$ref", "ref")}, path)
        return self._spelt(schema, path)

    def written(self, schema: Any) -> dict[str, Any]:
        """A schema object as it is written where its references lead; nothing for what is no object."""
        references: set[str] = set()
        while (
            isinstance(schema, dict)
            and isinstance(reference := schema.get("$ref"), str)
            and reference not in references
        ):
            references.add(reference)
            try:
                target = self._target(reference)
            except LookupError:
                break
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target, **beside} if isinstance(target, dict) else beside
        return schema if isinstance(schema, dict) else {}

    def _followed(self, reference: str, siblings: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        if reference in path:
            return {DANGLING: reference}
        try:
            target = self._target(reference)
        except LookupError:
            marker = DANGLING if reference.startswith("#") else EXTERNAL
            return {**self._spelt(siblings, path), marker: reference}
        inner = (*path, reference)
        if not isinstance(target, dict):
            return self.normal(target, inner)
        if all(key in NOTES or key not in target for key in siblings):
            return self.normal({**target, **siblings}, inner)
        return self.normal({"allOf": [target, siblings]}, inner)

    def _target(self, reference: str) -> Any:
        if reference == "#" or reference.startswith("#/"):
            try:
                return resolve(self.root, reference[1:])
            except LookupError:
                return resolve(self.root, unquote(reference[1:]))
        for key in ("$defs", "definitions"):
            entries = self.root.get(key) if isinstance(self.root, dict) else None
            for entry in entries.values() if isinstance(entries, dict) else ():
                if isinstance(entry, dict) and reference in (entry.get("$id"), f"#{entry.get('$anchor')}"):
                    return entry
        raise LookupError(reference)

    def _spelt(self, schema: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        normal_schema: dict[str, Any] = {}
        ill: dict[str, Any] = {}
        for key, value in schema.items():
            if value is None and key not in ("const", "default"):
                continue
            try:
                field_value = _value(key, value)
            except ValueError:
                ill[key] = value
                continue
            if field_value is not None:
                normal_schema[key] = field_value
        if isinstance(normal_schema.get("items"), list):
            normal_schema.setdefault("prefixItems", normal_schema.pop("items"))
        _say_null(normal_schema, schema.get("nullable") is True)
        _say_enum(normal_schema, schema)
        _say_limits(normal_schema)
        for key in [key for key, value in normal_schema.items() if _says_nothing(key, value)]:
            del normal_schema[key]
        branches = {
            key: [self.normal(entry, path) for entry in normal_schema[key]] for key in BRANCHES if key in normal_schema
        }
        normal_schema = folded(normal_schema, branches)
        _say_limits(normal_schema)
        if ill:
            normal_schema[ILL_TYPED] = ill
        return normal_schema


def _value(key: str, value: Any) -> Any:
    """A keyword's value in one spelling, None to leave it out; ValueError where JSON Schema does not allow it."""
    if key in ("$ref", "ref"):
        raise ValueError(key)
    if key in COUNTS or key in LIMITS:
        return _number(key, value)
    return _READERS[key](value) if key in _READERS else None


def _of(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise ValueError
    return value


def _list_of(value: Any, kinds: tuple[type, ...]) -> list[Any]:
    return [_of(entry, *kinds) for entry in _of(value, list)]


def _number(key: str, value: Any) -> Any:
    if key in COUNTS and isinstance(value, str) and len(value) < 20:
        value = _count(value)  # proto-JSON writes whole numbers of 64 bits as text, and may do so as 6E2
    if key.startswith("exclusive") and isinstance(value, bool):
        return value  # draft 4
    _of(value, int, float)
    if (isinstance(value, float) and not math.isfinite(value)) or (key == "multipleOf" and value <= 0):
        raise ValueError
    return value


def _count(text: str) -> Any:
    """The whole number that a text writes; other texts as they are."""
    if text.isascii() and text.lstrip("-").isdigit():
        return int(text)
    try:
        number = parse(text)
    except JSONError:
        return text
    return exact_number(number) if type(number) is float and number.is_integer() else text


def _types(value: Any) -> list[str] | None:
    names = [value] if isinstance(value, str) else _list_of(value, (str,))
    return sorted({name.lower() for name in names} - {"type_unspecified"}) or None


def _values(listed: list[Any]) -> list[Any]:
    """Values in one order, and each once: one that is listed twice may be had no more often."""
    each = {canonical(value): value for value in listed}
    return [each[name] for name in sorted(each)]


def _schema(value: Any) -> Any:
    return _of(value, dict, bool)


def _schemas(value: Any) -> Any:
    return _list_of(value, (dict, bool))


_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(SCHEMAS, _schema),
    "items": lambda value: _schemas(value) if isinstance(value, list) else _schema(value),
    **dict.fromkeys(SCHEMA_LISTS, _schemas),
    **dict.fromkeys(SCHEMA_MAPS, lambda value: _of(value, dict)),
    **dict.fromkeys(("description", "pattern", "format"), lambda value: _of(value, str)),
    "type": _types,
    "required": lambda value: sorted(set(_list_of(value, (str,)))),
    "enum": lambda value: _values(_of(value, list)),
    "uniqueItems": lambda value: _of(value, bool),
    "dependentRequired": lambda value: {
        name: sorted(_list_of(names, (str,))) for name, names in _of(value, dict).items()
    },
    "default": lambda value: value,
}


def _say_null(fields: dict[str, Any], nullable: bool) -> None:
    """``nullable`` beside a type, a union or an enum as what it means there."""
    if not nullable:
        return
    if "type" in fields:
        fields["type"] = sorted({*fields["type"], "null"})
    for key in ("anyOf", "oneOf"):
        if key in fields:
            fields[key] = [*fields[key], {"type": "null"}]
    if "enum" in fields and None not in fields["enum"]:
        fields["enum"] = sorted([*fields["enum"], None], key=canonical)


def _say_enum(fields: dict[str, Any], schema: dict[str, Any]) -> None:
    if "const" in schema:
        const = schema["const"]
        fields["enum"] = [const] if "enum" not in fields or any(equal(const, value) for value in fields["enum"]) else []
    others = [name for name in fields.get("type", ()) if name != "null"]
    if fields.get("enum") and others and others != fields["type"] and None not in fields["enum"]:
        fields["enum"] = sorted([*fields["enum"], None], key=canonical)
    if fields.get("type") == ["boolean"] and equal(fields.get("enum"), [False, True]):
        del fields["enum"]


def _say_limits(fields: dict[str, Any]) -> None:
    """Draft 4's exclusive bounds as numbers; exclusive or broken bounds of whole numbers as inclusive whole ones."""
    whole = set(fields.get("type") or ()) - {"null"} == {"integer"}
    for plain, strict, step in (("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1)):
        if fields.get(strict) is True and plain in fields:
            fields[strict] = fields.pop(plain)
        if isinstance(fields.get(strict), bool):
            del fields[strict]
        if not whole:
            continue
        if plain in fields:
            fields[plain] = math.ceil(fields[plain]) if step > 0 else math.floor(fields[plain])
        if strict in fields:
            limit = fields.pop(strict)
            limit = math.floor(limit) + 1 if step > 0 else math.ceil(limit) - 1
            fields[plain] = (max if step > 0 else min)(limit, fields.get(plain, limit))
    if whole and fields.get("multipleOf") == 1:
        del fields["multipleOf"]


def _says_nothing(key: str, value: Any) -> bool:
    if key in ("items", "additionalProperties"):
        return value is not False and is_open(value)
    if key in ("minItems", "minLength", "minProperties"):
        return bool(value <= 0)
    if key == "description":
        return not value.strip()
    if key == "uniqueItems":
        return value is False
    return (
        key in ("required", "properties", "patternProperties", "prefixItems", "anyOf", "oneOf", "allOf") and not value
    )


def may_be_text(schema: Any) -> bool:
    """Whether a text is of the type that a schema names, in either spelling; of one that names none it is."""
    if not isinstance(schema, dict):
        return schema is True
    try:
        types = _types(schema["type"]) if "type" in schema else None
    except ValueError:
        return False
    return types is None or "string" in types


def is_annotation(key: str) -> bool:
    """Whether a keyword constrains nothing and refers to nothing: ``title``, ``examples``, ``$comment`` …"""
    return key not in TELLING


def is_open(schema: Any) -> bool:
    """Whether a schema as it was written allows any value and says nothing about it."""
    return schema is True or (
        isinstance(schema, dict)
        and all(key in ("title", "$comment") or value in ("", None) for key, value in schema.items())
    )
