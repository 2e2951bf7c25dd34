"""A schema as it is written, and every schema in it: in definitions and branches too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.judge.translation.schemas.spelling import SCHEMA_LISTS, SCHEMA_MAPS, SCHEMAS

_LISTS: Final = (*SCHEMA_LISTS, "items")
_MAPS: Final = (*SCHEMA_MAPS, "$defs", "definitions")


def inner_schemas(whole: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each of them with its pointer, outer before inner; without recursion, since schemas may be deep."""
    waiting: list[tuple[str, Any]] = [("", whole)]
    while waiting:
        pointer, schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield pointer, schema
        inner: list[tuple[str, Any]] = []
        for key, value in schema.items():
            if key in SCHEMAS and isinstance(value, dict):
                inner.append((join(pointer, key), value))
            elif key in _LISTS and isinstance(value, list):
                inner.extend((join(pointer, key, at), entry) for at, entry in enumerate(value))
            elif key in _MAPS and isinstance(value, dict):
                inner.extend((join(pointer, key, name), entry) for name, entry in value.items())
        waiting.extend(reversed(inner))
