"""Operators across the exchanges of a conversation: a place gets what stands there in another exchange or session."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal, resolve
from toolcall_conformance.trust.nodes import holder_of, kind_of
from toolcall_conformance.trust.operators.spots import Spot, Unfit, fit, operator


@operator
def repeat_earlier(spot: Spot) -> None:
    spot.put(deep_copy(_there(spot, spot.body, -1)))


@operator
def exchange_with_next(spot: Spot) -> None:
    own, neighbor = spot.value, _there(spot, spot.body, +1)
    holder, key = holder_of(spot.body, _pointer(spot, +1))
    spot.put(neighbor)
    holder[key] = own


@operator
def take_from_session(spot: Spot) -> None:
    spot.put(deep_copy(_there(spot, spot.donor, 0)))


@operator
def forget_earlier(spot: Spot) -> None:
    earlier = _there(spot, spot.body, -1)
    fit(0 < len(earlier) < len(spot.value))
    del spot.value[: len(earlier)]


@operator
def add_earlier(spot: Spot) -> None:
    spot.put([*deep_copy(_there(spot, spot.body, -1)), *spot.value])


def _pointer(spot: Spot, further: int) -> str:
    """The pointer to the same place in another exchange. Raises Unfit for what is no place in an exchange."""
    tokens = spot.pointer.split("/")
    fit(len(tokens) >= 4)
    tokens[2] = str(int(tokens[2]) + further)
    fit(int(tokens[2]) >= 0)
    return "/".join(tokens)


def _there(spot: Spot, body: Any, further: int) -> Any:
    """Another value of the same type at the same place in another exchange. Raises Unfit."""
    try:
        value = resolve(body, _pointer(spot, further))
    except LookupError:
        raise Unfit from None
    fit(kind_of(value) == kind_of(spot.value) and not equal(value, spot.value))
    return value
