"""Whether two response formats request the same form of an answer."""

from __future__ import annotations

from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.schemas import SchemaDifference, compare_schemas

_GRAVE_RULES: Final = frozenset(
    f"translation/{rule}"
    for rule in (
        *("schema-property-lost", "schema-required", "schema-enum", "schema-type", "schema-items"),
        *("schema-description", "schema-narrowed", "schema-changed"),
    )
)
"""Differences of a schema that allow other values than the source does."""

_RULES_GRAVE_IF_PRESENT: Final = frozenset({"translation/schema-widened", "translation/schema-listed-twice"})
"""Differences that are grave only where the output has another value, not where it has none."""

_STRICT_KEYWORDS: Final = frozenset(
    {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
        "const",
        "description",
        "title",
    }
    | {"$ref", "$defs", "definitions"}
)
"""The keywords that every strict mode accepts."""


def is_same_answer_form(pair: Pair, left: Any, right: Any, pointer: str) -> bool:
    """Whether two response formats have the same type and schema.

    The schema may be closed, opened, or lack what a format cannot express. ``pointer`` is that of ``right`` in the
    output.
    """
    if not isinstance(left, dict) or not isinstance(right, dict) or left.get("type") != right.get("type"):
        return False
    if any(_contradict(left.get(key), right.get(key)) for key in ("name", "strict")):
        return False
    if left.get("schema") is None or right.get("schema") is None:
        return left.get("schema") is None
    if _contradict(left.get("strict", pair.origin["answer_strict"]), right.get("strict")) and _fits_strict_mode(
        right["schema"]
    ):
        return False
    texts_only = pair.lists_texts_only(pointer)
    differences = compare_schemas(
        pair.corpus, left["schema"], right["schema"], closing_allowed=True, texts_only=texts_only
    )
    return not any(_is_grave(difference) and not difference.under for difference in differences)


def _contradict(left: Any, right: Any) -> bool:
    """Whether both have a value, and not the same."""
    return left is not None and right is not None and not equal(left, right)


def _fits_strict_mode(schema: Any) -> bool:
    """Whether any strict mode accepts a schema: all objects are closed, and require all their members."""
    return all(
        _STRICT_KEYWORDS.issuperset(inner) and ("properties" not in inner or _is_closed(inner.get("properties"), inner))
        for _, inner in inner_schemas(schema)
    )


def _is_closed(properties: Any, schema: dict[str, Any]) -> bool:
    required = schema.get("required")
    whole = isinstance(properties, dict) and isinstance(required, list) and all(key in required for key in properties)
    return whole and schema.get("additionalProperties") is False


def _is_grave(difference: SchemaDifference) -> bool:
    """Whether the answer may have another form. What is gone may be inexpressible; what is there counts."""
    is_grave_value = difference.rule in _RULES_GRAVE_IF_PRESENT and difference.got is not MISSING
    return difference.rule in _GRAVE_RULES or is_grave_value
