"""The arguments of one call by two schemas of its tool: arguments must undo what a translator did to a schema.

A target may want every parameter required and nullable, listed numbers as texts, a plain object around a union, or
other names. So a model that was shown one schema says ``null`` where another model leaves a parameter out, and ``"2"``
for 2. Both say the same, each by its schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import JSONError, canonical, equal, parse
from toolcall_conformance.judge.translation.schemas.normal_schemas import SchemaNormalizer, TooLargeError
from toolcall_conformance.judge.translation.schemas.schema_lists import types_of
from toolcall_conformance.judge.translation.schemas.schema_pair import admits_null
from toolcall_conformance.judge.translation.tools.similar_names import letters_and_digits

_MAX_DEPTH: Final = 40
_UNION_KEYWORDS: Final = ("anyOf", "oneOf")


@dataclass(frozen=True)
class ArgumentConversion:
    """Conversion between the schema that the arguments' writer saw and the one that their reader has.

    The schemas may be any JSON.
    """

    writer_schema: Any
    reader_schema: Any

    def convert(self, value: Any, *, fill: bool = False) -> Any:
        """Return arguments that say by the reader's schema what ``value`` says by the writer's.

        ``fill``: parameters that only the reader's schema requires are added, as null or with their default, as a model
        would. Never raises: ``value`` itself is returned if nothing differs, or if the schemas are too deep or large.
        """
        if equal(self.writer_schema, self.reader_schema):
            return value
        try:
            before, after = (
                _ShownSchema(SchemaNormalizer(self.writer_schema), self.writer_schema),
                _ShownSchema(SchemaNormalizer(self.reader_schema), self.reader_schema),
            )
            converted = _Conversion(fill).convert_root(before, after, value)
        except (RecursionError, TooLargeError, ValueError):
            return value
        return value if equal(converted, value) else converted

    def without_fillers(self, value: Any) -> Any:
        """Return arguments without null or default values that only the writer's schema requires.

        By the reader's schema the parameter is optional, so leaving it out says the same.
        """
        try:
            before, after = (
                _ShownSchema(SchemaNormalizer(self.writer_schema), self.writer_schema),
                _ShownSchema(SchemaNormalizer(self.reader_schema), self.reader_schema),
            )
            return _without_fillers(before, after, value)
        except (RecursionError, TooLargeError, ValueError):
            return value


class _ShownSchema:
    """A schema as a model sees it: what it admits, and the members of its objects, whatever union they are in."""

    def __init__(self, normalizer: SchemaNormalizer, *schemas: Any, depth: int = 0) -> None:
        if depth > _MAX_DEPTH:
            raise ValueError("deeper than any arguments")
        self._normalizer = normalizer
        self._depth = depth
        self._schemas = [normalizer.normalize(schema) for schema in schemas]
        self._branches = [branch for schema in self._schemas for branch in self._all_branches(schema, depth)]

    def _all_branches(self, schema: dict[str, Any], depth: int) -> list[dict[str, Any]]:
        """Return a normalized schema and those of its unions and conjunctions."""
        if depth > _MAX_DEPTH:
            raise ValueError("deeper than any arguments")
        inner = [
            self._normalizer.normalize(entry) for key in (*_UNION_KEYWORDS, "allOf") for entry in schema.get(key, ())
        ]
        return [schema, *(branch for entry in inner for branch in self._all_branches(entry, depth + 1))]

    @cached_property
    def names(self) -> list[str]:
        """The names of all members."""
        return list(dict.fromkeys(name for branch in self._branches for name in branch.get("properties", {})))

    def member(self, member_name: str) -> _ShownSchema:
        """Return the schemas of a member; a member without any may be anything."""
        entries = [
            branch["properties"][member_name]
            for branch in self._branches
            if member_name in branch.get("properties", {})
        ]
        if not entries:
            others = (branch.get("additionalProperties") for branch in self._branches)
            entries = [other for other in others if isinstance(other, dict)]
        return _ShownSchema(self._normalizer, *(entries or [True]), depth=self._depth + 1)

    def entries(self) -> _ShownSchema:
        """Return the schemas of the entries of an array."""
        schemas = [branch["items"] for branch in self._branches if isinstance(branch.get("items"), dict)]
        return _ShownSchema(self._normalizer, *(schemas or [True]), depth=self._depth + 1)

    def requires(self, member_name: str) -> bool:
        """Whether every valid object has the member."""
        return any(self._requires(schema, member_name) for schema in self._schemas)

    def _requires(self, schema: dict[str, Any], member_name: str) -> bool:
        if member_name in schema.get("required", ()):
            return True
        inner = {
            key: [self._normalizer.normalize(entry) for entry in schema.get(key, ())]
            for key in (*_UNION_KEYWORDS, "allOf")
        }
        return any(self._requires(entry, member_name) for entry in inner["allOf"]) or any(
            inner[key] and all(self._requires(entry, member_name) for entry in inner[key]) for key in _UNION_KEYWORDS
        )

    @property
    def lists_null(self) -> bool:
        """Whether a schema names null among its values; a schema without any named values does not."""
        return any(admits_null(schema, self._normalizer) for schema in self._schemas)

    def default(self) -> Any:
        """Return the value that is used for an omitted one; MISSING if the schema names none."""
        return next((branch["default"] for branch in self._branches if "default" in branch), MISSING)

    def admits(self, value: Any) -> bool:
        """Whether a value fits one of the schemas, by its type and by the values that they list."""
        return any(self._admits(schema, value) for schema in self._schemas)

    def _admits(self, schema: dict[str, Any], value: Any) -> bool:
        if "type" in schema and not types_of(value) & set(schema["type"]):
            return False
        if "enum" in schema and not any(equal(value, listed) for listed in schema["enum"]):
            return False
        for key in _UNION_KEYWORDS:
            branches = [self._normalizer.normalize(entry) for entry in schema.get(key, ())]
            if branches and not any(self._admits(branch, value) for branch in branches):
                return False
        return all(self._admits(self._normalizer.normalize(entry), value) for entry in schema.get("allOf", ()))


@dataclass(frozen=True)
class _Conversion:
    """The walk through a value with both of its schemas."""

    fill: bool

    def convert_root(self, before: _ShownSchema, after: _ShownSchema, value: Any) -> Any:
        """Convert whole arguments, around which one of the schemas may have one more object."""
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((key, inner),) = value.items()
            if _wraps(before, after, key):
                return self.convert_value(before.member(key), after, inner)
        names = after.names
        if len(names) == 1 and names[0] not in value and _wraps(after, before, names[0]):
            return {names[0]: self.convert_value(before, after.member(names[0]), value)}
        return self.convert_value(before, after, value)

    def convert_value(self, before: _ShownSchema, after: _ShownSchema, value: Any) -> Any:
        """Convert a value inside arguments."""
        if isinstance(value, dict) and after.admits({}):
            return self._convert_object(before, after, value)
        if isinstance(value, list) and after.admits([]):
            return [self.convert_value(before.entries(), after.entries(), entry) for entry in value]
        return value if after.admits(value) or not before.admits(value) else _convert_notation(before, after, value)

    def _convert_object(self, before: _ShownSchema, after: _ShownSchema, value: dict[str, Any]) -> dict[str, Any]:
        """Convert the members of an object by name, without those that null leaves out."""
        names = _renamed_members(before.names, after.names)
        members: dict[str, Any] = {}
        for key, entry in value.items():
            name = names.get(key, key)
            left, right = before.member(key), after.member(name)
            if not (entry is None and _means_left_out(left, after, name, right)):
                members[name] = self.convert_value(left, right, entry)
        if self.fill:
            for name in after.names:
                if name not in members and after.requires(name) and not before.requires(name):
                    filler = None if after.member(name).admits(None) else _default_of_member(before, after, name)
                    members |= {} if filler is MISSING else {name: filler}
        return members


def _means_left_out(left: _ShownSchema, after: _ShownSchema, member_name: str, right: _ShownSchema) -> bool:
    """Whether null, which only one schema admits, means that the other leaves the member out."""
    return left.lists_null and not right.admits(None) and not after.requires(member_name)


def _default_of_member(before: _ShownSchema, after: _ShownSchema, member_name: str) -> Any:
    """Return a member's default by the reader's schema, else by the writer's, else MISSING."""
    default = after.member(member_name).default()
    return before.member(member_name).default() if default is MISSING and member_name in before.names else default


