"""Rules on tools, tool choice and cache marks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from toolcall_conformance.formats.anthropic.rules.view import (
    ContentBlock,
    blocks_of,
    is_client_tool,
    messages,
    system,
    tools,
)
from toolcall_conformance.formats.rule import Subject, rule
from toolcall_conformance.jsonvalue import join
from toolcall_conformance.reading import Node
from toolcall_conformance.reading.breach import Breach

#: How many places of a request may be marked for caching.
CACHE_MARKS = 4


@rule("anthropic/tool-name-unique", "request")
def tool_name_unique(subject: Subject) -> Iterator[Breach]:
    seen: set[str] = set()
    for tool in subject.view(tools):
        name = tool.text("name")
        if name in seen:
            yield Breach(tool.at("name"), f"another tool is named {name}, too", got=name)
        if name is not None:
            seen.add(name)


@rule("anthropic/tool-schema-valid", "request")
def tool_schema_valid(subject: Subject) -> Iterator[Breach]:
    for tool in subject.view(tools):
        schema = tool.value.get("input_schema")
        if is_client_tool(tool) and isinstance(schema, dict):
            for path, message in _faults(json.dumps(schema)):
                yield Breach(join(tool.at("input_schema"), *path), message)


@lru_cache(maxsize=1024)
def _faults(text: str) -> tuple[tuple[tuple[str | int, ...], str], ...]:
    """Where a schema breaks the meta-schema of draft 2020-12; cached, since tools recur in every request."""
    import jsonschema  # takes its time to import, and who only reads bodies does not need it

    validator = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
    errors = validator.iter_errors(json.loads(text))
    # Unions of the meta-schema repeat a fault along every branch; one a place is enough.
    found = {tuple(error.absolute_path): error.message[:200] for error in errors}
    return tuple(sorted(found.items(), key=lambda fault: [str(step) for step in fault[0]]))


@rule("anthropic/tool-schema-refs", "request")
def tool_schema_refs(subject: Subject) -> Iterator[Breach]:
    for tool in subject.view(tools):
        schema = tool.value.get("input_schema")
        if is_client_tool(tool) and isinstance(schema, dict):
            for pointer, target in _references(schema, tool.at("input_schema")):
                if not _resolves(schema, target):
                    yield Breach(pointer, f"nothing stands at {target} in this schema", got=target)


def _references(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Every local ``$ref`` with its pointer."""
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith("#"):
            yield join(pointer, "$ref"), target
    if isinstance(value, (dict, list)):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in ("enum", "const", "default", "examples"):
                yield from _references(entry, join(pointer, key))


def _resolves(schema: dict[str, Any], target: str) -> bool:
    if not target.startswith("#/"):
        # "#" is the root; "#name" an anchor, which may stand anywhere.
        return target == "#" or f'"$anchor": {json.dumps(target[1:])}' in json.dumps(schema)
    node = Node(schema)
    for token in target[2:].split("/"):
        key = token.replace("~1", "/").replace("~0", "~")
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
    for tool in subject.view(tools):
        if is_client_tool(tool) and tool.value.get("strict") is True:
            for pointer, schema in _subschemas(tool.value.get("input_schema"), tool.at("input_schema")):
                if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
                    yield Breach(pointer, want=False, got=schema.get("additionalProperties"))


def _subschemas(schema: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A schema and the schemas in it."""
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
    declared = {tool.text("name") for tool in subject.view(tools)}
    if choice.get("type") == "tool" and isinstance(name.value, str) and declared and name.value not in declared:
        yield Breach(name.pointer, f"no tool named {name.value} is declared", got=name.value)


@rule("anthropic/tool-choice-needs-tools", "request")
def tool_choice_needs_tools(subject: Subject) -> Iterator[Breach]:
    root = Node(subject.body)
    if root.get("tool_choice") is not None and not root.get("tools") and not root.get("mcp_servers"):
        yield Breach(root.child("tool_choice").pointer)


@rule("anthropic/cache-breakpoints", "request")
def cache_breakpoints(subject: Subject) -> Iterator[Breach]:
    marked = [block for block in _cacheable(subject) if isinstance(block.value.get("cache_control"), dict)]
    for number, block in enumerate(marked[CACHE_MARKS:], CACHE_MARKS + 1):
        yield Breach(block.at("cache_control"), f"this is mark number {number}, and {CACHE_MARKS} are allowed")


@rule("anthropic/cache-mark-on-result", "request")
def cache_mark_on_result(subject: Subject) -> Iterator[Breach]:
    for message in subject.view(messages):
        for block in message.blocks:
            if block.type == "tool_result":
                for inner in blocks_of(block.value.get("content"), f"{block.pointer}/content"):
                    if isinstance(inner.value.get("cache_control"), dict):
                        yield Breach(inner.at("cache_control"))


def _cacheable(subject: Subject) -> Iterator[ContentBlock]:
    yield from subject.view(tools)
    yield from subject.view(system)
    for message in subject.view(messages):
        for block in message.blocks:
            yield block
            if block.type == "tool_result":
                yield from blocks_of(block.value.get("content"), f"{block.pointer}/content")
