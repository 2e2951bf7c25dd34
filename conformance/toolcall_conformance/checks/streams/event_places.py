"""Finds and changes the values at places of a stream's events, as ``transport.json`` names these places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.basics.jsonspans import replace_texts
from toolcall_conformance.basics.jsonvalue import JSONError, join, parse, resolve, to_json, unescape
from toolcall_conformance.basics.streaming.event_data import rewrite_data


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


def change_values(stream: bytes, new_values: Callable[[Any], Mapping[str, Any]]) -> bytes:
    """The bytes of a stream with new values in its events; ``new_values`` gives those of an event, by pointer.

    Where all of them are texts, the rest of the event stays as it is written; data that is not JSON always does.
    """

    def rewrite(data: str) -> str:
        try:
            event = parse(data)
        except JSONError:
            return data
        return replace_values(data, event, new_values(event))

    return rewrite_data(stream, rewrite)


def replace_values(data: str, event: Any, values: Mapping[str, Any]) -> str:
    """The data of an ``event`` with other values at pointers. Changes the event, too."""
    texts = {pointer: value for pointer, value in values.items() if isinstance(value, str)}
    for pointer, value in values.items():
        if pointer not in texts:
            parent, _, key = pointer.rpartition("/")
            resolve(event, parent)[key] = value
    return replace_texts(data if len(texts) == len(values) else to_json(event), texts)


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
