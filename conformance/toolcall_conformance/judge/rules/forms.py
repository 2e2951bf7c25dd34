"""The form of what may stand at a place: all that a schema document says of it, as one JSON Schema without references.

A form may say less than the document, never more: what the document takes fits it. Left out is what lies deeper than
the members of an object or the entries of a list, and what hangs on a condition that nobody can decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.rules.merging import BOUNDS, Said, all_of, any_of, both
from toolcall_conformance.judge.rules.shapes import Shapes

_AS_THEY_ARE: Final = frozenset({*BOUNDS, "pattern", "contentMediaType"})
_DEPTH: Final = 2


class Forms:
    """Says what a schema document says of places; ``shapes`` is that document, compiled.

    In ``pieces`` come the texts of streams: of a piece nobody can say what the whole text must hold.
    """

    def __init__(self, document: Mapping[str, Any], shapes: Shapes, *, pieces: bool = False) -> None:
        self._document = document
        self._shapes = shapes
        self._kept = _AS_THEY_ARE - ({"contentMediaType"} if pieces else set())

    def of(self, schemas: Iterable[Any], instance: Any = MISSING, depth: int = _DEPTH) -> Said:
        """What schemas that all hold for a place say together; empty where that is nothing.

        ``instance`` is what stands there, MISSING if nobody knows. Its type decides what holds, and of an object what
        its members are.
        """
        all_schemas = list(schemas)
        form = all_of(self._alone(schema, instance, depth) for schema in all_schemas)
        if depth and "required" in form:
            properties = form.get("properties", {})
            for key in form["required"]:
                member = self.of(self.members(all_schemas, instance, key), depth=depth - 1)
                properties = {**properties, key: both(properties.get(key, {}), member)}
            form["properties"] = {key: member for key, member in properties.items() if member}
        return {keyword: value for keyword, value in form.items() if value != {}}

    def members(self, schemas: Iterable[Any], instance: Any, key: str) -> Iterator[Any]:
        """The schemas that ``schemas`` have for a member of an object."""
        for schema in schemas:
            if isinstance(schema, dict):
                if key in schema.get("properties", {}):
                    yield schema["properties"][key]
                yield from self.members(self._beside(schema, instance), instance, key)

    def _beside(self, schema: Mapping[str, Any], instance: Any) -> Iterator[Any]:
        """The schemas that hold for an instance where this one does."""
        if "$ref" in schema:
            yield self._referred(schema)
        yield from schema.get("allOf", ())
        if "if" in schema:
            yield from self._decided(schema, instance)

    def _decided(self, schema: Mapping[str, Any], instance: Any) -> Iterator[Any]:
        """The branch of a condition that is sure to hold."""
        kind = _type_of(schema["if"])
        if isinstance(instance, dict) or (kind and instance is not MISSING):
            yield schema.get("then" if self._shapes.test(schema["if"])(instance) else "else")
        elif kind == "null":
            yield schema.get("else")  # null is judged there, and mostly refused or as good as absent

    def _alone(self, schema: Any, instance: Any, depth: int) -> Said:
        if not isinstance(schema, dict):
            return {}
        own = self._own(schema, depth)
        if instance is MISSING and _type_of(schema.get("if")) not in ("", "null"):
            own = both(own, self._by_type(schema, depth))
        return all_of([own, *(self._alone(other, instance, depth) for other in self._beside(schema, instance))])

    def _own(self, schema: Mapping[str, Any], depth: int) -> Said:
        """What a schema object says itself."""
        own: Said = {keyword: value for keyword, value in schema.items() if keyword in self._kept}
        if "type" in schema:
            own["type"] = types_of(schema)
        if values := values_of(schema):
            own["enum"] = values
        if "required" in schema:
            own["required"] = list(schema["required"])
        own |= self._choice(schema, depth)
        if depth and "items" in schema:
            own["items"] = self.of([schema["items"]], depth=depth - 1)
        if isinstance(schema.get("not"), dict):
            own["not"] = closed_of(schema["not"])
        return own

    def _choice(self, schema: Mapping[str, Any], depth: int) -> Said:
        word = "oneOf" if "oneOf" in schema else "anyOf"
        branches = schema.get(word, ())
        if len(branches) > 1 and any("required" in branch for branch in branches):
            return {word: closed_of(branches)}
        return any_of([self.of([branch], depth=depth) for branch in branches]) if branches else {}

    def _by_type(self, schema: Mapping[str, Any], depth: int) -> Said:
        """What a schema says of values of one type and of others, where it is open which will come."""
        if "else" not in schema:
            return {}
        kind, then, otherwise = types_of(schema["if"]), schema.get("then", True), schema["else"]
        alternatives = [] if self._forbids(then) else [both({"type": kind}, self.of([then], depth=depth))]
        other = self.of([otherwise], depth=depth)
        if not self._forbids(otherwise) and other.get("type") != kind:
            alternatives.append(other)
        return any_of(alternatives) if alternatives else {}

    def _forbids(self, schema: Any) -> bool:
        while isinstance(schema, dict) and "$ref" in schema:
            schema = self._referred(schema)
        return schema is False or (isinstance(schema, dict) and schema.get("not") == {})

    def _referred(self, schema: Mapping[str, Any]) -> Any:
        return resolve(self._document, schema["$ref"].removeprefix("#"))


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The JSON types that a schema object names."""
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def values_of(schema: Mapping[str, Any]) -> list[Any]:
    """The values that a schema object names, empty if they are not few."""
    if isinstance(schema.get("x-want"), list):
        return list(schema["x-want"])
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def closed_of(schema: Any) -> Any:
    """What a keyword says without our own keywords in it; empty if it refers to other parts of its document."""
    return {} if _refers(schema) else _plain(schema)


def _refers(schema: Any) -> bool:
    if isinstance(schema, dict):
        return "$ref" in schema or any(map(_refers, schema.values()))
    return isinstance(schema, list) and any(map(_refers, schema))


def _plain(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _plain(part) for key, part in schema.items() if not key.startswith("x-")}
    return [*map(_plain, schema)] if isinstance(schema, list) else schema


def _type_of(condition: Any) -> str:
    """The type of which a condition asks whether a value has it; empty if it asks for something else."""
    is_one = isinstance(condition, dict) and condition.keys() == {"type"} and isinstance(condition["type"], str)
    return condition["type"] if is_one else ""
