"""Converts arguments of golden replies to the form of a model that gets the translator's schema of the tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, equal, is_json, parse, to_json, unescape
from toolcall_conformance.basics.streaming.event_data import event_data, rewrite_data
from toolcall_conformance.checks.streams.event_places import replace_values, values_at
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion

Conversions = Mapping[str, ArgumentConversion]


def convert_arguments(conversion: ArgumentConversion, value: Any) -> Any:
    """Convert the arguments of a call, an object or its JSON text, to the declared schema; others stay as they are."""
    if isinstance(value, str):
        arguments = _parse_or_none(value)
        new = conversion.convert(arguments, fill=True) if isinstance(arguments, dict) else arguments
        return value if equal(new, arguments) else to_json(new)
    return conversion.convert(value, fill=True) if isinstance(value, dict) else value


def convert_arguments_in_stream(stream: bytes, conversions: Conversions, transport: Mapping[str, Any]) -> bytes:
    """Convert the arguments in the bytes of a stream, in whatever fragments; all other bytes stay as they are."""
    values_by_event = _changed_values(stream, conversions, transport)
    if not values_by_event:
        return stream
    numbers = count()

    def rewrite(data: str) -> str:
        values = values_by_event.get(next(numbers))
        return replace_values(data, parse(data), values) if values else data

    return rewrite_data(stream, rewrite)


@dataclass(slots=True)
class _Fragments:
    """The fragments of one call's arguments: triples of the number of the event, the pointer, and the text."""

    name: str
    places: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(piece for *_, piece in self.places)

    def distribute(self, text: str) -> Iterator[tuple[int, str, str]]:
        """Distribute another text over the fragments: each as long as before, the last with the rest."""
        start = 0
        for at, (number, pointer, piece) in enumerate(self.places, 1):
            end = start + len(piece) if at < len(self.places) else len(text)
            yield number, pointer, text[start:end]
            start = end


def _changed_values(stream: bytes, conversions: Conversions, transport: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """The arguments that change in a stream, and their fragments: by the number of the event, and by pointer."""
    values_by_event: dict[int, dict[str, Any]] = {}
    reader = _Reader(transport)
    for number, event in enumerate(_events(stream)):
        for pointer, name, value in reader.read(number, event):
            conversion = conversions.get(name)
            new = value if conversion is None else convert_arguments(conversion, value)
            if not equal(new, value):
                values_by_event.setdefault(number, {})[pointer] = new
    for fragments in reader.calls:
        conversion = conversions.get(fragments.name)
        new = fragments.text if conversion is None else convert_arguments(conversion, fragments.text)
        if new != fragments.text:
            for number, pointer, piece in fragments.distribute(new):
                values_by_event.setdefault(number, {})[pointer] = piece
    return values_by_event


class _Reader:
    """Reads the calls in the events of a stream; ``calls`` are those whose arguments come in fragments."""

    def __init__(self, transport: Mapping[str, Any]) -> None:
        self._names, self._arguments = transport["call_names"], transport["arguments"]
        tokens = dict.fromkeys(place["of"] for place in self._arguments if "of" in place)
        self._tokens = (*tokens, "id") if tokens else ()
        self._called: dict[tuple[Any, ...], str] = {}
        self._open: dict[tuple[Any, ...], _Fragments] = {}
        self.calls: list[_Fragments] = []

    def read(self, number: int, event: Any) -> Iterator[tuple[str, str, Any]]:
        """Arguments that are whole in an event, each with its pointer and the name of its tool."""
        for place in self._names:
            for pointer, name in values_at(event, place):
                if isinstance(name, str) and name:
                    self._called.update({members_along(event, pointer, token): name for token in self._tokens})
        for place in self._arguments:
            for pointer, value in values_at(event, place):
                if "of" in place and isinstance(value, str):
                    self._add_fragment(number, pointer, members_along(event, pointer, place["of"]), value)
                elif (value or not self._tokens) and (isinstance(value, dict) or place.get("json")):
                    # If arguments come in fragments, an empty object is only their placeholder.
                    yield pointer, self._called_name(event, pointer), value

    def _called_name(self, event: Any, pointer: str) -> str:
        names_around = members_along(event, pointer, "name")
        ids = (members_along(event, pointer, token) for token in self._tokens)
        return (
            str(names_around[-1])
            if names_around
            else next((self._called[key] for key in ids if key in self._called), "")
        )

    def _add_fragment(self, number: int, pointer: str, call: tuple[Any, ...], piece: str) -> None:
        name, fragments = self._called.get(call, ""), self._open.get(call)
        if fragments is None or fragments.name != name or (piece.strip() and is_json(fragments.text or "-")):
            fragments = self._open[call] = _Fragments(name)
            self.calls.append(fragments)
        fragments.places.append((number, pointer, piece))


def members_along(event: Any, pointer: str, key: str) -> tuple[Any, ...]:
    """The members ``key`` of all objects that enclose a place, from the outermost inwards."""
    members, value = [], event
    for token in pointer.split("/")[1:]:
        if isinstance(value, dict):
            members += [value[key]] if isinstance(value.get(key), (str, int)) else []
            value = value[unescape(token)]
        else:
            value = value[int(token)]
    return tuple(members)


def _events(stream: bytes) -> list[Any]:
    return [_parse_or_none(data.text) for data in event_data(stream.decode("utf-8", "surrogateescape"))]


def _parse_or_none(text: str) -> Any:
    try:
        return parse(text)
    except JSONError:
        return None
