"""Operators that take a value from elsewhere: another entry, exchange or session, or another conversation."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal, resolve
from toolcall_conformance.trust.nodes import holder_of, kind_of, nodes, pattern_of
from toolcall_conformance.trust.operators.spots import Spot, Unfit, fit, register_operator


@register_operator
def take_from_turn(spot: Spot) -> None:
    spot.put(deep_copy(resolve(spot.body, _other_pointer(spot))))


@register_operator
def take_from_case(spot: Spot) -> None:
    alike = _like_places(spot, spot.donor)
    pointer = next((pointer for pointer in alike if not equal(resolve(spot.donor, pointer), spot.value)), None)
    fit(pointer is not None)
    spot.put(deep_copy(resolve(spot.donor, str(pointer))))


@register_operator
def exchange(spot: Spot) -> None:
    holder, key = holder_of(spot.body, _other_pointer(spot))
    value = spot.value
    spot.put(holder[key])
    holder[key] = value


def _other_pointer(spot: Spot) -> str:
    """The next like place of the body, or the first, that has another value of the same type. Raises Unfit."""
    alike = _like_places(spot, spot.body)
    fit(alike)
    at = alike.index(spot.pointer)
    others = (pointer for pointer in alike[at:] + alike[:at] if not equal(resolve(spot.body, pointer), spot.value))
    pointer = next(others, None)
    fit(pointer is not None)
    return str(pointer)


def _like_places(spot: Spot, body: Any) -> list[str]:
    """The places of a body that are like this one, with a value of the same type."""
    pattern, kind = pattern_of(spot.pointer), kind_of(spot.value)
    return [node.pointer for node in nodes(body) if node.kind == kind and pattern_of(node.pointer) == pattern]


@register_operator
def repeat_earlier(spot: Spot) -> None:
    spot.put(deep_copy(_value_elsewhere(spot, spot.body, -1)))


@register_operator
def exchange_with_next(spot: Spot) -> None:
    value, neighbor = spot.value, _value_elsewhere(spot, spot.body, +1)
    holder, key = holder_of(spot.body, _pointer_elsewhere(spot, +1))
    spot.put(neighbor)
    holder[key] = value


@register_operator
def take_from_session(spot: Spot) -> None:
    spot.put(deep_copy(_value_elsewhere(spot, spot.donor, 0)))


@register_operator
def forget_earlier(spot: Spot) -> None:
    earlier = _value_elsewhere(spot, spot.body, -1)
    fit(0 < len(earlier) < len(spot.value))
    del spot.value[: len(earlier)]


@register_operator
def add_earlier(spot: Spot) -> None:
    spot.put([*deep_copy(_value_elsewhere(spot, spot.body, -1)), *spot.value])


def _pointer_elsewhere(spot: Spot, further: int) -> str:
    """The pointer to the same place in another exchange. Raises Unfit for what is no place in an exchange."""
    tokens = spot.pointer.split("/")
    fit(len(tokens) >= 4)
    tokens[2] = str(int(tokens[2]) + further)
    fit(int(tokens[2]) >= 0)
    return "/".join(tokens)


def _value_elsewhere(spot: Spot, body: Any, further: int) -> Any:
    """Another value of the same type at the same place in another exchange. Raises Unfit."""
    try:
        value = resolve(body, _pointer_elsewhere(spot, further))
    except LookupError:
        raise Unfit from None
    fit(kind_of(value) == kind_of(spot.value) and not equal(value, spot.value))
    return value
