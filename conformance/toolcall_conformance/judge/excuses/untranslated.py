"""A part of the source that stands in the output as it was: one finding, which says whose form it has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.jsonvalue import join, resolve
from toolcall_conformance.judge.translation.pair import Sides


def as_one(sides: Sides, source: Any, output: Any, own: Sequence[Finding]) -> list[Finding]:
    """The findings of ``own``, but of each part that was handed on untranslated only one, in words for it.

    A part is an object in a list: a tool, a message, an item, a block. One finding has to be at the part itself: where
    only a value in it is wrong, as an empty text is, both formats may write the part alike. With it go those at its
    keys; deeper down the part may well be translated.
    """
    if sides.source.format == sides.output.format:
        return list(own)
    source_parts = _Given(source, _schemas(sides))
    parts = _PartsOf(output)
    findings_by_place: dict[str, list[Finding]] = {}
    origins: dict[str, str | None] = {}
    findings = []
    for finding in own:
        place = parts.around(finding.pointer) if finding.is_must else None
        if place is not None and place not in origins:
            origins[place] = source_parts.place_of(parts.at(place))
        if place is None or origins[place] is None:
            findings.append(finding)
        else:
            findings_by_place.setdefault(place, []).append(finding)
    for place, group in findings_by_place.items():
        main = next((finding for finding in group if finding.pointer == place), None)
        if main is None:
            findings.extend(group)
        else:
            findings.append(_told(main, sides.source.format, place, parts.at(place), origins[place]))
    return findings


def _told(finding: Finding, source_format: str, place: str, part: Any, origin: str | None) -> Finding:
    message = f"this has the form of {source_format}: it was passed through untranslated"
    return replace(finding, pointer=place, message=message, want=MISSING, got=part, source_pointer=origin)


def _schemas(sides: Sides) -> frozenset[str]:
    """Where the source's tools have their schemas: what is alike there is JSON Schema in either format."""
    return frozenset(tool.schema_pointer for tool in sides.source.tools if tool.schema_pointer is not None)


class _Given:
    """The objects in lists of a body. Only those that have the keys of one that is asked for are written as text."""

    def __init__(self, body: Any, schemas: frozenset[str]) -> None:
        self._schemas = schemas
        self._parts: dict[frozenset[str], list[tuple[Any, str]]] = {}
        self._places: dict[frozenset[str], dict[str, str]] = {}
        if isinstance(body, (dict, list)):
            self._add(body, "")

    def place_of(self, part: Any) -> str | None:
        """Where the last object stands that is the same as ``part``."""
        keys = frozenset(part)
        if keys not in self._places:
            self._places[keys] = {_key(entry): pointer for entry, pointer in self._parts.get(keys, ())}
        places = self._places[keys]
        return places.get(_key(part)) if places else None

    def _add(self, value: Any, pointer: str) -> None:
        if pointer in self._schemas:
            return
        inner: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in inner:
            if isinstance(entry, (dict, list)):
                place = join(pointer, key)
                if isinstance(entry, dict) and isinstance(value, list):
                    self._parts.setdefault(frozenset(entry), []).append((entry, place))
                self._add(entry, place)


class _PartsOf:
    """The objects in lists of a body. What many findings are in is looked up once."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._lists: dict[str, list[Any]] = {}

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

    def _list(self, pointer: str) -> list[Any]:
        try:
            entries = resolve(self._body, pointer)
        except LookupError:
            return []
        return entries if isinstance(entries, list) else []


_ENCODER = json.JSONEncoder(sort_keys=True, default=str)


def _key(value: Any) -> str:
    return _ENCODER.encode(value)
