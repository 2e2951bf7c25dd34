"""Namespaces: tools declared as a group, whose calls name it.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object
from toolcall_reference.conversation.intermediate import Body, Tool
from toolcall_reference.conversation.target import Target

#: Types of input items that declare tools: Codex declares all of its tools by the first, and a client-run search
#: returns the second (https://platform.openai.com/docs/guides/tools-tool-search).
_DECLARING_TYPES = ("additional_tools", "tool_search_output")


def tools_in_history(items: Any) -> list[Body]:
    """The tool declarations within the items of a conversation."""
    holders = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    listed = (as_list(item.get("tools"), "tools") for item in holders if item.get("type") in _DECLARING_TYPES)
    return [as_object(entry, "a tool") for entries in listed for entry in entries]


def client_declarations(target: Target) -> list[Any]:
    """All declarations of a reply's client: those of its request and those within its conversation."""
    return [
        *(target.client_request.get("tools") or []),
        *tools_in_history(target.client_request.get("input")),
        *target.brought_declarations,
    ]


def places_by_name(declarations: Iterable[Any]) -> dict[str, tuple[str, str]]:
    """Namespace and name there of each tool in a namespace, by its universal name."""
    places = [*_declared_places(declarations)]
    distinct = distinct_names(declarations)
    names: dict[str, tuple[str, str]] = {}
    for group, name in places:
        if group is not None:
            names.setdefault(distinct.get((group, name), name), (group, name))
    return names


def distinct_names(declarations: Iterable[Any]) -> dict[tuple[str, str], str]:
    """Distinct universal names, by namespace and name, of tools in namespaces that share their name.

    Each Model Context Protocol server has a namespace of its own, and two may have tools of one name.
    """
    places = {*_declared_places(declarations)}
    counts = Counter(name for _, name in places)
    return {(group, name): f"{group}__{name}" for group, name in places if group is not None and counts[name] > 1}


def rename_call(item: Body, names: Mapping[tuple[str, str], str]) -> Body:
    """The item, with the universal name if it calls a tool in a namespace."""
    group, name = item.get("namespace"), item.get("name")
    if isinstance(group, str) and isinstance(name, str) and (group, name) in names:
        return {**item, "name": names[group, name]}
    return item


def _declared_places(declarations: Iterable[Any], group: str | None = None) -> Iterator[tuple[str | None, str]]:
    """Namespace and name of each declared tool."""
    for entry in declarations:
        if not isinstance(entry, dict):
            continue
        if entry.get("type") == "namespace" and group is None:
            inner = entry.get("tools")
            yield from _declared_places(inner if isinstance(inner, list) else (), str(entry.get("name")))
        elif isinstance(entry.get("name"), str):
            yield group, entry["name"]


def group_declarations(tools: list[Tool], declarations: list[Body]) -> list[Body]:
    """The declarations of ``tools``, those of one namespace grouped at the place of its first one."""
    entries: list[Body] = []
    open_groups: dict[str, Body] = {}
    for tool, entry in zip(tools, declarations, strict=True):
        if tool.namespace is None:
            entries.append(entry)
            continue
        if tool.namespace not in open_groups:
            about = f"Tools of {tool.namespace}."
            group: Body = {"type": "namespace", "name": tool.namespace, "description": about, "tools": []}
            open_groups[tool.namespace] = group
            entries.append(group)
        inside = entry if tool.name_in_namespace is None else {**entry, "name": tool.name_in_namespace}
        open_groups[tool.namespace]["tools"].append(inside)
    return entries
