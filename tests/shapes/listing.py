"""The shapes of a body: its members with their JSON types, and those of their values that are words of the API.

A *shape* is a text: the kind of body, a place in it, and the value there. In a place, ``*`` is an entry of an array
and ``=tool_use`` says what kind of object this is, by its ``type``, its ``role`` or, of Gemini's parts, its content::

    request /messages/*=assistant/content/*=tool_use/input: object
    response /stop_reason = tool_use
    event content_block_delta /delta=input_json_delta/partial_json: string
    schema /properties/anyOf: array
    schema keyword anyOf

Values of a user's making (arguments, results, metadata) have a type and no members. Schemas stand by themselves,
wherever they were found: a place in them is the way of keywords to the last two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from toolcall_conformance.recording.cassettes.replay.shapes import json_type

WORDS = json.loads(Path(__file__).with_name("words.json").read_bytes())
VALUES, FREE, SCHEMAS, OF_NAMES, OF_SCHEMAS, SAYING = (
    frozenset(WORDS[key]) for key in ("values", "free", "schemas", "of_names", "of_schemas", "saying")
)
KINDS, PARTS = WORDS["kinds"], WORDS["parts"]

_WORD = re.compile(r"[\w./:+-]{1,60}")
_DATE = re.compile(r"_20[0-9]{6}")


def of_body(kind: str, body: Any) -> frozenset[str]:
    """The shapes of a request, a reply or an error."""
    shapes: set[str] = set()
    _walk(shapes, kind, "", body)
    return frozenset(shapes)


def of_stream(events: Sequence[Any]) -> frozenset[str]:
    """The shapes of a stream's events, by their ``type``, or as chunks; a whole reply in an event is one of its own."""
    shapes: set[str] = set()
    for event in events:
        data = event.get("data")
        kind = data.get("type") if isinstance(data, dict) else None
        if isinstance(data, dict) and isinstance(kind, str):
            _walk(shapes, f"event {kind}", "", {key: data[key] for key in data if key != "response"})
            if "response" in data:
                _walk(shapes, "streamed response", "", data["response"])
        elif isinstance(data, (dict, list)):
            _walk(shapes, "chunk", "", data)
        else:
            shapes.add(f"event: {data if data == '[DONE]' else 'text'}")
    return frozenset(shapes)


def _walk(shapes: set[str], kind: str, place: str, value: Any, key: str = "") -> None:
    """``key`` is the name of the member; of entries of an array, that of the array."""
    shapes.add(f"{kind} {place or '/'}: {_type(value)}")
    if key in VALUES and isinstance(value, str) and _WORD.fullmatch(value):
        shapes.add(f"{kind} {place} = {_DATE.sub('_DATE', value)}")
    if isinstance(value, list):
        for entry in value:
            _walk(shapes, kind, f"{place}/*{_kind(entry)}", entry, "" if isinstance(entry, dict) else key)
    elif isinstance(value, dict) and key in SCHEMAS:
        shapes.update(_schema((), value))
    elif isinstance(value, dict) and key not in FREE:
        for name, member in value.items():
            if name not in KINDS or not isinstance(member, str):
                step = "" if name in FREE or name in SCHEMAS else _kind(member)
                _walk(shapes, kind, f"{place}/{name}{step}", member, name)


def _kind(value: Any) -> str:
    """Which kind of object this is, as a step of a place says it; empty if that is not to be seen."""
    if isinstance(value, dict):
        for key in KINDS:
            if isinstance(value.get(key), str):
                return f"={_DATE.sub('_DATE', value[key])}"
        for key in PARTS:
            if key in value:
                return f"={key}"
    return ""


def _schema(way: tuple[str, ...], value: Any) -> Iterator[str]:
    """The keywords of the schema at ``way``."""
    place = "".join(f"/{step}" for step in way[-1:])
    if not SAYING & {*value}:
        yield f"schema {place or '/'}: {'untyped' if value else 'empty'}"
    for name, member in value.items():
        yield f"schema keyword {name}"
        if name in ("type", "format", "additionalProperties") and not isinstance(member, dict):
            kinds = member if isinstance(member, list) else [member]
            yield f"schema {place}/{name} = {'+'.join(str(each).lower() for each in kinds)}"
            continue
        yield f"schema {place}/{name}: {_type(member)}"
        if name == "enum" and isinstance(member, list):
            yield from (f"schema {place}/enum/*: {_type(entry)}" for entry in member)
        inside: list[Any] = []
        if name in OF_NAMES and isinstance(member, dict):
            inside = [*member.values()]
        elif name in OF_SCHEMAS:
            inside = member if isinstance(member, list) else [member]
        for entry in inside:
            if isinstance(entry, dict):
                yield from _schema((*way, name), entry)


def _type(value: Any) -> str:
    """The JSON type, with a mark for empty values."""
    empty = "empty " if value in ("", [], {}) and not isinstance(value, bool) else ""
    return empty + json_type(value)
