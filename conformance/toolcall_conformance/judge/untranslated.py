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
    kept: dict[str, list[Finding]] = {}
    found = []
    for finding in own:
        place = _part_of(output, finding.pointer) if finding.is_must else None
        if place is None or _key(resolve(output, place)) not in given:
            found.append(finding)
        else:
            kept.setdefault(place, []).append(finding)
    for place, told in kept.items():
        part = resolve(output, place)
        main = next((one for one in told if one.pointer == place), None)
        if main is None:
            found.extend(told)
        else:
            found.append(_told(main, sides.source.format, place, part, given[_key(part)]))
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


def _part_of(output: Any, pointer: str) -> str | None:
    """Where the object in a list is that a finding is at, or at a key of; the key may be missing."""
    for place in (pointer, pointer.rpartition("/")[0]):
        holder = place.rpartition("/")[0]
        try:
            in_list = bool(place) and isinstance(resolve(output, holder), list)
            if in_list and isinstance(resolve(output, place), dict):
                return place
        except LookupError:
            continue
    return None


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
