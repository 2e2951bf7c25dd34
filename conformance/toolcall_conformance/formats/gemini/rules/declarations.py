"""Rules on tools and the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, one_of
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import another_text, first_choices
from toolcall_conformance.formats.gemini.proto_json import entries, member, root
from toolcall_conformance.formats.json_schemas import invalid_keywords
from toolcall_conformance.formats.rule import Subject, rule


@rule("gemini/names-unique", "request")
def names_unique(subject: Subject) -> Iterator[Breach]:
    pointers: dict[str, str] = {}
    names = first_choices(tool.name for tool in subject.reading.tools if tool.kind == "function")
    for tool in subject.reading.tools:
        if tool.kind != "function" or tool.name is None:
            continue
        if tool.name in pointers:
            message = f"the function at {pointers[tool.name]} has this name already; each must have its own"
            want = another_text(tool.name, names)
            yield Breach(tool.name_pointer or tool.pointer, message, want, tool.name, subject=tool.name)
        pointers.setdefault(tool.name, tool.pointer)


@rule("gemini/functions-in-one-tool", "request")
def functions_in_one_tool(subject: Subject) -> Iterator[Breach]:
    holders = [tool for tool in entries(root(subject.body).child("tools")) if list(_declarations(tool))]
    for tool in holders[1:]:
        yield Breach(tool.pointer, f"these functions must be declared in {holders[0].pointer}, with the others")


def _declarations(tool: Node) -> Iterator[Node]:
    return entries(tool.child("functionDeclarations"))


@rule("gemini/allowed-names-declared", "request")
def allowed_names_declared(subject: Subject) -> Iterator[Breach]:
    declared = dict.fromkeys(tool.name for tool in subject.reading.tools if tool.kind == "function" and tool.name)
    config = root(subject.body).child("toolConfig").child("functionCallingConfig")
    for name in config.child("allowedFunctionNames").each():
        if isinstance(name.value, str) and name.value not in declared:
            yield Breach(name.pointer, "", one_of(declared), name.value, subject=name.value)


@rule("gemini/choice-without-functions", "request")
def choice_without_functions(subject: Subject) -> Iterator[Breach]:
    config = root(subject.body).child("toolConfig").child("functionCallingConfig")
    if config.value and not any(tool.kind == "function" for tool in subject.reading.tools):
        yield Breach(config.pointer, want=MISSING, got=config.value)


@rule("gemini/json-schema-valid", "request")
def json_schema_valid(subject: Subject) -> Iterator[Breach]:
    for tool in entries(root(subject.body).child("tools")):
        for declared in _declarations(tool):
            schema = declared.child("parametersJsonSchema")
            # The type of the root is another rule's.
            at = join(schema.pointer, "type")
            yield from (breach for breach in invalid_keywords(schema.value, schema.pointer) if breach.pointer != at)
    answer = root(subject.body).child("generationConfig").child("responseJsonSchema")
    yield from invalid_keywords(answer.value, answer.pointer)


@rule("gemini/schema-required-defined", "request")
def schema_required_defined(subject: Subject) -> Iterator[Breach]:
    for tool in entries(root(subject.body).child("tools")):
        for declaration in _declarations(tool):
            parameters = declaration.child("parameters")
            name = declaration.get("name")
            for pointer, key, defined in _undefined_required_keys(parameters.value, parameters.pointer):
                message = f"properties of this schema has {', '.join(defined) or 'no property'}, and not {key}"
                yield Breach(pointer, message, MISSING, key, subject=name if isinstance(name, str) else "")


def _undefined_required_keys(schema: Any, pointer: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield, at every depth, each key in ``required`` that is no property: its pointer, the key, the properties."""
    waiting = [(schema, pointer)]  # no recursion: schemas may be deep
    while waiting:
        inner_schema, at = waiting.pop()
        if not isinstance(inner_schema, dict):
            continue
        properties = _properties(inner_schema)
        required = inner_schema.get("required")
        for index, key in enumerate(required if isinstance(required, list) else []):
            if isinstance(key, str) and key not in properties:
                yield join(at, "required", index), key, list(properties)
        waiting.extend(reversed(list(_child_schemas(inner_schema, at))))


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _child_schemas(schema: dict[str, Any], pointer: str) -> Iterator[tuple[Any, str]]:
    """Yield the values at the places where a schema may hold schemas, each with its pointer."""
    for key, entry in _properties(schema).items():
        yield entry, join(pointer, "properties", key)
    if "items" in schema:
        yield schema["items"], join(pointer, "items")
    branches = member(schema, "anyOf")
    spelling = "anyOf" if "anyOf" in schema else "any_of"
    for index, entry in enumerate(branches if isinstance(branches, list) else []):
        yield entry, join(pointer, spelling, index)
