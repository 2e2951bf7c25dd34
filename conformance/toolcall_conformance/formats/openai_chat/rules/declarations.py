"""Rules on tools and on the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.formats.openai_chat.rules.strictness import open_objects, unsupported_keywords
from toolcall_conformance.formats.rule import Subject, rule
from toolcall_conformance.reading.breach import Breach


@rule("openai_chat/tool-names-unique", "request")
def tool_names_unique(subject: Subject) -> Iterator[Breach]:
    seen: set[str] = set()
    for tool in subject.reading.tools:
        if tool.name is None or tool.name_pointer is None:
            continue
        if tool.name in seen:
            yield Breach(tool.name_pointer, got=tool.name, subject=f"tool {tool.name}")
        seen.add(tool.name)


@rule("openai_chat/tool-choice-declared", "request")
def tool_choice_declared(subject: Subject) -> Iterator[Breach]:
    choice = subject.reading.settings.get("tool_choice")
    # Without any tools it is the choice itself that is wrong.
    if choice is None or not isinstance(choice.value, dict) or not subject.reading.tools:
        return
    declared = {tool.name for tool in subject.reading.tools}
    names = choice.value.get("names")
    for name in names if isinstance(names, list) else []:
        if isinstance(name, str) and name not in declared:
            yield Breach(choice.pointer, got=name, subject=f"tool {name}")


@rule("openai_chat/strict-schema", "request")
def strict_schema(subject: Subject) -> Iterator[Breach]:
    for schema, pointer, name in _strict(subject):
        if schema is MISSING:
            message = "strict mode wants a schema, also for a tool without parameters"
            yield Breach(pointer, message, subject=f"tool {name}")
            continue
        for place, message in open_objects(schema, pointer):
            yield Breach(place, message, subject=f"tool {name}")


@rule("openai_chat/strict-keywords", "request")
def strict_keywords(subject: Subject) -> Iterator[Breach]:
    for schema, pointer, name in _strict(subject):
        for place, keyword in unsupported_keywords(schema, pointer):
            yield Breach(place, f"strict mode does not have the keyword {keyword}", subject=f"tool {name}")


def _strict(subject: Subject) -> Iterator[tuple[Any, str, str]]:
    """(schema or MISSING, pointer, name) of every function tool that is declared strict."""
    for tool in subject.reading.tools:
        if tool.strict and tool.kind == "function":
            if tool.schema_pointer is None:
                yield MISSING, tool.pointer, str(tool.name)
            else:
                yield tool.schema, tool.schema_pointer, str(tool.name)
