"""What should stand where a body breaks a schema, as far as the schema says it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema.exceptions import ValidationError

from toolcall_conformance.findings import MISSING, NOT_KNOWN, one_of
from toolcall_conformance.jsonvalue import JSONError, equal, parse, resolve
from toolcall_conformance.rules.shapes import Shapes

# Behind these keywords of a schema's path stands a place of the body further in; behind others, the same place.
_INWARD = frozenset({"properties", "patternProperties", "items", "additionalProperties", "contains", "propertyNames"})
_NAMED = frozenset({"properties", "patternProperties", "allOf", "anyOf", "oneOf"})


class Wants:
    """Says what a schema document wants where a value does not fit it; ``shapes`` is that document, compiled."""

    def __init__(self, document: Mapping[str, Any], shapes: Shapes) -> None:
        self._document = document
        self._shapes = shapes

    def wanted(self, error: ValidationError) -> Any:
        """What should stand at the place of an error: a JSON value, OneOf, MISSING or NOT_KNOWN.

        ``x-want`` beside the failed keyword goes before what the keyword says: a list of values, empty for none, or
        an object from keywords to such lists.
        Of a missing key it is the value of that key.
        """
        schema = error.schema if isinstance(error.schema, dict) else {}
        told = schema.get("x-want")
        told = told.get(str(error.validator)) if isinstance(told, dict) else told
        if told is not None:
            return one_of(told, MISSING)
        if error.validator == "required":
            missing = missing_keys(error)
            return one_of(self.values(error, missing[0])) if len(missing) == 1 else NOT_KNOWN
        if error.schema is False or must_be_absent(error):
            return MISSING
        meant = _meant(error.instance, schema) if error.validator == "type" else NOT_KNOWN
        return one_of(_values(schema)) if meant is NOT_KNOWN else meant

    def values(self, error: ValidationError, key: str) -> list[Any]:
        """The values that a missing key may have, empty if they are not few."""
        found = [values for schema in self._of_key(error, key) if (values := self._deep_values(schema))]
        return min(found, key=len, default=[])

    def types(self, error: ValidationError, key: str) -> list[str]:
        """The JSON types that a missing key may have, empty if the schema does not say."""
        found = [types for schema in self._of_key(error, key) if (types := self._deep_types(schema))]
        return min(found, key=len, default=[])

    def types_here(self, error: ValidationError) -> list[str]:
        """The JSON types that may stand where a value has the wrong one; one that an ``if`` has sent elsewhere too."""
        own = types_of(error.schema) if isinstance(error.schema, dict) else []
        *way, branch, _ = ["", "", *error.absolute_schema_path]
        condition = _down(self._at(way[2:]), ("if",)) if branch == "else" else None
        elsewhere = types_of(condition) if isinstance(condition, dict) else []
        return [*(kind for kind in elsewhere if kind != "null"), *own]  # null is judged there, and mostly refused

    def _of_key(self, error: ValidationError, key: str) -> Iterator[Any]:
        """What the document says of a key of the object that an error is about."""
        return self._said(self._outermost(error.absolute_schema_path), error.instance, key)

    def _outermost(self, path: Iterable[str | int]) -> Any:
        """The first schema on a schema's path that is about the same place of the body as its end."""
        return next((schema for step, schema in reversed(self._passed(path)) if step in _INWARD), self._document)

    def _at(self, path: Iterable[str | int]) -> Any:
        """The schema at the end of a schema's path."""
        return self._passed(path)[-1][1]

    def _passed(self, path: Iterable[str | int]) -> list[tuple[str | int, Any]]:
        """The schemas that a schema's path passes, each with the keyword that led to it."""
        passed: list[tuple[str | int, Any]] = [("", self._document)]
        steps = iter(path)
        for step in steps:
            way = (step, next(steps, "")) if step in _NAMED else (step,)
            passed.append((step, _down(self._with(passed[-1][1], way), way)))
        return passed

    def _with(self, schema: Any, way: Sequence[str | int]) -> Any:
        """The schema itself, or the one that it refers to if that leads on: paths leave references out."""
        while isinstance(schema, dict) and "$ref" in schema and _down(schema, way) is None:
            schema = self._referred(schema)
        return schema

    def _referred(self, schema: Mapping[str, Any]) -> Any:
        return resolve(self._document, schema["$ref"].removeprefix("#"))

    def _said(self, schema: Any, instance: Any, key: str) -> Iterator[Any]:
        if not isinstance(schema, dict):
            return
        if key in schema.get("properties", {}):
            yield schema["properties"][key]
        for one in self._beside(schema, instance):
            yield from self._said(one, instance, key)

    def _beside(self, schema: Mapping[str, Any], instance: Any) -> Iterator[Any]:
        """The schemas that hold for an instance where this one does."""
        if "$ref" in schema:
            yield self._referred(schema)
        yield from schema.get("allOf", ())
        if "if" in schema:
            yield schema.get("then" if self._shapes.compile(schema["if"])(instance) else "else")

    def _deep_values(self, schema: Any) -> list[Any]:
        if not isinstance(schema, dict):
            return []
        if values := _values(schema):
            return values
        return next((found for one in self._beside(schema, MISSING) if (found := self._deep_values(one))), [])

    def _deep_types(self, schema: Any) -> list[str]:
        if not isinstance(schema, dict):
            return []
        if types := types_of(schema):
            return types
        return next((found for one in self._beside(schema, MISSING) if (found := self._deep_types(one))), [])


def missing_keys(error: ValidationError) -> list[str]:
    """The keys that a ``required`` asks for and the object does not have."""
    wanted: Any = error.validator_value
    instance: Any = error.instance
    return [key for key in wanted if key not in instance]


def must_be_absent(error: ValidationError) -> bool:
    """Whether nothing may stand there: ``not`` of everything, and the type null of APIs that take it for absent."""
    return (error.validator == "not" and error.validator_value in ({}, True)) or (
        error.validator == "type" and error.validator_value == "null"
    )


def asks_for_keys(error: ValidationError) -> bool:
    """Whether the error says that a key is missing."""
    if error.validator == "anyOf":
        branches: Any = error.validator_value
        instance: Any = error.instance
        return all("required" in branch and not set(branch["required"]) & set(instance) for branch in branches)
    return error.validator == "required"


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The JSON types that a schema allows, empty if it does not say."""
    said = schema.get("type", [])
    return [said] if isinstance(said, str) else list(said)


def _down(value: Any, way: Iterable[str | int]) -> Any:
    """What stands at the end of a way through a document; None where it leads nowhere."""
    for step in way:
        known = isinstance(value, list) or (isinstance(value, dict) and step in value)
        value = value[step] if known else None
    return value


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """The values that a schema object names, empty if they are not few."""
    if isinstance(schema.get("x-want"), list):
        return list(schema["x-want"])
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    return [True, False] if {"boolean"} <= set(types_of(schema)) <= {"boolean", "null"} else []


def _meant(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value of the right type that one of the wrong type spells, if it spells one."""
    types = types_of(schema)
    if "enum" in schema or "const" in schema:
        return NOT_KNOWN
    if isinstance(value, str):
        return _spelled(value, types)
    if "string" in types and (isinstance(value, (int, float)) or schema.get("contentMediaType") == "application/json"):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return NOT_KNOWN


def _spelled(text: str, types: Sequence[str]) -> Any:
    try:
        value = parse(text)
    except JSONError:
        return NOT_KNOWN
    return value if Shapes({"type": types}).fits(value) and not equal(value, text) else NOT_KNOWN
