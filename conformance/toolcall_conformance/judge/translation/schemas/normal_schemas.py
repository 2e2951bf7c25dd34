"""Normal form of a tool schema: types as sorted lists, references followed, no keywords without meaning.

One schema object at a time: the schemas inside stay as they were written, so that recursive ones have an end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from toolcall_conformance.basics.jsonvalue import JSONError, canonical, equal, exact_number, parse, resolve
from toolcall_conformance.judge.translation.schemas.schema_folding import NOTE_KEYWORDS, fold_schema

# A keyword with a value that JSON Schema does not allow is kept under this name, to be compared by equality only.
ILL_TYPED = "ill-typed"
DANGLING = "dangling"
EXTERNAL = "external"
COUNT_KEYWORDS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
LIMIT_KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
SCHEMA_KEYWORDS = (
    *("items", "additionalProperties", "not", "if", "then", "else", "propertyNames", "contains"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
SCHEMA_LIST_KEYWORDS = ("anyOf", "oneOf", "allOf", "prefixItems")
SCHEMA_MAP_KEYWORDS = ("properties", "patternProperties", "dependentSchemas")
BRANCH_KEYWORDS: tuple[str, ...] = ("anyOf", "oneOf", "allOf")
MAX_STEPS = 100_000
#: The keywords that have a meaning; every other one is an annotation.
MEANINGFUL_KEYWORDS = frozenset(
    {
        *COUNT_KEYWORDS,
        *LIMIT_KEYWORDS,
        *SCHEMA_KEYWORDS,
        *SCHEMA_LIST_KEYWORDS,
        *SCHEMA_MAP_KEYWORDS,
        *NOTE_KEYWORDS,
        "pattern",
        "format",
        "type",
        "required",
        "enum",
    }
    | {"uniqueItems", "dependentRequired", "const", "nullable", "$ref", "ref", "$defs", "definitions", "$id", "$anchor"}
)


class TooLargeError(Exception):
    """A schema takes more steps to compare than any real one."""


class SchemaNormalizer:
    """Normalizes the schemas of one document; ``root`` is where its references start."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._steps = 0

    def normalize(self, schema: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return a schema object in its normal form, whatever JSON it is; TooLargeError after very many."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooLargeError
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        if not isinstance(schema, dict):
            return {ILL_TYPED: {"": schema}}
        for key in ("$ref", "ref"):
            reference = schema.get(key)
            if isinstance(reference, str):
                return self._normalize_reference(
                    reference, {k: v for k, v in schema.items() if k not in ("$ref", "ref")}, path
                )
        return self._normalize_object(schema, path)

    def follow_references(self, schema: Any) -> dict[str, Any]:
        """Return a schema object as written where its references lead; an empty one for anything else."""
        references: set[str] = set()
        while (
            isinstance(schema, dict)
            and isinstance(reference := schema.get("$ref"), str)
            and reference not in references
        ):
            references.add(reference)
            try:
                target = self._find_target(reference)
            except LookupError:
                break
            siblings = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target, **siblings} if isinstance(target, dict) else siblings
        return schema if isinstance(schema, dict) else {}

    def _normalize_reference(self, reference: str, siblings: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        """Return the normal form of what a reference leads to, joined with the keywords next to the reference."""
        if reference in path:
            return {DANGLING: reference}
        try:
            target = self._find_target(reference)
        except LookupError:
            marker = DANGLING if reference.startswith("#") else EXTERNAL
            return {**self._normalize_object(siblings, path), marker: reference}
        inner = (*path, reference)
        if not isinstance(target, dict):
            return self.normalize(target, inner)
        if all(key in NOTE_KEYWORDS or key not in target for key in siblings):
            return self.normalize({**target, **siblings}, inner)
        return self.normalize({"allOf": [target, siblings]}, inner)

    def _find_target(self, reference: str) -> Any:
        """Return what a reference leads to. LookupError if it leads nowhere, or outside."""
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

    def _normalize_object(self, schema: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        """Return the normal form of a schema without a reference."""
        normal_schema: dict[str, Any] = {}
        ill: dict[str, Any] = {}
        for key, value in schema.items():
            if value is None and key not in ("const", "default"):
                continue
            try:
                field_value = _normalize_keyword(key, value)
            except ValueError:
                ill[key] = value
                continue
            if field_value is not None:
                normal_schema[key] = field_value
        if isinstance(normal_schema.get("items"), list):
            normal_schema.setdefault("prefixItems", normal_schema.pop("items"))
        _apply_nullable(normal_schema, schema.get("nullable") is True)
        _apply_const(normal_schema, schema)
        _normalize_limits(normal_schema)
        for key in [key for key, value in normal_schema.items() if _has_no_meaning(key, value)]:
            del normal_schema[key]
        branches = {
            key: [self.normalize(entry, path) for entry in normal_schema[key]]
            for key in BRANCH_KEYWORDS
            if key in normal_schema
        }
        normal_schema = fold_schema(normal_schema, branches)
        _normalize_limits(normal_schema)
        if ill:
            normal_schema[ILL_TYPED] = ill
        return normal_schema


def _normalize_keyword(key: str, value: Any) -> Any:
    """Return a keyword's normalized value, None to leave it out; ValueError if JSON Schema does not allow it."""
    if key in ("$ref", "ref"):
        raise ValueError(key)
    if key in COUNT_KEYWORDS or key in LIMIT_KEYWORDS:
        return _check_number(key, value)
    return _NORMALIZERS[key](value) if key in _NORMALIZERS else None


def _check_type(value: Any, *kinds: type) -> Any:
    """Return the value if it is of one of the types; else ValueError."""
    if type(value) not in kinds:
        raise ValueError
    return value


def _check_list(value: Any, kinds: tuple[type, ...]) -> list[Any]:
    """Return the value if it is a list of entries of these types; else ValueError."""
    return [_check_type(entry, *kinds) for entry in _check_type(value, list)]


def _check_number(key: str, value: Any) -> Any:
    """Return the normal form of a number; ValueError for one that the keyword does not allow."""
    if key in COUNT_KEYWORDS and isinstance(value, str) and len(value) < 20:
        value = _parse_count(value)  # proto-JSON writes whole numbers of 64 bits as text, and may do so as 6E2
    if key.startswith("exclusive") and isinstance(value, bool):
        return value  # draft 4
    _check_type(value, int, float)
    if (isinstance(value, float) and not math.isfinite(value)) or (key == "multipleOf" and value <= 0):
        raise ValueError
    return value


def _parse_count(text: str) -> Any:
    """Return the whole number that a text writes; any other text unchanged."""
    if text.isascii() and text.lstrip("-").isdigit():
        return int(text)
    try:
        number = parse(text)
    except JSONError:
        return text
    return exact_number(number) if type(number) is float and number.is_integer() else text


def _normalize_types(value: Any) -> list[str] | None:
    """Return the names of types, sorted and in lower case; None for none."""
    names = [value] if isinstance(value, str) else _check_list(value, (str,))
    return sorted({name.lower() for name in names} - {"type_unspecified"}) or None


def _normalize_enum(listed: list[Any]) -> list[Any]:
    """Return values sorted and without repetitions, which say nothing."""
    each = {canonical(value): value for value in listed}
    return [each[name] for name in sorted(each)]


def _check_schema(value: Any) -> Any:
    return _check_type(value, dict, bool)


def _check_schemas(value: Any) -> Any:
    return _check_list(value, (dict, bool))


_NORMALIZERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(SCHEMA_KEYWORDS, _check_schema),
    "items": lambda value: _check_schemas(value) if isinstance(value, list) else _check_schema(value),
    **dict.fromkeys(SCHEMA_LIST_KEYWORDS, _check_schemas),
    **dict.fromkeys(SCHEMA_MAP_KEYWORDS, lambda value: _check_type(value, dict)),
    **dict.fromkeys(("description", "pattern", "format"), lambda value: _check_type(value, str)),
    "type": _normalize_types,
    "required": lambda value: sorted(set(_check_list(value, (str,)))),
    "enum": lambda value: _normalize_enum(_check_type(value, list)),
    "uniqueItems": lambda value: _check_type(value, bool),
    "dependentRequired": lambda value: {
        name: sorted(_check_list(names, (str,))) for name, names in _check_type(value, dict).items()
    },
    "default": lambda value: value,
}


def _apply_nullable(fields: dict[str, Any], nullable: bool) -> None:
    """Replace ``nullable`` by null in the type, the union or the enum that it goes with."""
    if not nullable:
        return
    if "type" in fields:
        fields["type"] = sorted({*fields["type"], "null"})
    for key in ("anyOf", "oneOf"):
        if key in fields:
            fields[key] = [*fields[key], {"type": "null"}]
    if "enum" in fields and None not in fields["enum"]:
        fields["enum"] = sorted([*fields["enum"], None], key=canonical)


def _apply_const(fields: dict[str, Any], schema: dict[str, Any]) -> None:
    """Replace ``const`` by an enum, add null to an enum of a nullable type, and drop an enum of both booleans."""
    if "const" in schema:
        const = schema["const"]
        fields["enum"] = [const] if "enum" not in fields or any(equal(const, value) for value in fields["enum"]) else []
    others = [name for name in fields.get("type", ()) if name != "null"]
    if fields.get("enum") and others and others != fields["type"] and None not in fields["enum"]:
        fields["enum"] = sorted([*fields["enum"], None], key=canonical)
    if fields.get("type") == ["boolean"] and equal(fields.get("enum"), [False, True]):
        del fields["enum"]


def _normalize_limits(fields: dict[str, Any]) -> None:
    """Make draft 4's exclusive bounds numbers, and bounds of whole numbers inclusive and whole."""
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


def _has_no_meaning(key: str, value: Any) -> bool:
    """Whether a keyword with this value constrains nothing."""
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
    """Whether a schema, as written, allows a text by its type."""
    if not isinstance(schema, dict):
        return schema is True
    try:
        types = _normalize_types(schema["type"]) if "type" in schema else None
    except ValueError:
        return False
    return types is None or "string" in types


def is_annotation(key: str) -> bool:
    """Whether a keyword constrains nothing and refers to nothing: ``title``, ``examples``, ``$comment`` …"""
    return key not in MEANINGFUL_KEYWORDS


def is_open(schema: Any) -> bool:
    """Whether a schema, as written, allows any value and says nothing about it."""
    return schema is True or (
        isinstance(schema, dict)
        and all(key in ("title", "$comment") or value in ("", None) for key, value in schema.items())
    )
