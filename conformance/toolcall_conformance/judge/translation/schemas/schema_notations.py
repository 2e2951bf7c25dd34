"""Differences of notation between two schemas that are equal once normalized, by their equivalences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import canonical, equal, join
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.normal_schemas import is_annotation
from toolcall_conformance.judge.translation.schemas.schema_keywords import COMPOSING_KEYWORDS
from toolcall_conformance.judge.translation.schemas.schema_pair import SchemaAcceptance, SchemaPair

Schema = Mapping[str, Any]


def record_references(start: SchemaPair) -> None:
    """Record that one of two whole schemas has references inside and the other none."""
    before, after = _first_reference(start.before), _first_reference(start.after)
    if start.context.accepted is not None and (before is None) != (after is None):
        start.context.accepted.append(SchemaAcceptance("schema-ref-inlined", after or "", before or ""))


def record_notations(place: SchemaPair) -> None:
    """Record the differences of notation between two schemas at one place."""
    if bool(_reference_keyword(place.before)) != bool(_reference_keyword(place.after)):
        place.accept("schema-ref-inlined", only_translated=True)
    before, after = (
        place.context.source_normalizer.follow_references(place.before),
        place.context.output_normalizer.follow_references(place.after),
    )
    for equivalence, read_notation in _NOTATIONS.items():
        left, right = read_notation(before), read_notation(after)
        if left is not None and right is not None and not equal(left, right):
            place.accept(equivalence)
    for key in ("required", "properties"):
        if (before.get(key) in ([], {})) != (after.get(key) in ([], {})):
            place.accept("schema-empty-keywords", key)
    if ("definitions" in before) != ("definitions" in after):
        place.accept("schema-draft-keywords", "definitions", only_translated=True)
    for key in ("required", "enum"):
        lists = before.get(key), after.get(key)
        sorts = [sorted(map(canonical, each)) for each in lists if isinstance(each, list)]
        if len(sorts) == 2 and sorts[0] == sorts[1] and not equal(*lists):
            place.accept("schema-lists-in-any-order", key, only_translated=True)


def _reference_keyword(schema: Any) -> str:
    """Return the keyword by which a schema refers to another one; blank if it does not."""
    keys = ("$ref", "ref") if isinstance(schema, dict) else ()
    return next((key for key in keys if isinstance(schema.get(key), str)), "")


def _first_reference(document: Any) -> str | None:
    """Return where a schema, or one in it, first refers to another one; None if none does."""
    return next((join(at, key) for at, schema in inner_schemas(document) if (key := _reference_keyword(schema))), None)


def _has_upper_case_type(schema: Schema) -> bool | None:
    """Whether a type is in upper case; None if the schema names no type."""
    names = schema.get("type")
    return any(str(name).isupper() for name in (names if isinstance(names, list) else [names])) if names else None


def _draft_keywords(schema: Schema) -> list[Any]:
    """Return the keywords that only some drafts of JSON Schema have, and their form."""
    limits = [type(schema.get(key)) for key in ("exclusiveMinimum", "exclusiveMaximum")]
    forms = ["none" if kind is type(None) else "flag" if kind is bool else "number" for kind in limits]
    return ["const" in schema, isinstance(schema.get("items"), list), *forms]


def _branch_counts(schema: Schema) -> dict[str, int]:
    """Return how many branches each composing keyword has."""
    return {
        key: len(schema[key]) if isinstance(schema[key], list) else 1 for key in COMPOSING_KEYWORDS if key in schema
    }


_NOTATIONS: Final[Mapping[str, Callable[[Schema], Any]]] = {
    "schema-type-case": _has_upper_case_type,
    "schema-nullable": lambda schema: schema.get("nullable") is True,
    "schema-draft-keywords": _draft_keywords,
    "schema-branches-rewritten": _branch_counts,
    "schema-annotations": lambda schema: {key: value for key, value in schema.items() if is_annotation(key)},
}
"""For each equivalence, how a schema as written uses its notation: a JSON value; None if not comparable."""
