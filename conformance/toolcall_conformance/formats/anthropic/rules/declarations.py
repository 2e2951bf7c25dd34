"""Rules on tools, tool choice and cache marks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.findings import MISSING, Form, OneOf, one_of
from toolcall_conformance.basics.jsonvalue import join, resolve, unescape
from toolcall_conformance.basics.reading import Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.anthropic.rules.view import (
    ContentBlock,
    blocks_of,
    continues_thread,
    is_client_tool,
    messages,
    system,
    tools,
)
from toolcall_conformance.formats.expected_values import another_text, first_choices, object_with_values
from toolcall_conformance.formats.json_schemas import SCHEMA_TYPES, invalid_keywords
from toolcall_conformance.formats.rule import Subject, rule

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

#: How many cache marks a request may have.
MAX_CACHE_MARKS = 4


@rule("anthropic/tool-name-unique", "request")
def tool_name_unique(subject: Subject) -> Iterator[Breach]:
    pointers: dict[str, str] = {}
    all_tools = subject.derive(tools)
    names = first_choices(tool.text("name") for tool in all_tools)
    for place, tool in enumerate(all_tools):
        name = tool.text("name")
        if name is not None and name in pointers:
            message = f"the tool at {pointers[name]} has this name already; each tool must have its own"
            want = another_text(name, names)
            yield Breach(tool.member_pointer("name"), message, want, name, subject=f"tool {place + 1}, {name}")
        elif name is not None:
            pointers[name] = tool.pointer


@rule("anthropic/tool-schema-valid", "request")
def tool_schema_valid(subject: Subject) -> Iterator[Breach]:
    for tool in subject.derive(tools):
        schema = tool.value.get("input_schema")
        if is_client_tool(tool) and isinstance(schema, dict):
            for path, message, want in _schema_errors(json.dumps(schema)):
                pointer = join(tool.member_pointer("input_schema"), *path)
                yield Breach(pointer, message, want, resolve(schema, join("", *path)))


@lru_cache(maxsize=1024)
def _schema_errors(text: str) -> tuple[tuple[tuple[str | int, ...], str, Any], ...]:
    """Return (path, message, expected value) of each fault of a schema by draft 2020-12. Cached: tools recur."""
    import jsonschema  # slow to import, and only this rule needs it

    validator = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
    errors = validator.iter_errors(json.loads(text))
    # Unions of the meta-schema repeat a fault in every branch; one per path is enough.
    try:
        errors_by_path = {tuple(error.absolute_path): error for error in errors}
    except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
        return ()  # nested too deep to validate
    places = sorted(errors_by_path, key=lambda place: [str(step) for step in place])
    return tuple((place, *_message_and_want(place, errors_by_path[place])) for place in places)


def _message_and_want(place: tuple[str | int, ...], error: ValidationError) -> tuple[str, Any]:
    """Return the message of a schema error and the value that should be at its path."""
    if place[-1:] != ("type",):
        return error.message[:200], _failed_keyword_form(error)
    lower = error.instance.lower() if isinstance(error.instance, str) else None
    want = lower if lower in SCHEMA_TYPES else OneOf(SCHEMA_TYPES)
    return "this must be a type of JSON Schema, which are in lower case", want


def _failed_keyword_form(error: ValidationError) -> Form:
    """Return the form that the failed keyword requires."""
    schema: Any = error.schema
    return Form({keyword: schema[keyword] for keyword in ("type", str(error.validator)) if keyword in schema})


@rule("anthropic/answer-schema-valid", "request")
def answer_schema_valid(subject: Subject) -> Iterator[Breach]:
    for holder in (
        Node(subject.body).child("output_config").child("format"),
        Node(subject.body).child("output_format"),
    ):
        schema = holder.child("schema")
        yield from invalid_keywords(schema.value, schema.pointer)


@rule("anthropic/tool-schema-refs", "request")
def tool_schema_refs(subject: Subject) -> Iterator[Breach]:
    for tool in subject.derive(tools):
        schema = tool.value.get("input_schema")
        if is_client_tool(tool) and isinstance(schema, dict):
            for pointer, target in _local_references(schema, tool.member_pointer("input_schema")):
                if not _reference_exists(schema, target):
                    message = f"nothing is at {target} in this schema, where $ref leads"
                    yield Breach(pointer, message, _existing_reference_form(schema, target), target)


def _existing_reference_form(schema: dict[str, Any], target: str) -> Form:
    """Return the form of a reference that exists: one of the schema's definitions, if it has any."""
    holders = {key: schema.get(key) for key in ("$defs", "definitions")}
    names = [
        f"#{join('', key, name)}"
        for key, definitions in holders.items()
        if isinstance(definitions, dict)
        for name in definitions
    ]
    return Form({"enum": names} if names else {"type": "string", "not": {"const": target}})


