"""What the judge's reader finds in a request, without the places where it found it."""

from __future__ import annotations

import dataclasses
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.reading import Hosted, Media, Opaque
from toolcall_reference.formats.gemini.protojson import to_camel_case

# Base64 has two alphabets, and SDKs re-write bytes in theirs.
_STANDARD = str.maketrans("-_", "+/")


def elements(name: str, body: Any) -> list[str]:
    """The elements of a request in order, each in words that are equal where the elements are.

    Tools come without their schemas: schemas are compared keyword by keyword, and spelling is free there.
    """
    reading = formats.read(name, "request", body)
    lines = [f"system {_words(text)}" for text in reading.system]
    lines += [f"{turn.side} {_words(item)}" for turn in reading.turns for item in turn.items]
    lines += [f"tool {canonical([tool.name, tool.description, tool.kind, tool.strict])}" for tool in reading.tools]
    lines += sorted(f"setting {key} {canonical(setting.value)}" for key, setting in reading.settings.items())
    return lines + sorted(f"residue {entry.key} {canonical(entry.value)}" for entry in reading.residue)


def _words(item: Any) -> str:
    return f"{type(item).__name__} {canonical(_plain(item))}"


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if not dataclasses.is_dataclass(value):
        return value
    members = {
        field.name: _plain(getattr(value, field.name))
        for field in dataclasses.fields(value)
        if not field.name.endswith("pointer")
    }
    for key in {Opaque: ("value",), Media: ("data",)}.get(type(value), ()):
        if members[key] is not None:
            members[key] = members[key].translate(_STANDARD).rstrip("=")
    if isinstance(value, Hosted):
        members["value"] = to_camel_case(members["value"])  # the keys of a step as Google's SDK spells them
    return members
