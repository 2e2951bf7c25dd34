"""The inside of a value: the members of an object, the entries of an array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.translation.schemas.normal_schemas import BRANCH_KEYWORDS, ILL_TYPED, is_open
from toolcall_conformance.judge.translation.schemas.schema_pair import (
    SchemaDifference,
    SchemaPair,
    admits_null,
    schema_text,
)

Step = SchemaDifference | SchemaPair


def compare_members(place: SchemaPair) -> Iterator[Step]:
    """Compare properties, which of them are required, and what else an object may hold."""
    want, got = place.left.get("properties", {}), place.right.get("properties", {})
    demanded = _required_names(place.right) - _required_names(place.left) if place.context.closing_allowed else set()
    broken = "properties" in place.right.get(ILL_TYPED, {})
    elsewhere = schema_text({key: place.right[key] for key in _branches_only_in(place.right, place.left)})
    lost = [] if broken else [name for name in want if name not in got and schema_text(name) not in elsewhere]
    if len(lost) == len(want) and (len(lost) > 1 or (lost and not got)):
        # All are gone: one cause, one finding.
        yield _lost_parameters(place, lost, place.source_place("properties"), got, of_all=True)
        lost = []
    for name, schema in want.items():
        if name in got:
            yield place.inner_pair("properties", name, left=schema, right=got[name], without_null=name in demanded)
        elif name in lost:
            yield _lost_parameters(place, [name], place.source_place("properties", name), got)
    if not _branches_only_in(place.left, place.right):
        for name in got:
            if name not in want:
                yield SchemaDifference(
                    "translation/schema-property-invented",
                    place.output_place("properties", name),
                    place.source_pointer,
                    want=MISSING,
                    got=name,
                )
    yield from _compare_required(place, set(want) - set(got), demanded)
    yield from _compare_additional(place)


def _lost_parameters(
    place: SchemaPair, names: list[str], source: str, got: dict[str, Any], *, of_all: bool = False
) -> SchemaDifference:
    """Return the difference for lost parameters: one of several, or all of the tool or of an object in its schema."""
    inside = " in it" if place.pointer else ""
    all_of_them = f"all {len(names)} parameters{inside} were lost" if len(names) > 1 else ""
    all_of_them = all_of_them or ("the only parameter in it was lost" if inside else "its only parameter was lost")
    return SchemaDifference(
        "translation/schema-property-lost",
        place.output_place("properties"),
        source,
        all_of_them if of_all else "",
        want=Words(", ".join(names)),
        got=sorted(got) or MISSING,
    )


def _branches_only_in(schema: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the unions and conjunctions that only one schema has: they may say what the other says plainly."""
    return [key for key in BRANCH_KEYWORDS if key in schema and key not in other]


def _required_names(schema: dict[str, Any]) -> set[str]:
    """Return the names of required members."""
    return set(schema.get("required", ()))


def _compare_required(place: SchemaPair, lost: set[str], demanded: set[str]) -> Iterator[SchemaDifference]:
    """Compare which members are required."""
    left, right = _required_names(place.left), _required_names(place.right)
    dropped = left - right - lost
    if dropped and "required" not in place.right.get(ILL_TYPED, {}) and not _branches_only_in(place.right, place.left):
        left_properties = place.left.get("properties", {})
        declared = any(name in left_properties for name in dropped)
        yield place.difference(
            "schema-required" if declared else "schema-required-undeclared",
            "required",
            "a required parameter became optional" if declared else "",
            want=sorted(left) or MISSING,
            got=sorted(right) or MISSING,
        )
    normalizer, properties = place.context.output_normalizer, place.right.get("properties", {})
    excused = {
        name
        for name in demanded
        if name in properties and admits_null(normalizer.normalize(properties[name]), normalizer)
    }
    if right - left - lost and right - left <= excused:
        place.accept("schema-closed-for-strict", "required")
    if right - left - excused and not _branches_only_in(place.left, place.right):
        yield place.difference(
            "schema-narrowed",
            "required",
            "an optional parameter became required",
            want=sorted(left) or MISSING,
            got=sorted(right) or MISSING,
        )


def _compare_additional(place: SchemaPair) -> Iterator[Step]:
    """Compare what an object may hold in addition to its properties."""
    key = "additionalProperties"
    left, right = place.left.get(key), place.right.get(key)
    if equal(left, right) and not isinstance(left, dict):
        return
    if isinstance(left, dict) and isinstance(right, dict):
        yield place.inner_pair(key, left=left, right=right)
        return
    bare = "properties" not in place.left and "properties" not in place.right
    closed = right is False
    if closed and place.context.closing_allowed and left is None and not (bare and place.pointer):
        place.accept("schema-closed-for-strict", key)
        return
    emptied = closed and bare and isinstance(left, dict)
    narrowed = "schema-narrowed" if emptied else "schema-rest-narrowed"
    yield place.difference(
        narrowed if closed or left is None else "schema-widened",
        key,
        "an object of any keys may no longer hold any"
        if closed and bare
        else ""
        if closed or left is None
        else "members that no property names are valid now",
        want=MISSING if left is None else left,
        # A normalized schema says nothing of an open object.
        got=place.context.output_normalizer.follow_references(place.after).get(key, MISSING)
        if right is None
        else right,
    )


def compare_entries(place: SchemaPair) -> Iterator[Step]:
    """Compare the entries of an array, all of them or by position."""
    yield from _compare_positions(place)
    want, got = place.left.get("items", True), place.right.get("items", True)
    if is_open(want):
        if not is_open(got) and "prefixItems" not in place.left:
            yield place.difference("schema-entries-narrowed", "items", want=MISSING, got=got)
        return
    if is_open(got):
        if not _branches_only_in(place.right, place.left) and "items" not in place.right.get(ILL_TYPED, {}):
            yield place.difference("schema-items", "items", want=want, got=MISSING)
        return
    yield place.inner_pair("items", left=want, right=got)


def _compare_positions(place: SchemaPair) -> Iterator[Step]:
    """Compare the entries of tuples."""
    want, got = place.left.get("prefixItems", []), place.right.get("prefixItems", [])
    if not want and not got:
        return
    if want and not got and "items" in place.right and "items" not in place.left:
        return  # one schema for all entries instead: the probes decide
    if len(want) > len(got):
        yield place.difference("schema-items", "prefixItems", want=want, got=got or MISSING)
    elif len(got) > len(want):
        yield place.difference("schema-entries-narrowed", "prefixItems", want=want or MISSING, got=got)
    for index, (left, right) in enumerate(zip(want, got, strict=False)):
        yield place.inner_pair(_tuple_keyword(place), index, left=left, right=right)


def _tuple_keyword(place: SchemaPair) -> str:
    """Return the keyword of a tuple in the output: ``items`` in older drafts, else ``prefixItems``."""
    return (
        "items"
        if place.output_place("items") != place.pointer and place.output_place("prefixItems") == place.pointer
        else "prefixItems"
    )
