"""Carries a change over to a body that says the same in other words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def patched(body: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """``body`` with what differs between ``before`` and ``after``, two other spellings of it.

    What the two have in common stays as it stands in ``body``, and so do keys that they do not know. Where nobody can
    tell what of ``body`` is meant, all that they know is said as in ``after``.
    """
    try:
        output: dict[str, Any] = _patched(body, before, after)
    except _UnclearError:
        return {**{key: value for key, value in body.items() if key not in before}, **after}
    return output


class _UnclearError(Exception):
    """What has changed stands in another place of the body."""


def _patched(value: Any, before: Any, after: Any) -> Any:
    if before == after:
        return value
    if isinstance(value, dict) and isinstance(before, dict) and isinstance(after, dict):
        return dict(_members(value, before, after))
    if isinstance(value, list) and isinstance(before, list) and isinstance(after, list):
        return list(_entries(value, before, after))
    return after


def _members(value: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if not {key for key in before if before[key] != after.get(key)} <= value.keys():
        raise _UnclearError
    same = before.keys() == after.keys()
    unknown = [key for key in value if key not in before]
    # Parameters have an order: a new one stands where it stood under its other name.
    for key in value if same else dict.fromkeys((*after, *unknown)):
        if key in value:
            yield key, _patched(value[key], before.get(key), after.get(key))
        elif before.get(key) != after.get(key):
            yield key, after[key]


def _entries(value: list[Any], before: list[Any], after: list[Any]) -> Iterator[Any]:
    """Entry by entry, where none came or went; else what is not changed as it stood, and the rest new."""
    if len(value) != len(before):
        raise _UnclearError
    if len(before) == len(after):
        yield from map(_patched, value, before, after)
        return
    start = 0
    for entry in after:
        place = next((place for place in range(start, len(before)) if before[place] == entry), None)
        yield entry if place is None else value[place]
        start = start if place is None else place + 1
