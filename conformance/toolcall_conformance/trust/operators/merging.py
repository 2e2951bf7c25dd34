"""Operators that make one item of two, or two of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal, resolve
from toolcall_conformance.trust.nodes import holder_of, nodes
from toolcall_conformance.trust.operators.spots import Spot, fit, operator


@operator
def merge(spot: Spot) -> None:
    following = spot.next_item()
    fit(isinstance(following, dict))
    for key, value in following.items():
        own = spot.value.get(key)
        joins = type(own) is type(value) and isinstance(value, (str, list)) and not equal(own, value)
        spot.value[key] = own + value if joins else spot.value.get(key, value)
    del spot.holder[spot.key + 1]


@operator
def merge_texts(spot: Spot) -> None:
    """Unlike ``merge`` it leaves every other member of the first alone, words of the format included."""
    following = spot.next_item()
    fit(isinstance(following, dict))
    own, other = _longest(spot.value, str), _longest(following, str)
    fit(own is not None and own.rpartition("/")[2] == str(other).rpartition("/")[2])
    holder, key = holder_of(spot.value, str(own))
    holder[key] += resolve(following, str(other))
    del spot.holder[spot.key + 1]


@operator
def split_text(spot: Spot) -> None:
    _split(spot, str, lambda text: text.rfind(" ", 1, len(text) // 2 + 1) + 1)


@operator
def split_word(spot: Spot) -> None:
    _split(spot, str, _within_a_word)


@operator
def split_list(spot: Spot) -> None:
    _split(spot, list, lambda entries: len(entries) // 2)


def _split(spot: Spot, kind: type[str | list[Any]], place: Callable[[Any], int]) -> None:
    at = _longest(spot.value, kind)
    fit(at is not None)
    second = deep_copy(spot.value)
    holder, key = holder_of(spot.value, str(at))
    middle = place(holder[key])
    fit(0 < middle < len(holder[key]))
    other, _ = holder_of(second, str(at))
    holder[key], other[key] = holder[key][:middle], holder[key][middle:]
    spot.holder.insert(spot.key + 1, second)


def _within_a_word(text: str) -> int:
    """The first place from the middle on that has a letter or digit on both sides; 0 if there is none."""
    places = range(max(len(text) // 2, 1), len(text))
    return next((at for at in places if text[at - 1].isalnum() and text[at].isalnum()), 0)


def _longest(value: Any, kind: type[str | list[Any]]) -> str | None:
    """The pointer to the longest text or list below a value that can be cut in two."""
    entries = [(node.pointer, node.value) for node in nodes(value)]
    sizes = {pointer: len(item) for pointer, item in entries if isinstance(item, kind)}
    longest = max(sizes, key=lambda pointer: sizes[pointer], default="")
    return longest if sizes.get(longest, 0) > 1 else None
