"""Collects all schema errors of a body, running jsonschema only on its invalid parts.

jsonschema takes some milliseconds for a valid body; ``Shapes`` finds twenty times faster that it is valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
import referencing
from jsonschema.exceptions import ValidationError

from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.rules.shapes import Shapes, compile_pattern

_Errors = Iterator[ValidationError]

_LEADING_KEYWORDS = frozenset({"$ref", "allOf", "if", "properties", "items"})
# jsonschema leaves them out of the paths of schemas.
_PATHLESS_KEYWORDS = frozenset({"$ref", "if"})


def validator(document: Mapping[str, Any], shapes: Shapes) -> Any:
    """A jsonschema validator for a schema document; ``shapes`` is that document, compiled. Never uses the network."""
    registry: referencing.Registry[Any] = referencing.Registry()  # without one, jsonschema would use the network
    extend: Any = jsonschema.validators.extend
    kind = extend(jsonschema.Draft202012Validator, _FailingParts(document, shapes).keywords())
    kind.descend = _descend
    return kind(document, registry=registry)


class _FailingParts:
    """The keywords that lead to parts of a value, each only to its invalid parts."""

    def __init__(self, document: Mapping[str, Any], shapes: Shapes) -> None:
        self._document = document
        self._shapes = shapes

    def keywords(self) -> dict[str, Any]:
        """The functions that yield a keyword's errors, as jsonschema calls them, by keyword."""
        return {
            "$ref": self._reference,
            "allOf": self._all_of,
            "if": self._if,
            "properties": self._properties,
            "items": self._items,
            "additionalProperties": _additional_properties,
            "pattern": _pattern,
        }

    def _reference(self, validator: Any, reference: str, instance: Any, _schema: Any) -> _Errors:
        if not self._shapes.fits(instance, reference):
            yield from validator.descend(instance, resolve(self._document, reference.removeprefix("#")))

    def _all_of(self, validator: Any, branches: list[Any], instance: Any, _schema: Any) -> _Errors:
        for index, branch in enumerate(branches):
            if not self._shapes.test(branch)(instance):
                yield from validator.descend(instance, branch, schema_path=index)

    def _if(self, validator: Any, condition: Any, instance: Any, schema: Any) -> _Errors:
        way = "then" if self._shapes.test(condition)(instance) else "else"
        if way in schema:
            yield from validator.descend(instance, schema[way], schema_path=way)

    def _properties(self, validator: Any, properties: Mapping[str, Any], instance: Any, _schema: Any) -> _Errors:
        if isinstance(instance, dict):
            for key, member in properties.items():
                if key in instance and not self._shapes.test(member)(instance[key]):
                    yield from validator.descend(instance[key], member, path=key, schema_path=key)

    def _items(self, validator: Any, subschema: Any, instance: Any, _schema: Any) -> _Errors:
        if isinstance(instance, list):
            fits = self._shapes.test(subschema)
            for index, entry in enumerate(instance):
                if not fits(entry):
                    yield from validator.descend(entry, subschema, path=index)


def _descend(
    self: Any, instance: Any, schema: Any, path: str | int | None = None, schema_path: str | int | None = None
) -> _Errors:
    """Replace jsonschema's ``descend`` for documents in which no part has an ``$id``, so that one validator does.

    jsonschema makes one for each part and value, which takes most of the time of a body with thousands of errors.
    """
    if isinstance(schema, bool):
        if not schema:
            yield _false_schema_error(instance)  # its paths lack this last step in jsonschema, too
        return
    for error in _keyword_errors(self, instance, schema):
        if path is not None:
            error.path.appendleft(path)
        if schema_path is not None:
            error.schema_path.appendleft(schema_path)
        yield error


def _keyword_errors(validator: Any, instance: Any, schema: Any) -> _Errors:
    for keyword, keyword_value in schema.items():
        tell = validator.VALIDATORS.get(keyword)
        for error in (tell(validator, keyword_value, instance, schema) or ()) if tell else ():
            if keyword not in _LEADING_KEYWORDS:  # errors from further in know what they are of
                details = {
                    "validator": keyword,
                    "validator_value": keyword_value,
                    "instance": instance,
                    "schema": schema,
                }
                error._set(type_checker=validator.TYPE_CHECKER, **details)  # noqa: SLF001 - as jsonschema does
            if keyword not in _PATHLESS_KEYWORDS:
                error.schema_path.appendleft(keyword)
            yield error


def _false_schema_error(instance: Any) -> ValidationError:
    message = f"False schema does not allow {instance!r}"
    nothing: Any = None
    return ValidationError(message, validator=nothing, validator_value=None, instance=instance, schema=False)


def _additional_properties(validator: Any, subschema: Any, instance: Any, schema: Any) -> _Errors:
    """The keyword ``additionalProperties``, with errors in the body's order; jsonschema's order is that of a set."""
    errors = list(
        jsonschema.Draft202012Validator.VALIDATORS["additionalProperties"](validator, subschema, instance, schema)
    )
    if len(errors) > 1:
        places = {key: place for place, key in enumerate(instance)}
        errors.sort(key=lambda error: places[error.relative_path[0]])
    yield from errors


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> _Errors:
    """The keyword ``pattern``: jsonschema's own accepts a line break after the end."""
    del schema
    if validator.is_type(instance, "string") and not compile_pattern(pattern).search(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
