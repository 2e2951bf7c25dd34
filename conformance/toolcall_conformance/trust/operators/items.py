"""Operators on members and items as wholes: left out, doubled, moved, under another key, merged, split."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal, resolve
from toolcall_conformance.trust.nodes import holder_of, kind_of, nodes
from toolcall_conformance.trust.operators.spots import Spot, Unfit, fit, register_operator


@register_operator
def drop(spot: Spot) -> None:
    del spot.holder[spot.key]


@register_operator
def duplicate(spot: Spot) -> None:
    spot.holder.insert(spot.key, deep_copy(spot.value))


@register_operator
def repeat(spot: Spot) -> None:
    fit(spot.key + 1 < len(spot.holder))
    spot.holder.append(deep_copy(spot.value))


@register_operator
def swap(spot: Spot) -> None:
    following = spot.next_item()
    spot.holder[spot.key + 1] = spot.value
    spot.put(following)


@register_operator
def swap_values(spot: Spot) -> None:
    keys = list(spot.holder)
    kind = kind_of(spot.value)
    twin = next((key for key in keys[keys.index(spot.key) + 1 :] if kind_of(spot.holder[key]) == kind), None)
    fit(twin is not None)
    spot.holder[twin], spot.holder[spot.key] = spot.value, spot.holder[twin]


@register_operator
def move_to_end(spot: Spot) -> None:
    fit(spot.key + 2 < len(spot.holder))  # a move by one place is a swap
    spot.holder.append(spot.holder.pop(spot.key))


@register_operator
def move_over(spot: Spot) -> None:
    owner_at, _, name = spot.pointer.rpartition("/")[0].rpartition("/")
    fit(owner_at)
    around, index = holder_of(spot.body, owner_at)
    fit(isinstance(around, list))
    beside = [around[at] for at in (index + 1, index - 1) if 0 <= at < len(around)]
    like = next(
        (entry[name] for entry in beside if isinstance(entry, dict) and isinstance(entry.get(name), list)), None
    )
    if like is None:
        raise Unfit
    like.append(spot.holder.pop(spot.key))


@register_operator
def move_up(spot: Spot) -> None:
    at = spot.pointer.rpartition("/")[0]
    while at:
        at = at.rpartition("/")[0]
        around = resolve(spot.body, at)
        if isinstance(around, dict):
            fit(spot.key not in around)
            around[spot.key] = spot.holder.pop(spot.key)
            return
    raise Unfit


@register_operator
def forget_before(spot: Spot) -> None:
    del spot.holder[: spot.key]


@register_operator
def rename(spot: Spot) -> None:
    _rekey(spot, f"{spot.key}_")


@register_operator
def respell(spot: Spot) -> None:
    first, *others = spot.key.split("_")
    camel = first + "".join(part[:1].upper() + part[1:] for part in others)
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in spot.key)
    other = camel if camel != spot.key else snake
    fit(other != spot.key and other not in spot.holder)
    _rekey(spot, other)


def _rekey(spot: Spot, key: str) -> None:
    """The same object with another key, in the same order."""
    members = [(key if name == spot.key else name, value) for name, value in spot.holder.items()]
    spot.holder.clear()
    spot.holder.update(members)


@register_operator
def merge(spot: Spot) -> None:
    following = spot.next_item()
    fit(isinstance(following, dict))
    for key, value in following.items():
        old_value = spot.value.get(key)
        joins = type(old_value) is type(value) and isinstance(value, (str, list)) and not equal(old_value, value)
        spot.value[key] = old_value + value if joins else spot.value.get(key, value)
    del spot.holder[spot.key + 1]


@register_operator
def merge_texts(spot: Spot) -> None:
    """Unlike ``merge`` it leaves every other member of the first alone, words of the format included."""
    following = spot.next_item()
    fit(isinstance(following, dict))
    pointer, next_pointer = _longest(spot.value, str), _longest(following, str)
    fit(pointer is not None and pointer.rpartition("/")[2] == str(next_pointer).rpartition("/")[2])
    holder, key = holder_of(spot.value, str(pointer))
    holder[key] += resolve(following, str(next_pointer))
    del spot.holder[spot.key + 1]


@register_operator
def split_text(spot: Spot) -> None:
    _split(spot, str, lambda text: text.rfind(" ", 1, len(text) // 2 + 1) + 1)


@register_operator
def split_word(spot: Spot) -> None:
    _split(spot, str, _middle_of_word)


@register_operator
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


def _middle_of_word(text: str) -> int:
    """The first place from the middle on that has a letter or digit on both sides; 0 if there is none."""
    places = range(max(len(text) // 2, 1), len(text))
    return next((at for at in places if text[at - 1].isalnum() and text[at].isalnum()), 0)


def _longest(value: Any, kind: type[str | list[Any]]) -> str | None:
    """The pointer to the longest text or list below a value that can be cut in two."""
    entries = [(node.pointer, node.value) for node in nodes(value)]
    sizes = {pointer: len(item) for pointer, item in entries if isinstance(item, kind)}
    longest = max(sizes, key=lambda pointer: sizes[pointer], default="")
    return longest if sizes.get(longest, 0) > 1 else None
