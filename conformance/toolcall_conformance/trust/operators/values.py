"""Operators on one value: another type, empty, cut, changed by one, or other JSON in a text."""

from __future__ import annotations

import json
from typing import Any

from toolcall_conformance.trust.nodes import holder_of, nodes
from toolcall_conformance.trust.operators.spots import Spot, Unfit, fit, register_operator


@register_operator
def to_null(spot: Spot) -> None:
    spot.put(None)


@register_operator
def to_text(spot: Spot) -> None:
    spot.put(json.dumps(spot.value, ensure_ascii=False))


@register_operator
def to_number(spot: Spot) -> None:
    spot.put(int(spot.value) if spot.value.isdecimal() and spot.value.isascii() else len(spot.value))


@register_operator
def to_list(spot: Spot) -> None:
    spot.put([spot.value])


@register_operator
def to_entry(spot: Spot) -> None:
    fit(spot.value)
    spot.put(spot.value[0])


@register_operator
def to_object(spot: Spot) -> None:
    spot.put({"value": spot.value})


@register_operator
def empty(spot: Spot) -> None:
    spot.put(type(spot.value)())


@register_operator
def blank(spot: Spot) -> None:
    spot.put(" ")


@register_operator
def truncate(spot: Spot) -> None:
    fit(len(spot.value) > 1)
    spot.put(spot.value[: len(spot.value) // 2])


@register_operator
def change_last(spot: Spot) -> None:
    fit(spot.value)
    spot.put(spot.value[:-1] + ("y" if spot.value[-1] == "x" else "x"))


@register_operator
def capitals(spot: Spot) -> None:
    spot.put(spot.value.swapcase())


@register_operator
def flip(spot: Spot) -> None:
    spot.put(not spot.value)


@register_operator
def plus_one(spot: Spot) -> None:
    spot.put(spot.value + 1)


@register_operator
def minus_one(spot: Spot) -> None:
    spot.put(spot.value - 1)


@register_operator
def to_zero(spot: Spot) -> None:
    spot.put(0)


@register_operator
def json_drop(spot: Spot) -> None:
    fields = _parsed_text(spot)
    fit(isinstance(fields, dict) and fields)
    fields.popitem()
    spot.put(json.dumps(fields, ensure_ascii=False))


@register_operator
def json_change(spot: Spot) -> None:
    value = _parsed_text(spot)
    leaf = next((node for node in nodes(value) if node.kind in ("text", "number", "flag")), None)
    if leaf is None:
        raise Unfit
    holder, key = holder_of(value, leaf.pointer)
    holder[key] = _another_value(leaf.value)
    spot.put(json.dumps(value, ensure_ascii=False))


@register_operator
def json_rename(spot: Spot) -> None:
    fields = _parsed_text(spot)
    fit(isinstance(fields, dict) and fields)
    first = next(iter(fields))
    spot.put(
        json.dumps({f"{first}_" if key == first else key: value for key, value in fields.items()}, ensure_ascii=False)
    )


def _parsed_text(spot: Spot) -> Any:
    """The object or list whose JSON a text is. Raises Unfit."""
    fit(spot.value[:1] in ("{", "["))
    try:
        value = json.loads(spot.value)
    except ValueError:
        raise Unfit from None
    return value


def _another_value(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    return value + ("x" if isinstance(value, str) else 1)
