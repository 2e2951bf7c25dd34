"""How two schemas are written that are compared in one spelling: what each spelling is called by its equivalence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import canonical, equal, join
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.schema_keywords import COMPOSED
from toolcall_conformance.judge.translation.schemas.schema_pair import SchemaAcceptance, SchemaPair
from toolcall_conformance.judge.translation.schemas.spelling import is_annotation

Schema = Mapping[str, Any]


def compare_references(start: SchemaPair) -> None:
    """Record that one of two whole schemas refers to schemas in it, and the other to none: its definitions are gone."""
    before, after = _first_reference(start.before), _first_reference(start.after)
    if start.context.accepted is not None and (before is None) != (after is None):
        start.context.accepted.append(SchemaAcceptance("schema-ref-inlined", after or "", before or ""))


def compare_spelling(place: SchemaPair) -> None:
    """Record the spellings in which two schemas at one place differ, by their equivalences."""
    if bool(_refers(place.before)) != bool(_refers(place.after)):
        place.accept("schema-ref-inlined", only_translated=True)
    before, after = place.context.source.written(place.before), place.context.output.written(place.after)
    for name, spelling in _SPELLINGS.items():
        left, right = spelling(before), spelling(after)
        if left is not None and right is not None and not equal(left, right):
            place.accept(name)
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


def _refers(schema: Any) -> str:
    """The keyword by which a schema refers to another one; blank where it does not."""
    keys = ("$ref", "ref") if isinstance(schema, dict) else ()
    return next((key for key in keys if isinstance(schema.get(key), str)), "")


def _first_reference(whole: Any) -> str | None:
    """Where a schema, or one in it, refers to another one; None where none does."""
    return next((join(at, key) for at, schema in inner_schemas(whole) if (key := _refers(schema))), None)


def _has_capitals(schema: Schema) -> bool | None:
    """Whether a type is in upper case; None where the schema says no type."""
    names = schema.get("type")
    return any(str(name).isupper() for name in (names if isinstance(names, list) else [names])) if names else None


def _draft(schema: Schema) -> list[Any]:
    """The keywords that only some drafts of JSON Schema have, and in which form."""
    limits = [type(schema.get(key)) for key in ("exclusiveMinimum", "exclusiveMaximum")]
    forms = ["none" if kind is type(None) else "flag" if kind is bool else "number" for kind in limits]
    return ["const" in schema, isinstance(schema.get("items"), list), *forms]


def _composed(schema: Schema) -> dict[str, int]:
    return {key: len(schema[key]) if isinstance(schema[key], list) else 1 for key in COMPOSED if key in schema}


_SPELLINGS: Final[Mapping[str, Callable[[Schema], Any]]] = {
    "schema-type-case": _has_capitals,
    "schema-nullable": lambda schema: schema.get("nullable") is True,
    "schema-draft-keywords": _draft,
    "schema-branches-rewritten": _composed,
    "schema-annotations": lambda schema: {key: value for key, value in schema.items() if is_annotation(key)},
}
"""What a schema, as written, has of each spelling: a JSON value, or None for nothing that could be compared."""
