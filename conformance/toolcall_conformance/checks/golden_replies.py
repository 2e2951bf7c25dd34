"""Golden replies as the provider sends them: with calls under the names that the translator declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.jsonspans import with_texts
from toolcall_conformance.jsonvalue import JSONError, copied, join, parse, resolve
from toolcall_conformance.streaming.rewriting import rewrite_data


def rename_calls(name: str, reply: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Rename the calls of a reply in the format ``name`` by ``names`` (golden to declared).

    A provider calls tools by their declared names. Where a translator had to rename one, the golden reply would name a
    tool that was not declared. Returns the same body if nothing is renamed.
    """
    changed = {golden: declared for golden, declared in names.items() if golden != declared}
    if not changed:
        return reply
    renamed: dict[str, Any] = copied(reply)
    for call in formats.read(name, "response", reply).calls:
        if call.name in changed and call.name_pointer is not None:
            parent, _, key = call.name_pointer.rpartition("/")
            resolve(renamed, parent)[key] = changed[call.name]
    return renamed


def rename_calls_in_stream(stream: bytes, names: Mapping[str, str], places: Sequence[Mapping[str, Any]]) -> bytes:
    """Rename the calls in the bytes of a stream; everything else stays as it is.

    ``places`` says where an event has the name of a call (``transport.json``: ``call_names``).
    """
    changed = {golden: declared for golden, declared in names.items() if golden != declared}
    if not changed:
        return stream

    def renamed(data: str) -> str:
        try:
            event = parse(data)
        except JSONError:
            return data
        called = (found for place in places for found in values_at(event, place))
        texts = {pointer: changed[name] for pointer, name in called if isinstance(name, str) and name in changed}
        return with_texts(data, texts)

    return rewrite_data(stream, renamed)


def values_at(event: Any, place: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What stands at a place, by its pointer: ``*`` is each entry of a list, ``beside`` what its object must have."""
    holder, _, key = str(place["at"]).rpartition("/")
    beside = place.get("beside", {})
    for pointer, value in _walk(event, "", holder.split("/")[1:]):
        if isinstance(value, dict) and key in value and value.items() >= beside.items():
            yield join(pointer, key), value[key]


def _walk(value: Any, pointer: str, steps: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What stands at ``steps``, with its pointer; ``*`` is every entry of a list."""
    if not steps:
        yield pointer, value
        return
    step, *rest = steps
    if step == "*" and isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _walk(entry, join(pointer, number), rest)
    elif isinstance(value, dict) and step in value:
        yield from _walk(value[step], join(pointer, step), rest)