def _local_references(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Yield the pointer and target of each local ``$ref``."""
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith("#"):
            yield join(pointer, "$ref"), target
    if isinstance(value, (dict, list)):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in ("enum", "const", "default", "examples"):
                yield from _local_references(entry, join(pointer, key))


def _reference_exists(schema: dict[str, Any], target: str) -> bool:
    """Whether a local reference leads to a subschema or an anchor of ``schema``."""
    if not target.startswith("#/"):
        # "#" is the root; "#name" an anchor, which may be anywhere.
        return target == "#" or f'"$anchor": {json.dumps(target[1:])}' in json.dumps(schema)
    node = Node(schema)
    for token in target[2:].split("/"):
        key = unescape(token)
        if key not in node:
            entries = list(node.each())
            if not key.isdigit() or int(key) >= len(entries):
                return False
            node = entries[int(key)]
        else:
            node = node.child(key)
    return True


@rule("anthropic/tool-strict-closed", "request")
def tool_strict_closed(subject: Subject) -> Iterator[Breach]:
    answer = Node(subject.body).child("output_config").child("format")
    schema = answer.child("schema")
    strict = [tool for tool in subject.derive(tools) if is_client_tool(tool) and tool.value.get("strict") is True]
    wholes = [(tool.value.get("input_schema"), tool.member_pointer("input_schema")) for tool in strict]
    for whole, at in [(schema.value, schema.pointer), *wholes]:
        for pointer, inner in _subschemas(whole, at):
            if inner.get("type") == "object" and inner.get("additionalProperties") is not False:
                got = {key: inner[key] for key in ("additionalProperties",) if key in inner}
                yield Breach(pointer, want=object_with_values(additionalProperties=False), got=got)


def _subschemas(schema: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and every schema in it, each with its pointer."""
    if not isinstance(schema, dict):
        return
    yield pointer, schema
    for key in ("properties", "$defs", "definitions"):
        children = schema.get(key)
        for name, child in children.items() if isinstance(children, dict) else ():
            yield from _subschemas(child, join(pointer, key, name))
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        children = schema.get(key)
        for place, child in enumerate(children) if isinstance(children, list) else ():
            yield from _subschemas(child, join(pointer, key, place))
    yield from _subschemas(schema.get("items"), join(pointer, "items"))


@rule("anthropic/tool-choice-declared", "request")
def tool_choice_declared(subject: Subject) -> Iterator[Breach]:
    choice = Node(subject.body).child("tool_choice")
    name = choice.child("name")
    declared = [tool_name for tool in subject.derive(tools) if (tool_name := tool.text("name"))]
    if choice.get("type") == "tool" and isinstance(name.value, str) and declared and name.value not in declared:
        yield Breach(name.pointer, f"no tool named {name.value} is declared", one_of(declared), name.value)


@rule("anthropic/tool-choice-needs-tools", "request")
def tool_choice_needs_tools(subject: Subject) -> Iterator[Breach]:
    root = Node(subject.body)
    if subject.derive(continues_thread):
        return  # its tools are those of the thread
    if root.get("tool_choice") is not None and not root.get("tools") and not root.get("mcp_servers"):
        yield Breach(root.child("tool_choice").pointer, want=MISSING, got=root.get("tool_choice"))


@rule("anthropic/cache-breakpoints", "request")
def cache_breakpoints(subject: Subject) -> Iterator[Breach]:
    marked = [block for block in _cacheable_blocks(subject) if isinstance(block.value.get("cache_control"), dict)]
    for number, block in enumerate(marked[MAX_CACHE_MARKS:], MAX_CACHE_MARKS + 1):
        message = f"this is mark number {number}, and only {MAX_CACHE_MARKS} are allowed"
        yield Breach(block.member_pointer("cache_control"), message, MISSING, block.value["cache_control"])


@rule("anthropic/cache-mark-on-result", "request")
def cache_mark_on_result(subject: Subject) -> Iterator[Breach]:
    for message in subject.derive(messages):
        for block in message.blocks:
            if block.type == "tool_result":
                for inner in blocks_of(block.value.get("content"), f"{block.pointer}/content"):
                    if isinstance(inner.value.get("cache_control"), dict):
                        reason = f"cache_control must be on the tool_result itself, {block.pointer}"
                        yield Breach(
                            inner.member_pointer("cache_control"), reason, MISSING, inner.value["cache_control"]
                        )


@rule("anthropic/one-tool-loaded", "request")
def one_tool_loaded(subject: Subject) -> Iterator[Breach]:
    declared = subject.derive(tools)
    if declared and all(tool.value.get("defer_loading") is True for tool in declared):
        yield Breach(declared[0].member_pointer("defer_loading"), want=MISSING, got=True)


@rule("anthropic/deferred-not-cached", "request")
def deferred_not_cached(subject: Subject) -> Iterator[Breach]:
    for place, tool in enumerate(subject.derive(tools)):
        mark = tool.value.get("cache_control")
        if isinstance(mark, dict) and tool.value.get("defer_loading") is True:
            name = tool.text("name") or ""
            yield Breach(
                tool.member_pointer("cache_control"), want=MISSING, got=mark, subject=f"tool {place + 1}, {name}"
            )


def _cacheable_blocks(subject: Subject) -> Iterator[ContentBlock]:
    yield from subject.derive(tools)
    yield from subject.derive(system)
    for message in subject.derive(messages):
        for block in message.blocks:
            yield block
            if block.type == "tool_result":
                yield from blocks_of(block.value.get("content"), f"{block.pointer}/content")
