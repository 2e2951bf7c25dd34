"""GenAI messages against the official schemas, part by part: the generic part of the schemas accepts anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema

from toolcall_conformance.basics.jsonvalue import parse
from toolcall_conformance.library import default_root

FOLDER = default_root() / "otel"
FACTS = parse((FOLDER / "otel.json").read_bytes())


@cache
def schema(name: str) -> Any:
    """A schema as it was published."""
    return parse((FOLDER / "schemas" / name).read_bytes())


@cache
def _validator(name: str, definition: str | None) -> Any:
    whole = schema(name)
    whole_schema = whole if definition is None else {"$defs": whole["$defs"], "$ref": f"#/$defs/{definition}"}
    return jsonschema.Draft202012Validator(whole_schema)


def _errors(name: str, definition: str | None, value: Any, where: str) -> Iterator[str]:
    for error in _validator(name, definition).iter_errors(value):
        yield f"{where}{error.json_path.removeprefix('$')}: {error.message}"


def faults(messages: Mapping[str, Any], counts: Counter[str] | None = None) -> list[str]:
    """What is wrong with the four lists; ``counts`` gets the number of checked parts of each type."""
    problems: list[str] = []
    for key, facts in FACTS["attributes"].items():
        value = messages[key]
        if not _validator(facts["schema"], None).is_valid(value):
            problems += _errors(facts["schema"], None, value, key)
        parts = [part for message in value for part in message["parts"]] if "message" in facts else value
        definitions = FACTS["definitions"] if key == "tool_definitions" else FACTS["parts"]
        for part in parts:
            definition = definitions.get(part["type"])
            if definition is not None:
                problems += _errors(facts["schema"], definition, part, f"{key} {part['type']}")
            elif key != "tool_definitions" and (part["type"] != "generic" or "generic_type" not in part):
                problems.append(f"{key}: {part['type']} is no type of a part")
            if counts is not None:
                counts[part["type"] if key != "tool_definitions" else "tool definition"] += 1
    return problems
