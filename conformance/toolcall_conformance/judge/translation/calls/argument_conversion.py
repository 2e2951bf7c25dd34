"""The arguments of one call by two schemas of its tool: what a translator did to a schema is undone in arguments.

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
from toolcall_conformance.judge.translation.schemas.schema_lists import types_of
from toolcall_conformance.judge.translation.schemas.schema_pair import admits_null
from toolcall_conformance.judge.translation.schemas.spelling import Speller, TooLargeError
from toolcall_conformance.judge.translation.tools.similar_names import letters

_DEEPEST: Final = 40
_CHOICES: Final = ("anyOf", "oneOf")


@dataclass(frozen=True)
class ArgumentConversion:
    """Between the schema by which arguments were ``written`` and the one by which they are ``read``; any JSON."""

    written: Any
    read: Any

    def convert(self, value: Any, *, fill: bool = False) -> Any:
        """Arguments that say by ``read`` what ``value`` says by ``written``; the value itself where nothing differs.

        ``fill``: parameters that only ``read`` requires are added, as null or with their default, as a model would.
        Never raises: schemas too deep or too large leave the value as it is.
        """
        if equal(self.written, self.read):
            return value
        try:
            before, after = _Shown(Speller(self.written), self.written), _Shown(Speller(self.read), self.read)
            converted = _Conversion(fill).root(before, after, value)
        except (RecursionError, TooLargeError, ValueError):
            return value
        return value if equal(converted, value) else converted

    def without_fillers(self, value: Any) -> Any:
        """Arguments without what says no more than leaving it out: null, or the default, where only ``written`` asks.

        So both are the same for a tool by whose schema (``read``) the parameter is optional.
        """
        try:
            before, after = _Shown(Speller(self.written), self.written), _Shown(Speller(self.read), self.read)
            return _without_fillers(before, after, value)
        except (RecursionError, TooLargeError, ValueError):
            return value


class _Shown:
    """A schema as a model is shown it: what it admits, and the members of its objects, whatever union they are in."""

    def __init__(self, speller: Speller, *schemas: Any, depth: int = 0) -> None:
        if depth > _DEEPEST:
            raise ValueError("deeper than any arguments")
        self._speller = speller
        self._depth = depth
        self._schemas = [speller.normal(schema) for schema in schemas]
        self._branches = [branch for schema in self._schemas for branch in self._all_branches(schema, depth)]

    def _all_branches(self, schema: dict[str, Any], depth: int) -> list[dict[str, Any]]:
        """A schema in one spelling, and those of its unions and conjunctions."""
        if depth > _DEEPEST:
            raise ValueError("deeper than any arguments")
        inner = [self._speller.normal(entry) for key in (*_CHOICES, "allOf") for entry in schema.get(key, ())]
        return [schema, *(branch for entry in inner for branch in self._all_branches(entry, depth + 1))]

    @cached_property
    def names(self) -> list[str]:
        """The names of all members."""
        return list(dict.fromkeys(name for branch in self._branches for name in branch.get("properties", {})))

    def member(self, name: str) -> _Shown:
        """The schemas of a member; one of which nothing is said may be anything."""
        entries = [branch["properties"][name] for branch in self._branches if name in branch.get("properties", {})]
        if not entries:
            others = (branch.get("additionalProperties") for branch in self._branches)
            entries = [other for other in others if isinstance(other, dict)]
        return _Shown(self._speller, *(entries or [True]), depth=self._depth + 1)

    def entries(self) -> _Shown:
        """The schemas of the entries of an array."""
        schemas = [branch["items"] for branch in self._branches if isinstance(branch.get("items"), dict)]
        return _Shown(self._speller, *(schemas or [True]), depth=self._depth + 1)

    def requires(self, name: str) -> bool:
        """Whether no object fits that lacks the member."""
        return any(self._requires(schema, name, self._depth) for schema in self._schemas)

    def _requires(self, schema: dict[str, Any], name: str, depth: int) -> bool:
        if name in schema.get("required", ()):
            return True
        inner = {key: [self._speller.normal(entry) for entry in schema.get(key, ())] for key in (*_CHOICES, "allOf")}
        return any(self._requires(entry, name, depth + 1) for entry in inner["allOf"]) or any(
            inner[key] and all(self._requires(entry, name, depth + 1) for entry in inner[key]) for key in _CHOICES
        )

    @property
    def names_null(self) -> bool:
        """Whether null is among the values that a schema names; one that says nothing of its values names none."""
        return any(admits_null(schema, self._speller) for schema in self._schemas)

    def default(self) -> Any:
        """The value that stands for one left out; MISSING if the schema names none."""
        return next((branch["default"] for branch in self._branches if "default" in branch), MISSING)

    def admits(self, value: Any) -> bool:
        """Whether a value fits one of the schemas, by its type and by the values that they list."""
        return any(self._admits(schema, value) for schema in self._schemas)

    def _admits(self, schema: dict[str, Any], value: Any) -> bool:
        if "type" in schema and not types_of(value) & set(schema["type"]):
            return False
        if "enum" in schema and not any(equal(value, listed) for listed in schema["enum"]):
            return False
        for key in _CHOICES:
            branches = [self._speller.normal(entry) for entry in schema.get(key, ())]
            if branches and not any(self._admits(branch, value) for branch in branches):
                return False
        return all(self._admits(self._speller.normal(entry), value) for entry in schema.get("allOf", ()))


@dataclass(frozen=True)
class _Conversion:
    """The walk through a value with both of its schemas."""

    fill: bool

    def root(self, before: _Shown, after: _Shown, value: Any) -> Any:
        """The same of whole arguments, around which there may be one object more."""
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((key, inner),) = value.items()
            if _wraps(before, after, key):
                return self.value(before.member(key), after, inner)
        names = after.names
        if len(names) == 1 and names[0] not in value and _wraps(after, before, names[0]):
            return {names[0]: self.value(before, after.member(names[0]), value)}
        return self.value(before, after, value)

    def value(self, before: _Shown, after: _Shown, value: Any) -> Any:
        """A value by the other schema."""
        if isinstance(value, dict) and after.admits({}):
            return self._object(before, after, value)
        if isinstance(value, list) and after.admits([]):
            return [self.value(before.entries(), after.entries(), entry) for entry in value]
        return value if after.admits(value) or not before.admits(value) else _other_notation(before, after, value)

    def _object(self, before: _Shown, after: _Shown, value: dict[str, Any]) -> dict[str, Any]:
        names = _other_names(before.names, after.names)
        members: dict[str, Any] = {}
        for key, entry in value.items():
            name = names.get(key, key)
            left, right = before.member(key), after.member(name)
            if not (entry is None and _is_left_out(left, after, name, right)):
                members[name] = self.value(left, right, entry)
        if self.fill:
            for name in after.names:
                if name not in members and after.requires(name) and not before.requires(name):
                    filler = None if after.member(name).admits(None) else _default(before, after, name)
                    members |= {} if filler is MISSING else {name: filler}
        return members


def _is_left_out(left: _Shown, after: _Shown, name: str, right: _Shown) -> bool:
    """Whether null, which only one schema admits, says that the other leaves the member out."""
    return left.names_null and not right.admits(None) and not after.requires(name)


def _default(before: _Shown, after: _Shown, name: str) -> Any:
    own = after.member(name).default()
    return before.member(name).default() if own is MISSING and name in before.names else own


def _other_notation(before: _Shown, after: _Shown, value: Any) -> Any:
    """What a text says as JSON, or the text of another value, where each schema takes only one of the two."""
    if value is None:
        return value
    try:
        other = parse(value) if isinstance(value, str) else canonical(value)
    except JSONError:
        return value
    return other if after.admits(other) and not before.admits(other) else value


def _wraps(outer: _Shown, inner: _Shown, key: str) -> bool:
    """Whether the one member of an object holds all that another schema has at its root."""
    inner_names = inner.names
    return (
        outer.names == [key]
        and key not in inner_names
        and bool(inner_names)
        and set(inner_names) <= set(outer.member(key).names)
    )


def _other_names(before: Sequence[str], after: Sequence[str]) -> Mapping[str, str]:
    """The names that members of one schema have in the other: spelt otherwise, with the same letters and digits."""
    left, right = _alone(before, after), _alone(after, before)
    return {name: right[spelling] for spelling, name in left.items() if spelling in right}


def _alone(names: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """The names that ``others`` lack, by their letters; none of which two have the same."""
    other_names = set(others)
    missing = [name for name in names if name not in other_names]
    counts = Counter(map(letters, missing))
    return {letters(name): name for name in missing if counts[letters(name)] == 1}


def _without_fillers(before: _Shown, after: _Shown, value: Any) -> Any:
    if isinstance(value, list):
        return [_without_fillers(before.entries(), after.entries(), entry) for entry in value]
    if not isinstance(value, dict):
        return value
    members = {}
    names = _other_names(after.names, before.names)
    for key, entry in value.items():
        left, right = before.member(names.get(key, key)), after.member(key)
        is_optional_now = before.requires(names.get(key, key)) and key in after.names and not after.requires(key)
        fillers = [member.default() for member in (left, right)]
        if not (
            is_optional_now and right.admits(entry) and (entry is None or any(equal(entry, each) for each in fillers))
        ):
            members[key] = _without_fillers(left, right, entry)
    return members
