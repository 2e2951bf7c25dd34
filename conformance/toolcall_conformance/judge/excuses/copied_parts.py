"""Faults of parts that were copied: a part left untranslated is one finding, a fault in a schema names its origin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.jsonvalue import join, resolve
from toolcall_conformance.judge.translation.pair import Pair, Sides


def merge_untranslated(sides: Sides, source: Any, output: Any, output_findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with one in the place of all those at a part that was passed through untranslated.

    A part is an object in a list: a tool, a message, an item, a block. One finding has to be at the part itself: if
    only a value in it is wrong, such as an empty text, both formats may write the part alike. It replaces the findings
    at the part's keys; deeper down the part may be translated. Without such a finding, those at its keys get the
    ``source_pointer`` of the part; so does a wrong type of a part that has the id of one in the source.
    """
    if sides.source.format == sides.output.format:
        return list(output_findings)
    source_parts = _SourceParts(source, _schema_pointers(sides))
    parts = _OutputParts(output)
    findings_by_place: dict[str, list[Finding]] = {}
    origins: dict[str, str | None] = {}
    findings = []
    for finding in output_findings:
        place = parts.part_around(finding.pointer) if finding.is_must else None
        if place is not None and place not in origins:
            origins[place] = source_parts.place_of(parts.at(place))
        if place is None or origins[place] is None:
            is_type = place is not None and finding.pointer == join(place, "type")
            twin = source_parts.place_of_ids(parts.at(place or "")) if is_type else None
            findings.append(finding if twin is None else replace(finding, source_pointer=twin))
        else:
            findings_by_place.setdefault(place, []).append(finding)
    for place, group in findings_by_place.items():
        main = next((finding for finding in group if finding.pointer == place), None)
        if main is None:
            findings.extend(
                finding if finding.source_pointer is not None else replace(finding, source_pointer=origins[place])
                for finding in group
            )
        else:
            findings.append(_untranslated_finding(main, sides.source.format, place, parts.at(place), origins[place]))
    return findings


def _untranslated_finding(finding: Finding, source_format: str, place: str, part: Any, origin: str | None) -> Finding:
    message = f"this has the form of {source_format}: it was passed through untranslated"
    return replace(finding, pointer=place, message=message, want=MISSING, got=part, source_pointer=origin)


def _schema_pointers(sides: Sides) -> frozenset[str]:
    """The pointers of the schemas of the source's tools: equal parts there are JSON Schema in either format."""
    return frozenset(tool.schema_pointer for tool in sides.source.tools if tool.schema_pointer is not None)


class _SourceParts:
    """The objects in lists of the source. Only those with the keys of an object looked for are compared as text."""

    def __init__(self, body: Any, schemas: frozenset[str]) -> None:
        self._schemas = schemas
        self._parts: dict[frozenset[str], list[tuple[Any, str]]] = {}
        self._places: dict[frozenset[str], dict[str, str]] = {}
        self._places_by_id: dict[str, list[str]] | None = None
        if isinstance(body, (dict, list)):
            self._add(body, "")

    def place_of(self, part: Any) -> str | None:
        """The pointer of the last object that is equal to ``part``; None if there is none."""
        keys = frozenset(part)
        if keys not in self._places:
            self._places[keys] = {_json_key(entry): pointer for entry, pointer in self._parts.get(keys, ())}
        places = self._places[keys]
        return places.get(_json_key(part)) if places else None

    def place_of_ids(self, part: dict[str, Any]) -> str | None:
        """The pointer of the only object that has an id of ``part``; None if there is none, or there are several."""
        if self._places_by_id is None:
            self._places_by_id = {}
            for entry, pointer in (entry for group in self._parts.values() for entry in group):
                if isinstance(entry.get("id"), str):
                    self._places_by_id.setdefault(entry["id"], []).append(pointer)
        ids = [value for key, value in part.items() if key.endswith("id") and isinstance(value, str)]
        places = [pointer for part_id in ids for pointer in self._places_by_id.get(part_id, ())]
        return places[0] if len(set(places)) == 1 else None

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


class _OutputParts:
    """The objects in lists of the output. A list that many findings are in is looked up once."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._lists: dict[str, list[Any]] = {}

    def part_around(self, pointer: str) -> str | None:
        """The pointer of the object in a list that a finding is at, or at a key of; the key may be missing."""
        places = pointer, pointer.rpartition("/")[0]
        return next((place for place in places if place and isinstance(self.at(place), dict)), None)

    def at(self, place: str) -> Any:
        """The entry at a place in a list; None if there is no list, or it is not as long."""
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


def _json_key(value: Any) -> str:
    return _ENCODER.encode(value)


def add_schema_origins(output_findings: Sequence[Finding], pair: Pair, source: Any, output: Any) -> list[Finding]:
    """The findings, with a ``source_pointer`` on those at a part of a schema that was copied from the source.

    Of the other findings of a format's own rules only those at a copied part have a ``source_pointer``.
    """
    schemas = [
        (twin.schema_pointer, tool.schema_pointer)
        for tool, twin in pair.tool_pairs
        if twin.schema_pointer is not None and tool.schema_pointer is not None
    ]
    return (
        [_add_origin(finding, schemas, source, output) for finding in output_findings]
        if schemas
        else list(output_findings)
    )


def _add_origin(finding: Finding, schemas: Sequence[tuple[str, str]], source: Any, output: Any) -> Finding:
    if finding.source_pointer is not None:
        return finding
    for output_schema, source_schema in schemas:
        if f"{finding.pointer}/".startswith(f"{output_schema}/"):
            origin = source_schema + finding.pointer[len(output_schema) :]
            try:
                same = resolve(source, origin) == resolve(output, finding.pointer)
            except LookupError:
                return finding
            return replace(finding, source_pointer=origin) if same else finding
    return finding
