"""The protocol of ``exec:`` translators for any language: its text, message schemas, and starters to copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.jsonvalue import parse

FOLDER = Path(__file__).parent
STARTERS = FOLDER / "starters"
PROTOCOL_TEXT = FOLDER / "PROTOCOL.md"


def load_schema() -> dict[str, Any]:
    """Return the JSON Schema of all messages, with one entry of ``$defs`` for each."""
    document: dict[str, Any] = parse((FOLDER / "messages.schema.json").read_text(encoding="utf-8"))
    return document


def load_message_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of one message with the definitions that it refers to. Raises KeyError."""
    whole = load_schema()
    definitions = whole["$defs"]
    needed: dict[str, Any] = {}
    pending = [name]
    while pending:
        definition = pending.pop()
        if definition not in needed:
            needed[definition] = definitions[definition]
            pending += _referenced_names(needed[definition])
    return {
        "$schema": whole["$schema"],
        "$ref": f"#/$defs/{name}",
        "$defs": {key: value for key, value in definitions.items() if key in needed},
    }


def _referenced_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].removeprefix("#/$defs/")
        for entry in value.values():
            yield from _referenced_names(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _referenced_names(entry)
