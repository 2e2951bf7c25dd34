"""All schemas inside a schema as it is written, definitions and branches included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.judge.translation.schemas.normal_schemas import (
    SCHEMA_KEYWORDS,
    SCHEMA_LIST_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
)

_LIST_KEYWORDS: Final = (*SCHEMA_LIST_KEYWORDS, "items")
_MAP_KEYWORDS: Final = (*SCHEMA_MAP_KEYWORDS, "$defs", "definitions")


def inner_schemas(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each schema with its pointer, outer before inner; without recursion, since schemas may be deep."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        pointer, schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield pointer, schema
        inner: list[tuple[str, Any]] = []
        for key, value in schema.items():
            if key in SCHEMA_KEYWORDS and isinstance(value, dict):
                inner.append((join(pointer, key), value))
            elif key in _LIST_KEYWORDS and isinstance(value, list):
                inner.extend((join(pointer, key, at), entry) for at, entry in enumerate(value))
            elif key in _MAP_KEYWORDS and isinstance(value, dict):
                inner.extend((join(pointer, key, name), entry) for name, entry in value.items())
        waiting.extend(reversed(inner))