def _convert_notation(before: _ShownSchema, after: _ShownSchema, value: Any) -> Any:
    """Return the JSON value of a text, or the text of a value, where each schema takes only one of the two."""
    if value is None:
        return value
    try:
        other = parse(value) if isinstance(value, str) else canonical(value)
    except JSONError:
        return value
    return other if after.admits(other) and not before.admits(other) else value


def _wraps(outer: _ShownSchema, inner: _ShownSchema, key: str) -> bool:
    """Whether the only member of an object holds all that another schema has at its root."""
    inner_names = inner.names
    return (
        outer.names == [key]
        and key not in inner_names
        and bool(inner_names)
        and set(inner_names) <= set(outer.member(key).names)
    )


def _renamed_members(before: Sequence[str], after: Sequence[str]) -> Mapping[str, str]:
    """Return the other schema's names of members that differ in notation, but not in letters and digits."""
    left, right = _unmatched_names(before, after), _unmatched_names(after, before)
    return {name: right[spelling] for spelling, name in left.items() if spelling in right}


def _unmatched_names(names: Sequence[str], names_of_other: Sequence[str]) -> dict[str, str]:
    """Return the names that are not in ``names_of_other``, by their letters and digits, if no two have the same."""
    other_names = set(names_of_other)
    missing = [name for name in names if name not in other_names]
    counts = Counter(map(letters_and_digits, missing))
    return {letters_and_digits(name): name for name in missing if counts[letters_and_digits(name)] == 1}


def _without_fillers(before: _ShownSchema, after: _ShownSchema, value: Any) -> Any:
    """Return a value without members that are null or a default and that only the writer's schema requires."""
    if isinstance(value, list):
        return [_without_fillers(before.entries(), after.entries(), entry) for entry in value]
    if not isinstance(value, dict):
        return value
    members = {}
    names = _renamed_members(after.names, before.names)
    for key, entry in value.items():
        left, right = before.member(names.get(key, key)), after.member(key)
        is_optional_now = before.requires(names.get(key, key)) and key in after.names and not after.requires(key)
        fillers = [member.default() for member in (left, right)]
        if not (
            is_optional_now and right.admits(entry) and (entry is None or any(equal(entry, each) for each in fillers))
        ):
            members[key] = _without_fillers(left, right, entry)
    return members
