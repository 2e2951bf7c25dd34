"""One schema under other keywords: what a provider must have said, what it cannot say, and what says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.reading.model import Tool
from toolcall_conformance.translation.schema_keywords import (
    BOUNDS,
    COMPOSED,
    adds_format,
    lists_as_texts,
    lists_the_same,
    says_implied_type,
)
from toolcall_conformance.translation.schema_pair import SchemaPair
from toolcall_conformance.translation.schemas import places_compared
from toolcall_conformance.translation.spelling import is_annotation
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance


def _where(bodies: Bodies, holds: Callable[[SchemaPair], bool]) -> Iterator[Occurrence]:
    """The places of all tools' schemas at which something holds."""
    for tool, twin in bodies.pair.twins:
        if tool.kind != "function" or twin.kind != "function":
            continue
        closing = bool(twin.strict)
        for place in places_compared(bodies.pair.corpus, tool.schema, twin.schema, closing_allowed=closing):
            if holds(place):
                yield Occurrence(_pointer(twin, place.pointer), _pointer(tool, place.source_pointer))


def _pointer(tool: Tool, inside: str) -> str:
    return tool.pointer if tool.schema_pointer is None else tool.schema_pointer + inside


def _written(place: SchemaPair) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both schemas as they were written; a schema that is no object has no keywords."""
    before, after = (value if isinstance(value, dict) else {} for value in (place.before, place.after))
    return before, after


@tolerance("schema-implied-type")
def schema_implied_type(bodies: Bodies) -> Iterator[Occurrence]:
    """The output says a type that the source only implies."""
    return _where(bodies, says_implied_type)


@tolerance("schema-enum-as-texts")
def schema_enum_as_texts(bodies: Bodies) -> Iterator[Occurrence]:
    """Listed values became texts."""
    return _where(bodies, lambda place: not lists_the_same(place) and lists_as_texts(place))


@tolerance("schema-closed-for-strict")
def schema_closed_for_strict(bodies: Bodies) -> Iterator[Occurrence]:
    """The output is strict: an object is closed, an optional parameter required, a default lost."""
    return _where(bodies, lambda place: place.context.closing_allowed and _is_closed(place.left, place.right))


def _is_closed(left: dict[str, Any], right: dict[str, Any]) -> bool:
    closed = right.get("additionalProperties") is False and "additionalProperties" not in left
    demanded = set(right.get("required", ())) - set(left.get("required", ()))
    return closed or bool(demanded) or ("default" in left and "default" not in right)


@tolerance("schema-draft-keywords")
def schema_draft_keywords(bodies: Bodies) -> Iterator[Occurrence]:
    """A constraint stands under the keyword of another draft."""
    return _where(bodies, _is_of_another_draft)


def _is_of_another_draft(place: SchemaPair) -> bool:
    before, after = _written(place)
    tuples = [isinstance(schema.get("items"), list) for schema in (before, after)]
    kinds = [[type(schema.get(key)) for key in ("exclusiveMinimum", "exclusiveMaximum")] for schema in (before, after)]
    return ("const" in before) != ("const" in after) or tuples[0] != tuples[1] or _bools(kinds[0]) != _bools(kinds[1])


def _bools(kinds: list[type]) -> list[str]:
    return ["none" if kind is type(None) else "flag" if kind is bool else "number" for kind in kinds]


@tolerance("schema-branches-rewritten")
def schema_branches_rewritten(bodies: Bodies) -> Iterator[Occurrence]:
    """A union, conjunction or condition is composed in another way."""
    return _where(bodies, _is_composed_otherwise)


def _is_composed_otherwise(place: SchemaPair) -> bool:
    before, after = _written(place)
    sizes = [{key: _size(schema[key]) for key in COMPOSED if key in schema} for schema in (before, after)]
    return sizes[0] != sizes[1]


def _size(branches: Any) -> int:
    return len(branches) if isinstance(branches, list) else 1


@tolerance("schema-annotations")
def schema_annotations(bodies: Bodies) -> Iterator[Occurrence]:
    """A keyword that constrains nothing stands on one side only, or with another value."""
    return _where(bodies, _is_annotated_otherwise)


def _is_annotated_otherwise(place: SchemaPair) -> bool:
    notes = [{key: value for key, value in schema.items() if is_annotation(key)} for schema in _written(place)]
    return not equal(notes[0], notes[1])


@tolerance("schema-bounds-beside-enum")
def schema_bounds_beside_enum(bodies: Bodies) -> Iterator[Occurrence]:
    """A bound beside listed values is lost, changed or new."""
    return _where(bodies, lambda place: lists_the_same(place) and any(_differs(place, key) for key in BOUNDS))


def _differs(place: SchemaPair, key: str) -> bool:
    return not equal(place.left.get(key), place.right.get(key))


@tolerance("schema-format-added")
def schema_format_added(bodies: Bodies) -> Iterator[Occurrence]:
    """Only the output says a format."""
    return _where(bodies, adds_format)


@tolerance("description-trimmed")
def description_trimmed(bodies: Bodies) -> Iterator[Occurrence]:
    """Two descriptions differ in the white space at their ends."""
    for tool, twin in bodies.pair.twins:
        if _is_trimmed(tool.description, twin.description):
            yield Occurrence(twin.description_pointer or twin.pointer, tool.description_pointer or tool.pointer)
    yield from _where(bodies, lambda place: _is_trimmed(*(entry.get("description") for entry in _written(place))))


def _is_trimmed(before: Any, after: Any) -> bool:
    texts = isinstance(before, str) and isinstance(after, str)
    return texts and before != after and before.strip() == after.strip()
