"""A part of the source that stands in the output as it was: one finding, which says whose form it has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.findings import MISSING, Finding
from toolcall_conformance.jsonvalue import join, resolve
from toolcall_conformance.translation.pair import Sides


def as_one(sides: Sides, source: Any, output: Any, own: Sequence[Finding]) -> list[Finding]:
    """The findings of ``own``, but of each part that was handed on untranslated only one, in words for it.

    A part is an object in a list: a tool, a message, an item, a block. One finding has to be at the part itself: where
    only a value in it is wrong, as an empty text is, both formats may write the part alike. With it go those at its
    keys; deeper down the part may well be translated.
    """
    if sides.source.format == sides.output.format:
        return list(own)
    given = dict(_parts(source, _schemas(sides)))
    parts = _PartsOf(output)
    kept: dict[str, list[Finding]] = {}
    found = []
    for finding in own:
        place = parts.around(finding.pointer) if finding.is_must else None
        if place is None or parts.text(place) not in given:
            found.append(finding)
        else:
            kept.setdefault(place, []).append(finding)
    for place, told in kept.items():
        main = next((one for one in told if one.pointer == place), None)
        if main is None:
            found.extend(told)
        else:
            found.append(_told(main, sides.source.format, place, parts.at(place), given[parts.text(place)]))
    return found


def _told(finding: Finding, source_format: str, place: str, part: Any, origin: str) -> Finding:
    message = f"this has the form of {source_format}: it was handed on untranslated"
    return replace(finding, pointer=place, message=message, want=MISSING, got=part, source_pointer=origin)


def _schemas(sides: Sides) -> frozenset[str]:
    """Where the source's tools have their schemas: what is alike there is JSON Schema in either format."""
    return frozenset(tool.schema_pointer for tool in sides.source.tools if tool.schema_pointer is not None)


def _parts(value: Any, schemas: frozenset[str], pointer: str = "") -> Iterator[tuple[str, str]]:
    """Each object that stands in a list, as text, and where it stands."""
    if pointer in schemas:
        return
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _parts(entry, schemas, join(pointer, key))
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            if isinstance(entry, dict):
                yield _key(entry), join(pointer, place)
            yield from _parts(entry, schemas, join(pointer, place))


class _PartsOf:
    """The objects in lists of a body. What many findings are in is looked up once."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._lists: dict[str, list[Any]] = {}
        self._texts: dict[str, str] = {}

    def around(self, pointer: str) -> str | None:
        """Where the object in a list is that a finding is at, or at a key of; the key may be missing."""
        places = pointer, pointer.rpartition("/")[0]
        return next((place for place in places if place and isinstance(self.at(place), dict)), None)

    def at(self, place: str) -> Any:
        """What stands at a place in a list; None if no list is around it, or not as long."""
        holder, _, last = place.rpartition("/")
        if holder not in self._lists:
            self._lists[holder] = self._list(holder)
        entries = self._lists[holder]
        number = int(last) if entries and last.isascii() and last.isdigit() else len(entries)
        return entries[number] if number < len(entries) else None

    def text(self, place: str) -> str:
        """What stands there, as ``_parts`` has it."""
        if place not in self._texts:
            self._texts[place] = _key(self.at(place))
        return self._texts[place]

    def _list(self, pointer: str) -> list[Any]:
        try:
            found = resolve(self._body, pointer)
        except LookupError:
            return []
        return found if isinstance(found, list) else []


_ENCODER = json.JSONEncoder(sort_keys=True, default=str)


def _key(value: Any) -> str:
    return _ENCODER.encode(value)
