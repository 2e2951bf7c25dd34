"""Reduces a value to the keys that a client knows and sends back.

A *shape* maps each known key to the shape of its value; None keeps any value whole. An array has the shape of its
entries. ``ByType`` chooses a shape by the key ``type``; an object of a type that it does not name is kept whole, one
without a type has the shape ``untyped``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ByType:
    """The shapes of objects by their ``type``."""

    shapes: Mapping[str, Shape]
    untyped: Shape = None


Shape = Mapping[str, Any] | ByType | None


def keys(*names: str, **nested: Shape) -> dict[str, Shape]:
    """Return a shape: ``names`` are keys whose values are kept whole, ``nested`` keys whose values have shapes."""
    return {**dict.fromkeys(names), **nested}


def drop_unknown_keys(value: Any, shape: Shape) -> Any:
    """Return ``value`` without the keys that ``shape`` does not have; what is no object is returned unchanged."""
    if isinstance(value, list):
        return [drop_unknown_keys(entry, shape) for entry in value]
    if isinstance(shape, ByType) and isinstance(value, dict):
        kind = value.get("type")
        shape = shape.shapes.get(kind) if isinstance(kind, str) else shape.untyped
    if shape is None or isinstance(shape, ByType) or not isinstance(value, dict):
        return value
    return {key: drop_unknown_keys(member, shape[key]) for key, member in value.items() if key in shape}
