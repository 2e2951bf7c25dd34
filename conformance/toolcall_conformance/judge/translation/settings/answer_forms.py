"""Whether two response formats ask for the same form of an answer."""

from __future__ import annotations

from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.schemas import SchemaDifference, compare_schemas

_GRAVE: Final = frozenset(
    f"translation/{rule}"
    for rule in (
        *("schema-property-lost", "schema-required", "schema-enum", "schema-type", "schema-items"),
        *("schema-description", "schema-narrowed", "schema-changed"),
    )
)
"""Differences of a schema by which other values are valid than the source demands."""

_TURNED: Final = frozenset({"translation/schema-widened", "translation/schema-listed-twice"})
"""Differences that are grave where the output says something else, and not where it says nothing."""

_PLAIN: Final = frozenset(
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
"""What every strict mode takes."""


def same_form(pair: Pair, left: Any, right: Any, pointer: str) -> bool:
    """Response formats by type and schema; the schemas may be closed, opened, or short of what a format cannot say.

    ``pointer`` is that of ``right`` in the output.
    """
    if not isinstance(left, dict) or not isinstance(right, dict) or left.get("type") != right.get("type"):
        return False
    if any(_turned(left.get(key), right.get(key)) for key in ("name", "strict")):
        return False
    if left.get("schema") is None or right.get("schema") is None:
        return left.get("schema") is None
    if _turned(left.get("strict", pair.origin["answer_strict"]), right.get("strict")) and _may_be_strict(
        right["schema"]
    ):
        return False
    texts_only = pair.lists_texts_only(pointer)
    differences = compare_schemas(
        pair.corpus, left["schema"], right["schema"], closing_allowed=True, texts_only=texts_only
    )
    return not any(_is_grave(difference) and not difference.under for difference in differences)


def _turned(left: Any, right: Any) -> bool:
    """Whether both say something, and not the same."""
    return left is not None and right is not None and not equal(left, right)


def _is_loosened(pair: Pair, left: Any, right: Any) -> bool:
    """Whether the output says that the answer need not follow a schema that it follows for certain in the source."""
    return left is None and right is False and pair.origin["answer_strict"] is True


def _may_be_strict(schema: Any) -> bool:
    """Whether a strict mode takes a schema for certain: all objects are closed, and require all that they have."""
    return all(
        _PLAIN.issuperset(inner) and ("properties" not in inner or _is_closed(inner.get("properties"), inner))
        for _, inner in inner_schemas(schema)
    )


def _is_closed(properties: Any, schema: dict[str, Any]) -> bool:
    required = schema.get("required")
    whole = isinstance(properties, dict) and isinstance(required, list) and all(key in required for key in properties)
    return whole and schema.get("additionalProperties") is False


def _is_grave(difference: SchemaDifference) -> bool:
    """Whether the answer may have another form; what a format cannot say is gone, and what it says stays."""
    opened = difference.rule in _TURNED and difference.got is not MISSING
    return difference.rule in _GRAVE or opened
