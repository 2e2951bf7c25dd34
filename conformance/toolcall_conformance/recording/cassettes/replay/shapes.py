"""The shape of replies: the members of objects, their JSON types, and the order of events.

A *place* is a JSON Pointer in which ``*`` is any entry of an array, or ``*=text`` any entry whose ``type`` is
``text``. In streams a place begins with the kind of the event:
``content_block_delta/delta/text``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.library import Corpus


@dataclass(slots=True)
class Member:
    """A member of one reply: its pointer and its JSON type."""

    pointer: str
    type: str


@dataclass(frozen=True, slots=True)
class ReplyPlaces:
    """The places of one format's replies.

    Values of the keys ``free`` come from a user's tool or schema, so the provider does not give them a shape. Events of
    the kinds ``keep_alive`` may be anywhere.
    """

    format: str
    free: frozenset[str]
    keep_alive: frozenset[str]

    @classmethod
    def of(cls, corpus: Corpus, name: str) -> ReplyPlaces:
        """The places of a format, by its corpus files."""
        keep_alive = corpus.transports[name]["stream"].get("keep_alive", ())
        return cls(name, frozenset(corpus.format(name)["free_keys"]), frozenset(keep_alive))

    def of_body(self, value: Any, place: str = "", pointer: str = "") -> Iterator[tuple[str, Member]]:
        """Every object, array and scalar of a body with its place, the body itself included."""
        yield place, Member(pointer, json_type(value))
        if isinstance(value, dict):
            for key, member in value.items():
                if key in self.free:
                    yield f"{place}/{key}", Member(join(pointer, key), json_type(member))
                else:
                    yield from self.of_body(member, f"{place}/{key}", join(pointer, key))
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                kind = entry.get("type") if isinstance(entry, dict) else None
                step = f"*={kind}" if isinstance(kind, str) else "*"
                yield from self.of_body(entry, f"{place}/{step}", join(pointer, index))

    def of_events(self, events: Sequence[Any]) -> Iterator[tuple[str, Member]]:
        """The same for the data of each event of a stream."""
        for index, event in enumerate(events):
            data = event.get("data")
            if isinstance(data, (dict, list)):
                yield from self.of_body(data, formats.event_kind(self.format, event), f"/events/{index}/data")

    def successions(self, events: Sequence[Any]) -> Iterator[tuple[str, str, int]]:
        """The pairs of kinds of adjacent events, with the number of the second event; repetitions count once."""
        before = "(start)"
        for index, event in enumerate(events):
            kind = formats.event_kind(self.format, event)
            if kind in self.keep_alive or kind == before:
                continue
            yield before, kind, index
            before = kind
        yield before, "(end)", len(events)


@dataclass
class Shape:
    """The JSON types by place, the objects and their members, and the order of events in all replies learned.

    ``objects`` counts the objects at a place, ``members`` how many of them have a member; ``follows`` holds pairs of
    kinds of events, the second directly after the first. ``enough`` objects show which members are always there.
    """

    places: ReplyPlaces
    enough: int = 3

    types: dict[str, set[str]] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)
    follows: set[tuple[str, str]] = field(default_factory=set)

    def learn(self, body: Any) -> None:
        """Learn from a unary reply."""
        for place, member in self.places.of_body(body):
            self._learn(place, member.type)

    def learn_stream(self, events: Sequence[Any]) -> None:
        """Learn from the events of a stream."""
        for place, member in self.places.of_events(events):
            self._learn(place, member.type)
        self.follows.update((first, second) for first, second, _ in self.places.successions(events))

    def _learn(self, place: str, kind: str) -> None:
        self.types.setdefault(place, set()).add(kind)
        self.members[place] = self.members.get(place, 0) + 1
        if kind == "object":
            self.objects[place] = self.objects.get(place, 0) + 1

    def always(self, place: str) -> frozenset[str]:
        """The places of the members that every object here had; empty after too few objects."""
        return self._always.get(place, frozenset()) if self.objects.get(place, 0) >= self.enough else frozenset()

    @cached_property
    def _always(self) -> dict[str, frozenset[str]]:
        members: dict[str, set[str]] = {}
        for place, count in self.members.items():
            parent, _, key = place.rpartition("/")
            always = count == self.objects.get(parent) and self.types[place] != {"null"}  # a null says nothing
            if place and always and not key.startswith("*"):
                members.setdefault(parent, set()).add(place)
        return {parent: frozenset(places) for parent, places in members.items()}


def json_type(value: Any) -> str:
    """The JSON type of a value, as JSON Schema names it; whole numbers are ``number``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, name in (((int, float), "number"), (str, "string"), (list, "array"), (dict, "object")):
        if isinstance(value, kind):
            return name
    return type(value).__name__
