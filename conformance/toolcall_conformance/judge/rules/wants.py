"""Derives from a schema the value that should be at the place of an error."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.findings import MAX_CHOICES, MISSING, NOT_KNOWN, Form, Words, one_of
from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse, resolve
from toolcall_conformance.judge.rules.forms import Forms, types_of, values_of
from toolcall_conformance.judge.rules.merging import SchemaForm, join_forms, simplify, types_in
from toolcall_conformance.judge.rules.shapes import Shapes

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

# After these keywords of a schema's path the place in the body is further in; after others it is the same.
_INWARD_KEYWORDS = frozenset(
    {"properties", "patternProperties", "items", "additionalProperties", "contains", "propertyNames"}
)
_INDEXED_KEYWORDS = frozenset({"properties", "patternProperties", "allOf", "anyOf", "oneOf"})


class Wants:
    """Derives wants from a schema document; ``shapes`` is that document, compiled.

    ``pieces``: texts are pieces of longer ones, as in streams.
    """

    def __init__(self, document: Mapping[str, Any], shapes: Shapes, *, pieces: bool = False) -> None:
        self._document = document
        self._forms = Forms(document, shapes, pieces=pieces)
        self._pieces = pieces
        self._said: dict[Any, SchemaForm] = {}  # by kind of error: a careless translator makes thousands of one kind
        self._told: dict[Any, Any] = {}

    def want(self, error: ValidationError) -> Any:
        """The wanted value at the place of an error: a JSON value, OneOf, Form, MISSING or NOT_KNOWN.

        ``x-want`` in the schema object comes before the failed keyword itself: a list of values, empty for none, or
        words, or an object from keywords to such. For a missing key it is the value of that key, for several a Form
        that requires them.
        """
        schema = error.schema if isinstance(error.schema, dict) else {}
        declared_want = schema.get("x-want")
        declared_want = declared_want.get(str(error.validator)) if isinstance(declared_want, dict) else declared_want
        if declared_want is not None:
            return _declared_want(declared_want)
        if error.schema is False or must_be_absent(error):
            return MISSING
        is_piece = self._pieces and isinstance(error.instance, (dict, list))  # which piece of a text it is, is open
        intended_value = (
            _intended_value(error.instance, schema) if error.validator == "type" and not is_piece else NOT_KNOWN
        )
        want = self._want_by_form(error) if intended_value is NOT_KNOWN else intended_value
        if "propertyNames" in error.absolute_schema_path and isinstance(want, Form) and "enum" in want.schema:
            return Words(" or ".join(want.schema["enum"]))  # a key, and no value
        return want

    def _want_by_form(self, error: ValidationError) -> Any:
        kind = _error_kind(error)
        if kind is None:
            return _form_to_want(self.form(error))
        if kind not in self._told:
            self._told[kind] = _form_to_want(self.form(error))
        return self._told[kind]

    def form(self, error: ValidationError) -> SchemaForm:
        """The form of the place of an error, or of the keys that are missing there; empty if nothing is demanded."""
        kind = _error_kind(error)
        if kind is None:
            return self._derive_form(error)
        if kind not in self._said:
            self._said[kind] = self._derive_form(error)
        return self._said[kind]

    def _derive_form(self, error: ValidationError) -> SchemaForm:
        schema, keyword = error.schema, str(error.validator)
        if missing := missing_keys(error):
            return self._keys_form(error, missing)
        if isinstance(schema, dict) and (values := values_of(schema)):
            return {"enum": values}
        keyword_form = self._forms.of([{keyword: error.validator_value}])
        if isinstance(error.instance, dict) and keyword != "type":
            return keyword_form if asks_for_keys(error) else join_forms({"type": ["object"]}, keyword_form)
        whole = self._forms.of(self._place_schemas(error), MISSING if keyword == "type" else error.instance)
        return whole if keyword == "type" and types_in(whole) else join_forms(keyword_form, whole)

    def _keys_form(self, error: ValidationError, keys: Sequence[str]) -> SchemaForm:
        """The form of some keys of the object that an error is about."""
        forms = {
            key: self._forms.of(self._forms.members(self._place_schemas(error), error.instance, key)) for key in keys
        }
        if len(keys) == 1:
            return forms[keys[0]]
        members = {key: form for key, form in forms.items() if form}
        return {"required": list(keys), **({"properties": members} if members else {})}

    def _place_schemas(self, error: ValidationError) -> list[Any]:
        *path, _ = error.absolute_schema_path  # the last step is the failed keyword
        return [self._outermost_schema(path)]

    def _outermost_schema(self, path: Iterable[str | int]) -> Any:
        """The first schema on a schema's path that is about the same place of the body as its end."""
        return next(
            (schema for step, schema in reversed(self._schemas_on_path(path)) if step in _INWARD_KEYWORDS),
            self._document,
        )

    def _schemas_on_path(self, path: Iterable[str | int]) -> list[tuple[str | int, Any]]:
        """The schemas that a schema's path passes, each with the keyword that led to it."""
        passed: list[tuple[str | int, Any]] = [("", self._document)]
        steps = iter(path)
        for step in steps:
            way = (step, next(steps, "")) if step in _INDEXED_KEYWORDS else (step,)
            passed.append((step, _walk(self._follow_references(passed[-1][1], way), way)))
        return passed

    def _follow_references(self, schema: Any, path: Sequence[str | int]) -> Any:
        """The schema, or the one that it refers to if only that has the next step: paths leave references out."""
        while isinstance(schema, dict) and "$ref" in schema and _walk(schema, path) is None:
            schema = self._resolve_reference(schema)
        return schema

    def _resolve_reference(self, schema: Mapping[str, Any]) -> Any:
        return resolve(self._document, schema["$ref"].removeprefix("#"))


