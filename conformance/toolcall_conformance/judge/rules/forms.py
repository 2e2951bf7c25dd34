"""The form of a place: everything that a schema document demands there, as one JSON Schema without references.

A form may demand less than the document, never more. It leaves out what is deeper than the members of an object or the
entries of a list, and what depends on a condition that cannot be decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.rules.merging import STRICTER_BY_BOUND, SchemaForm, all_of, any_of, join_forms
from toolcall_conformance.judge.rules.shapes import Shapes

_COPIED_KEYWORDS: Final = frozenset({*STRICTER_BY_BOUND, "pattern", "contentMediaType"})
_MAX_DEPTH: Final = 2


class Forms:
    """Derives forms from a schema document; ``shapes`` is that document, compiled.

    ``pieces``: texts are pieces of longer ones, as in streams, so nothing is demanded of their content.
    """

    def __init__(self, document: Mapping[str, Any], shapes: Shapes, *, pieces: bool = False) -> None:
        self._document = document
        self._shapes = shapes
        self._kept = _COPIED_KEYWORDS - ({"contentMediaType"} if pieces else set())

    def of(self, schemas: Iterable[Any], instance: Any = MISSING, depth: int = _MAX_DEPTH) -> SchemaForm:
        """The form by schemas that all hold for a place; empty if they demand nothing.

        ``instance`` is the value there, MISSING if unknown. Its type, and the members of an object, decide which
        conditions hold.
        """
        all_schemas = list(schemas)
        form = all_of(self._schema_form(schema, instance, depth) for schema in all_schemas)
        if depth and "required" in form:
            properties = form.get("properties", {})
            for key in form["required"]:
                member = self.of(self.members(all_schemas, instance, key), depth=depth - 1)
                properties = {**properties, key: join_forms(properties.get(key, {}), member)}
            form["properties"] = {key: member for key, member in properties.items() if member}
        return {keyword: value for keyword, value in form.items() if value != {}}

    def members(self, schemas: Iterable[Any], instance: Any, key: str) -> Iterator[Any]:
        """The schemas that ``schemas`` have for a member of an object."""
        for schema in schemas:
            if isinstance(schema, dict):
                if key in schema.get("properties", {}):
                    yield schema["properties"][key]
                yield from self.members(self._joint_schemas(schema, instance), instance, key)

    def _joint_schemas(self, schema: Mapping[str, Any], instance: Any) -> Iterator[Any]:
        """The further schemas that hold for an instance if this one does."""
        if "$ref" in schema:
            yield self._resolve_reference(schema)
        yield from schema.get("allOf", ())
        if "if" in schema:
            yield from self._decided_branch(schema, instance)

    def _decided_branch(self, schema: Mapping[str, Any], instance: Any) -> Iterator[Any]:
        """The branch of a condition that holds for the instance, if that can be decided."""
        kind = _condition_type(schema["if"])
        if isinstance(instance, dict) or (kind and instance is not MISSING):
            yield schema.get("then" if self._shapes.test(schema["if"])(instance) else "else")
        elif kind == "null":
            yield schema.get("else")  # null is judged there, and mostly refused or as good as absent

    def _schema_form(self, schema: Any, instance: Any, depth: int) -> SchemaForm:
        if not isinstance(schema, dict):
            return {}
        form = self._own_form(schema, depth)
        if instance is MISSING and _condition_type(schema.get("if")) not in ("", "null"):
            form = join_forms(form, self._form_by_type(schema, depth))
        return all_of(
            [form, *(self._schema_form(other, instance, depth) for other in self._joint_schemas(schema, instance))]
        )

    def _own_form(self, schema: Mapping[str, Any], depth: int) -> SchemaForm:
        """The form by the keywords of a schema object itself."""
        form: SchemaForm = {keyword: value for keyword, value in schema.items() if keyword in self._kept}
        if "type" in schema:
            form["type"] = types_of(schema)
        if values := values_of(schema):
            form["enum"] = values
        if "required" in schema:
            form["required"] = list(schema["required"])
        form |= self._choice_form(schema, depth)
        if depth and "items" in schema:
            form["items"] = self.of([schema["items"]], depth=depth - 1)
        if isinstance(schema.get("not"), dict):
            form["not"] = self_contained(schema["not"])
        return form

    def _choice_form(self, schema: Mapping[str, Any], depth: int) -> SchemaForm:
        word = "oneOf" if "oneOf" in schema else "anyOf"
        branches = schema.get(word, ())
        if len(branches) > 1 and any("required" in branch for branch in branches):
            return {word: self_contained(branches)}
        return any_of([self.of([branch], depth=depth) for branch in branches]) if branches else {}

    def _form_by_type(self, schema: Mapping[str, Any], depth: int) -> SchemaForm:
        """The form by an ``if`` on the type, where the type is open: a choice between both branches."""
        if "else" not in schema:
            return {}
        kind, then, otherwise = types_of(schema["if"]), schema.get("then", True), schema["else"]
        alternatives = [] if self._forbids(then) else [join_forms({"type": kind}, self.of([then], depth=depth))]
        other = self.of([otherwise], depth=depth)
        if not self._forbids(otherwise) and other.get("type") != kind:
            alternatives.append(other)
        return any_of(alternatives) if alternatives else {}

    def _forbids(self, schema: Any) -> bool:
        while isinstance(schema, dict) and "$ref" in schema:
            schema = self._resolve_reference(schema)
        return schema is False or (isinstance(schema, dict) and schema.get("not") == {})

    def _resolve_reference(self, schema: Mapping[str, Any]) -> Any:
        return resolve(self._document, schema["$ref"].removeprefix("#"))


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The JSON types that a schema object names."""
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def values_of(schema: Mapping[str, Any]) -> list[Any]:
    """The values that a schema object lists; empty if it lists none."""
    if isinstance(schema.get("x-want"), list):
        return list(schema["x-want"])
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def self_contained(schema: Any) -> Any:
    """A keyword's value without our own ``x-`` keywords; empty if it refers to other parts of its document."""
    return {} if _has_references(schema) else _drop_own_keywords(schema)


def _has_references(schema: Any) -> bool:
    if isinstance(schema, dict):
        return "$ref" in schema or any(map(_has_references, schema.values()))
    return isinstance(schema, list) and any(map(_has_references, schema))


def _drop_own_keywords(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _drop_own_keywords(part) for key, part in schema.items() if not key.startswith("x-")}
    return [*map(_drop_own_keywords, schema)] if isinstance(schema, list) else schema


def _condition_type(condition: Any) -> str:
    """The type that a condition tests for; empty if it tests anything else."""
    is_one = isinstance(condition, dict) and condition.keys() == {"type"} and isinstance(condition["type"], str)
    return condition["type"] if is_one else ""
