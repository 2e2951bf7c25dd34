"""Carries a change over to a body that says the same in other words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def patched(value: Any, before: Any, after: Any) -> Any:
    """``value`` with what differs between ``before`` and ``after``, which are other spellings of it.

    What the two have in common stays as it stands in ``value``: keys that they do not know, too.
    """
    if before == after:
        return value
    if isinstance(value, dict) and isinstance(before, dict) and isinstance(after, dict):
        return dict(_members(value, before, after))
    if isinstance(value, list) and isinstance(before, list) and isinstance(after, list) and len(value) == len(before):
        return list(_entries(value, before, after))
    return after


def _members(value: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    same = before.keys() == after.keys()
    unknown = [key for key in value if key not in before]
    # Parameters have an order: a new one stands where it stood under its other name.
    for key in value if same else dict.fromkeys((*after, *unknown)):
        if key in value:
            yield key, patched(value[key], before.get(key), after.get(key))
        elif before.get(key) != after.get(key):
            yield key, after[key]


def _entries(value: list[Any], before: list[Any], after: list[Any]) -> Iterator[Any]:
    """Entry by entry, where none came or went; else what is not changed as it stood, and the rest new."""
    if len(before) == len(after):
        yield from map(patched, value, before, after)
        return
    start = 0
    for entry in after:
        place = next((place for place in range(start, len(before)) if before[place] == entry), None)
        yield entry if place is None else value[place]
        start = start if place is None else place + 1
