"""Finds the values at places of a stream's events, as ``transport.json`` names these places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.basics.jsonvalue import join, unescape


def nearest_member(event: Any, pointer: str, key: str) -> Any:
    """The member ``key`` of the innermost object that encloses a place and has it; None if none has."""
    member = None
    value = event
    for token in pointer.split("/")[1:]:
        if isinstance(value, dict):
            member = value.get(key, member)
        value = value[int(token)] if isinstance(value, list) else value.get(unescape(token))
    return member


def values_at(event: Any, place: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values at a place, each with its pointer: ``*`` is each entry of a list.

    ``beside`` are members that the object of the place must have.
    """
    holder, _, key = str(place["at"]).rpartition("/")
    beside = place.get("beside", {})
    for pointer, value in _walk(event, "", holder.split("/")[1:]):
        if isinstance(value, dict) and key in value and value.items() >= beside.items():
            yield join(pointer, key), value[key]


def _walk(value: Any, pointer: str, steps: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The values at ``steps``, each with its pointer; ``*`` is every entry of a list."""
    if not steps:
        yield pointer, value
        return
    step, *rest = steps
    if step == "*" and isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _walk(entry, join(pointer, number), rest)
    elif isinstance(value, dict) and step in value:
        yield from _walk(value[step], join(pointer, step), rest)
