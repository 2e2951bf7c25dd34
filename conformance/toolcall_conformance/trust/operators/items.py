"""Operators on members and items as wholes: left out, said twice, moved, under another key."""

from __future__ import annotations

from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.trust.nodes import holder_of, kind_of
from toolcall_conformance.trust.operators.spots import Spot, Unfit, fit, operator


@operator
def drop(spot: Spot) -> None:
    del spot.holder[spot.key]


@operator
def duplicate(spot: Spot) -> None:
    spot.holder.insert(spot.key, deep_copy(spot.value))


@operator
def repeat(spot: Spot) -> None:
    fit(spot.key + 1 < len(spot.holder))
    spot.holder.append(deep_copy(spot.value))


@operator
def swap(spot: Spot) -> None:
    following = spot.next_item()
    spot.holder[spot.key + 1] = spot.value
    spot.put(following)


@operator
def swap_values(spot: Spot) -> None:
    keys = list(spot.holder)
    kind = kind_of(spot.value)
    twin = next((key for key in keys[keys.index(spot.key) + 1 :] if kind_of(spot.holder[key]) == kind), None)
    fit(twin is not None)
    spot.holder[twin], spot.holder[spot.key] = spot.value, spot.holder[twin]


@operator
def move_to_end(spot: Spot) -> None:
    fit(spot.key + 2 < len(spot.holder))  # behind the next one it is swapped
    spot.holder.append(spot.holder.pop(spot.key))


@operator
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


@operator
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


@operator
def forget_before(spot: Spot) -> None:
    del spot.holder[: spot.key]


@operator
def rename(spot: Spot) -> None:
    _rekey(spot, f"{spot.key}_")


@operator
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
