"""Carries a change over to an equivalent body in another notation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def patch_body(body: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Apply the difference between ``before`` and ``after`` to ``body``, which means the same as ``before``.

    What the two have in common is kept as in ``body``, and so are keys that they lack. If the changed place cannot be
    found in ``body``, all keys of ``after`` replace those of ``body``.
    """
    try:
        output: dict[str, Any] = _patch_value(body, before, after)
    except _UnclearError:
        return {**{key: value for key, value in body.items() if key not in before}, **after}
    return output


class _UnclearError(Exception):
    """The changed value is at another place in the body."""


def _patch_value(value: Any, before: Any, after: Any) -> Any:
    if before == after:
        return value
    if isinstance(value, dict) and isinstance(before, dict) and isinstance(after, dict):
        return dict(_patch_members(value, before, after))
    if isinstance(value, list) and isinstance(before, list) and isinstance(after, list):
        return list(_patch_entries(value, before, after))
    return after


def _patch_members(value: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members of an object, with the changes between ``before`` and ``after``."""
    if not {key for key in before if before[key] != after.get(key)} <= value.keys():
        raise _UnclearError
    same = before.keys() == after.keys()
    unknown = [key for key in value if key not in before]
    # Parameters have an order: a renamed one keeps its position.
    for key in value if same else dict.fromkeys((*after, *unknown)):
        if key in value:
            yield key, _patch_value(value[key], before.get(key), after.get(key))
        elif before.get(key) != after.get(key):
            yield key, after[key]


def _patch_entries(value: list[Any], before: list[Any], after: list[Any]) -> Iterator[Any]:
    """Patch entry by entry if none is added or removed; else keep the unchanged entries and take the others anew."""
    if len(value) != len(before):
        raise _UnclearError
    if len(before) == len(after):
        yield from map(_patch_value, value, before, after)
        return
    start = 0
    for entry in after:
        place = next((place for place in range(start, len(before)) if before[place] == entry), None)
        yield entry if place is None else value[place]
        start = start if place is None else place + 1
