"""Operators that take a value from elsewhere: from another entry of the body, or from another conversation."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal, resolve
from toolcall_conformance.trust.nodes import holder_of, kind_of, nodes, pattern_of
from toolcall_conformance.trust.operators.spots import Spot, fit, operator


@operator
def take_from_turn(spot: Spot) -> None:
    spot.put(deep_copy(resolve(spot.body, _other(spot))))


@operator
def take_from_case(spot: Spot) -> None:
    alike = _alike(spot, spot.donor)
    pointer = next((pointer for pointer in alike if not equal(resolve(spot.donor, pointer), spot.value)), None)
    fit(pointer is not None)
    spot.put(deep_copy(resolve(spot.donor, str(pointer))))


@operator
def exchange(spot: Spot) -> None:
    holder, key = holder_of(spot.body, _other(spot))
    own = spot.value
    spot.put(holder[key])
    holder[key] = own


def _other(spot: Spot) -> str:
    """The next like place of the body, or the first, that has another value of the same type. Raises Unfit."""
    alike = _alike(spot, spot.body)
    fit(alike)
    at = alike.index(spot.pointer)
    others = (pointer for pointer in alike[at:] + alike[:at] if not equal(resolve(spot.body, pointer), spot.value))
    pointer = next(others, None)
    fit(pointer is not None)
    return str(pointer)


def _alike(spot: Spot, body: Any) -> list[str]:
    """The places of a body that are like this one, with a value of the same type."""
    pattern, kind = pattern_of(spot.pointer), kind_of(spot.value)
    return [node.pointer for node in nodes(body) if node.kind == kind and pattern_of(node.pointer) == pattern]