def _error_kind(error: ValidationError) -> Any:
    """A key that errors with the same form share; None if the form depends on more."""
    value: Any = error.instance
    if isinstance(value, dict) and str(error.validator) != "type":
        return None
    whole = isinstance(value, float) and value.is_integer()  # an integer to JSON Schema
    return str(error.validator), type(value), whole, id(error.schema), *error.absolute_schema_path


def missing_keys(error: ValidationError) -> list[str]:
    """The keys that a ``required``, or an ``anyOf`` of one branch, demands and the object does not have."""
    keyword_value: Any = error.validator_value
    instance: Any = error.instance
    if error.validator == "anyOf" and len(keyword_value) == 1 and asks_for_keys(error):
        keyword_value = keyword_value[0]["required"]
    elif error.validator != "required":
        return []
    return [key for key in keyword_value if key not in instance]


def must_be_absent(error: ValidationError) -> bool:
    """Whether nothing may be there: ``not`` of everything, and the type null of APIs that take it for absent."""
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


def _walk(value: Any, path: Iterable[str | int]) -> Any:
    """The value at the end of a path through a document; None if the path leads nowhere."""
    for step in path:
        has_step = isinstance(value, list) or (isinstance(value, dict) and step in value)
        value = value[step] if has_step else None
    return value


def _declared_want(declared_want: Any) -> Any:
    """The want by ``x-want``: words, or values."""
    return Words(declared_want) if isinstance(declared_want, str) else one_of(declared_want, MISSING)


def _form_to_want(form: SchemaForm) -> Any:
    """The want by a form: the value if only one is possible.

    Of several, each may be wrong together with the other members, so they stay a form.
    """
    if not form:
        return NOT_KNOWN
    if "enum" in form:
        return form["enum"][0] if len(form["enum"]) == 1 else Form({"enum": form["enum"][:MAX_CHOICES]})
    types = form.get("type", [])
    if {"boolean"} <= set(types) <= {"boolean", "null"}:
        return Form({"type": "boolean"})
    return Form(simplify(form))


def _intended_value(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value of the right type that a value of the wrong type is the notation of; NOT_KNOWN if it is none."""
    types = types_of(schema)
    if "enum" in schema or "const" in schema:
        return NOT_KNOWN
    if isinstance(value, str):
        return _parsed_value(value, types)
    is_text_of = schema.get("contentMediaType") == "application/json" and value is not None
    if "string" in types and (isinstance(value, (int, float)) or is_text_of):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return NOT_KNOWN


def _parsed_value(text: str, types: Sequence[str]) -> Any:
    try:
        value = parse(text)
    except JSONError:
        return NOT_KNOWN
    return value if Shapes({"type": types}).fits(value) and not equal(value, text) else NOT_KNOWN
