"""Rules on tools and on the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, one_of
from toolcall_conformance.basics.reading import Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.json_schemas import invalid
from toolcall_conformance.formats.openai_chat.rules.strictness import open_objects, unsupported_keywords
from toolcall_conformance.formats.rule import Subject, rule
from toolcall_conformance.formats.wanted import OBJECT, another, first_of


@rule("openai_chat/tool-names-unique", "request")
def tool_names_unique(subject: Subject) -> Iterator[Breach]:
    pointers: dict[str, str] = {}
    names = first_of(tool.name for tool in subject.reading.tools)
    for tool in subject.reading.tools:
        if tool.name is None or tool.name_pointer is None:
            continue
        if tool.name in pointers:
            message = f"the tool at {pointers[tool.name]} has this name already; each tool must have its own"
            want = another(tool.name, names)
            yield Breach(tool.name_pointer, message, want, tool.name, subject=f"tool {tool.name}")
        pointers.setdefault(tool.name, tool.pointer)


@rule("openai_chat/tool-choice-declared", "request")
def tool_choice_declared(subject: Subject) -> Iterator[Breach]:
    choice = subject.reading.settings.get("tool_choice")
    # Without any tools it is the choice itself that is wrong.
    if choice is None or not isinstance(choice.value, dict) or not subject.reading.tools:
        return
    declared = dict.fromkeys(tool.name for tool in subject.reading.tools if tool.name)
    names = choice.value.get("names")
    for name in names if isinstance(names, list) else []:
        if isinstance(name, str) and name not in declared:
            message = f"the tool {name} is chosen and not declared"
            yield Breach(choice.pointer, message, one_of(declared), name, subject=f"tool {name}")


@rule("openai_chat/strict-schema", "request")
def strict_schema(subject: Subject) -> Iterator[Breach]:
    for schema, pointer, of in _strict(subject):
        if schema is MISSING:
            message = "strict mode wants a schema, also for a tool without parameters"
            yield Breach(pointer, message, OBJECT, MISSING, subject=of)
            continue
        for place, message, want, got in open_objects(schema, pointer):
            yield Breach(place, message, want, got, subject=of)


@rule("openai_chat/strict-keywords", "request")
def strict_keywords(subject: Subject) -> Iterator[Breach]:
    for schema, pointer, of in _strict(subject):
        for place, keyword in unsupported_keywords(schema, pointer):
            message = f"strict mode does not have the keyword {keyword}"
            yield Breach(place, message, MISSING, keyword, subject=of)


@rule("openai_chat/answer-schema-valid", "request")
def answer_schema_valid(subject: Subject) -> Iterator[Breach]:
    answer = Node(subject.body).child("response_format").child("json_schema").child("schema")
    yield from invalid(answer.value, answer.pointer)


def _strict(subject: Subject) -> Iterator[tuple[Any, str, str]]:
    """(schema or MISSING, pointer, what it is of) of every function tool, and of a response format, that is strict."""
    for tool in subject.reading.tools:
        if tool.strict and tool.kind == "function":
            if tool.schema_pointer is None:
                yield MISSING, tool.pointer, f"tool {tool.name}"
            else:
                yield tool.schema, tool.schema_pointer, f"tool {tool.name}"
    answer = Node(subject.body).child("response_format").child("json_schema")
    if answer.get("strict") is True and isinstance(answer.get("schema"), dict):
        yield answer.get("schema"), answer.child("schema").pointer, "the response format"
