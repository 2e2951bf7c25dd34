"""Rules on tools and on the choice among them, and what ``strict: true`` asks of a parameter schema.

https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, one_of
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import OBJECT, another_text, first_choices, object_with_values
from toolcall_conformance.formats.json_schemas import invalid_keywords
from toolcall_conformance.formats.rule import Subject, rule


@rule("openai_chat/tool-names-unique", "request")
def tool_names_unique(subject: Subject) -> Iterator[Breach]:
    pointers: dict[str, str] = {}
    names = first_choices(tool.name for tool in subject.reading.tools)
    for tool in subject.reading.tools:
        if tool.name is None or tool.name_pointer is None:
            continue
        if tool.name in pointers:
            message = f"the tool at {pointers[tool.name]} has this name already; each tool must have its own"
            want = another_text(tool.name, names)
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
    for schema, pointer, owner in _strict_schemas(subject):
        if schema is MISSING:
            message = "strict mode wants a schema, also for a tool without parameters"
            yield Breach(pointer, message, OBJECT, MISSING, subject=owner)
            continue
        for place, message, want, got in open_object_faults(schema, pointer):
            yield Breach(place, message, want, got, subject=owner)


@rule("openai_chat/strict-keywords", "request")
def strict_keywords(subject: Subject) -> Iterator[Breach]:
    for schema, pointer, owner in _strict_schemas(subject):
        for place, keyword in unsupported_keywords(schema, pointer):
            message = f"strict mode does not have the keyword {keyword}"
            yield Breach(place, message, MISSING, keyword, subject=owner)


@rule("openai_chat/answer-schema-valid", "request")
def answer_schema_valid(subject: Subject) -> Iterator[Breach]:
    answer = Node(subject.body).child("response_format").child("json_schema").child("schema")
    yield from invalid_keywords(answer.value, answer.pointer)


def _strict_schemas(subject: Subject) -> Iterator[tuple[Any, str, str]]:
    """Yield (schema or MISSING, pointer, owner's label) of every strict function tool and strict response format."""
    for tool in subject.reading.tools:
        if tool.strict and tool.kind == "function":
            if tool.schema_pointer is None:
                yield MISSING, tool.pointer, f"tool {tool.name}"
            else:
                yield tool.schema, tool.schema_pointer, f"tool {tool.name}"
    answer = Node(subject.body).child("response_format").child("json_schema")
    if answer.get("strict") is True and isinstance(answer.get("schema"), dict):
        yield answer.get("schema"), answer.child("schema").pointer, "the response format"


UNSUPPORTED_KEYWORDS = ("oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")

_MAPS = ("properties", "$defs", "definitions", "patternProperties")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not")


def subschemas(schema: Any, pointer: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield a schema and every schema in it, each with its pointer."""
    waiting = [(schema, pointer)]
    while waiting:
        schema, pointer = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield schema, pointer
        for key, value in schema.items():
            if key in _MAPS and isinstance(value, dict):
                waiting.extend((entry, join(pointer, key, name)) for name, entry in value.items())
            elif key in _LISTS and isinstance(value, list):
                waiting.extend((entry, join(pointer, key, index)) for index, entry in enumerate(value))
            elif key in _SINGLES:
                waiting.append((value, join(pointer, key)))


def open_object_faults(schema: Any, pointer: str) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield (pointer, message, expected members, actual members) for each object schema that strict mode refuses."""
    for inner, place in subschemas(schema, pointer):
        if not _is_object(inner):
            continue
        if inner.get("additionalProperties") is not False:
            message = "strict mode wants additionalProperties: false at every object"
            yield (
                place,
                message,
                object_with_values(additionalProperties=False),
                _member_as_object(inner, "additionalProperties"),
            )
        properties, required = inner.get("properties"), inner.get("required")
        keys = properties if isinstance(properties, dict) else {}
        listed = required if isinstance(required, list) else []
        missing = [key for key in keys if key not in listed]
        if missing:
            message = f"strict mode wants every property in required; it lacks {', '.join(missing)}"
            yield place, message, object_with_values(required=list(keys)), _member_as_object(inner, "required")


def _member_as_object(schema: dict[str, Any], key: str) -> dict[str, Any]:
    return {key: schema[key]} if key in schema else {}


def unsupported_keywords(schema: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Yield (pointer, keyword) of every keyword that strict mode does not have."""
    for inner, place in subschemas(schema, pointer):
        for keyword in UNSUPPORTED_KEYWORDS:
            if keyword in inner:
                yield join(place, keyword), keyword


def _is_object(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in schema
