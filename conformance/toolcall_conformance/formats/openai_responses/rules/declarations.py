"""Rules on tools, their parameter schemas, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, one_of
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Node, Tool
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import another_text, first_choices, object_with_values
from toolcall_conformance.formats.json_schemas import SchemaPlace, invalid_keywords, subschemas
from toolcall_conformance.formats.openai_responses.rules.view import entries, member
from toolcall_conformance.formats.rule import Subject, rule


@rule("openai_responses/strict-schema", "request")
def strict_schema(subject: Subject) -> Iterator[Breach]:
    schemas = [
        (tool.schema, tool.schema_pointer or tool.pointer) for tool in subject.reading.tools if tool.strict is True
    ]
    response_format = member(member(subject.body, "text"), "format")
    if member(response_format, "strict") is True:
        schemas.append((member(response_format, "schema"), "/text/format/schema"))
    for schema, pointer in schemas:
        for node, place in subschemas(schema, pointer):
            yield from _open_object_faults(node, place)


def _open_object_faults(node: dict[str, Any], place: str) -> Iterator[Breach]:
    """Yield a breach if strict mode refuses an object schema."""
    properties = node.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    if not _is_of_type(node, "object") and not names:
        return
    required = node.get("required")
    listed = required if isinstance(required, list) else []
    missing = [name for name in names if name not in listed]
    faults: list[str] = []
    want: dict[str, Any] = {}
    if node.get("additionalProperties") is not False:
        faults.append("additionalProperties has to be false")
        want["additionalProperties"] = False
    if missing:
        faults.append(f"required has to list every property ({', '.join(missing)} missing)")
        want["required"] = names
    if faults:
        got = {key: node[key] for key in want if key in node}
        yield Breach(place, f"under strict, {' and '.join(faults)}", object_with_values(**want), got)


@rule("openai_responses/tool-schema-items", "request")
def tool_schema_items(subject: Subject) -> Iterator[Breach]:
    for node, place in _tool_schemas(subject):
        if _is_of_type(node, "array") and "items" not in node and "prefixItems" not in node:
            yield Breach(place, "an array in a parameter schema must have items, {} for any", want={}, got=MISSING)


@rule("openai_responses/tool-schema-properties", "request")
def tool_schema_properties(subject: Subject) -> Iterator[Breach]:
    for tool in _function_tools(subject):
        if isinstance(tool.schema, dict) and tool.schema.get("type") == "object" and "properties" not in tool.schema:
            yield Breach(tool.schema_pointer or tool.pointer, want={}, got=MISSING, subject=tool.name or "")


@rule("openai_responses/tool-schema-valid", "request")
def tool_schema_valid(subject: Subject) -> Iterator[Breach]:
    for tool in _function_tools(subject):
        at = tool.schema_pointer or tool.pointer
        # Another rule reports the type of the root.
        yield from (breach for breach in invalid_keywords(tool.schema, at) if breach.pointer != join(at, "type"))


@rule("openai_responses/answer-schema-valid", "request")
def answer_schema_valid(subject: Subject) -> Iterator[Breach]:
    answer = Node(subject.body).child("text").child("format").child("schema")
    yield from invalid_keywords(answer.value, answer.pointer)


@rule("openai_responses/tool-name-unique", "request")
def tool_name_unique(subject: Subject) -> Iterator[Breach]:
    pointers: dict[tuple[str, str], str] = {}
    siblings: dict[str, list[str | None]] = {}
    for tool in subject.reading.tools:
        siblings.setdefault(_list_pointer(tool), []).append(tool.name)
    for tool in subject.reading.tools:
        if tool.kind == "hosted" or tool.name is None:
            continue
        # Two namespaces may each have a tool of the same name.
        key = (_list_pointer(tool), tool.name)
        if key in pointers:
            message = f"the tool at {pointers[key]} has this name already; each tool must have its own"
            want = another_text(tool.name, first_choices(siblings[key[0]]))
            yield Breach(tool.name_pointer or tool.pointer, message, want, tool.name, subject=tool.name)
        pointers.setdefault(key, tool.pointer)


def _list_pointer(tool: Tool) -> str:
    """Return the pointer of the list that holds a tool."""
    return tool.pointer.rpartition("/")[0]


@rule("openai_responses/deferred-needs-search", "request")
def deferred_needs_search(subject: Subject) -> Iterator[Breach]:
    if _may_load_tools(subject) or any(_is_tool_search(tool) for tool in _declared_tools(subject)):
        return
    for tool in _declared_tools(subject):
        if tool.get("defer_loading") is True:
            name = str(tool.get("name") or "")
            yield Breach(join(tool.pointer, "defer_loading"), want=MISSING, got=True, subject=name)


@rule("openai_responses/search-needs-deferred", "request")
def search_needs_deferred(subject: Subject) -> Iterator[Breach]:
    if _may_load_tools(subject) or any(tool.get("defer_loading") is True for tool in _declared_tools(subject)):
        return
    for tool in _declared_tools(subject):
        # Tools that the client's own search finds need not be declared.
        if _is_tool_search(tool) and tool.get("execution") != "client":
            yield Breach(tool.pointer, want=MISSING, got=tool.value)


def _declared_tools(subject: Subject) -> Iterator[Node]:
    """Yield the entries of ``tools``, and those of its namespaces."""
    for entry in Node(subject.body).child("tools").each():
        yield entry
        yield from entry.child("tools").each()


def _is_tool_search(tool: Node) -> bool:
    return bool(tool.get("type") == "tool_search")


def _may_load_tools(subject: Subject) -> bool:
    """Whether a stored prompt or the output of a tool search may declare further tools."""
    has_search_output = any(entry.kind == "tool_search_output" for entry in entries(subject))
    return has_search_output or member(subject.body, "prompt") is not None


@rule("openai_responses/tool-choice-declared", "request")
def tool_choice_declared(subject: Subject) -> Iterator[Breach]:
    choice = subject.reading.settings.get("tool_choice")
    if choice is None or _may_load_tools(subject):
        return
    if choice.value["mode"] == "required" and not subject.reading.tools:
        yield Breach(choice.pointer, "a call is required and no tool is declared", MISSING, "required")
        return
    declared = dict.fromkeys(tool.name for tool in subject.reading.tools if tool.name)
    for name in _chosen_names(member(subject.body, "tool_choice")):
        if name not in declared:
            message = f"{name} is chosen and not declared"
            yield Breach(choice.pointer, message, one_of(declared), name, subject=name)


@rule("openai_responses/tool-choice-type", "request")
def tool_choice_type(subject: Subject) -> Iterator[Breach]:
    choice = Node(subject.body).child("tool_choice")
    declared: dict[str | None, list[str]] = {}
    for tool in subject.reading.tools:
        declared.setdefault(tool.name, []).append(tool.kind)
    for entry in choice.child("tools").each() if choice.get("type") == "allowed_tools" else ():
        name, kind = entry.get("name"), entry.get("type")
        kinds = declared.get(name, []) if isinstance(name, str) else []
        if kinds and kind is not None and kind not in kinds:  # without a type the form of the entry is wrong
            yield Breach(join(entry.pointer, "type"), want=one_of(kinds), got=kind, subject=name)


def _chosen_names(choice: Any) -> Iterator[str]:
    """Yield the names of the client's tools in a choice; hosted tools have several names, and are left out."""
    kind = member(choice, "type")
    if kind == "allowed_tools":
        tools = member(choice, "tools")
        for entry in tools if isinstance(tools, list) else []:
            if member(entry, "type") != "allowed_tools":
                yield from _chosen_names(entry)
    elif kind in ("function", "custom") and isinstance(member(choice, "name"), str):
        yield choice["name"]


def _function_tools(subject: Subject) -> Iterator[Tool]:
    return (tool for tool in subject.reading.tools if tool.kind == "function")


def _tool_schemas(subject: Subject) -> Iterator[SchemaPlace]:
    for tool in _function_tools(subject):
        yield from subschemas(tool.schema, tool.schema_pointer or tool.pointer)


def _is_of_type(node: dict[str, Any], type_name: str) -> bool:
    kind = node.get("type")
    return kind == type_name or (isinstance(kind, list) and type_name in kind)
