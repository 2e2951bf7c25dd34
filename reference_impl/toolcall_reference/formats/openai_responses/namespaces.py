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

#: Items of the conversation that declare tools: Codex declares all of its tools by the first, and a search that the
#: client ran returns the second (https://platform.openai.com/docs/guides/tools-tool-search).
_BRINGING = ("additional_tools", "tool_search_output")


def brought(items: Any) -> list[Body]:
    """The declarations that items of a conversation bring."""
    holders = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    listed = (as_list(item.get("tools"), "tools") for item in holders if item.get("type") in _BRINGING)
    return [as_object(entry, "a tool") for entries in listed for entry in entries]


def declared_to(target: Target) -> list[Any]:
    """All declarations of the client to whom a reply goes: those of its request, and those of its conversation."""
    return [
        *(target.client_request.get("tools") or []),
        *brought(target.client_request.get("input")),
        *target.brought_declarations,
    ]


def groups_of(declared: Iterable[Any]) -> dict[str, tuple[str, str]]:
    """The namespace of each tool that stands in one, and its name there, by the name that it has elsewhere."""
    places = [*_places(declared)]
    told_apart = names_of(declared)
    names: dict[str, tuple[str, str]] = {}
    for group, name in places:
        if group is not None:
            names.setdefault(told_apart.get((group, name), name), (group, name))
    return names


def names_of(declared: Iterable[Any]) -> dict[tuple[str, str], str]:
    """The names that tools of namespaces have elsewhere, by namespace and name: of those that share theirs.

    Servers of the Model Context Protocol stand in one namespace each, and two of them may have tools of one name.
    """
    places = {*_places(declared)}
    counts = Counter(name for _, name in places)
    return {(group, name): f"{group}__{name}" for group, name in places if group is not None and counts[name] > 1}


def under_its_name(item: Body, names: Mapping[tuple[str, str], str]) -> Body:
    """An item of the conversation; a call of a tool in a namespace under the name that the tool has elsewhere."""
    group, name = item.get("namespace"), item.get("name")
    if isinstance(group, str) and isinstance(name, str) and (group, name) in names:
        return {**item, "name": names[group, name]}
    return item


def _places(declared: Iterable[Any], group: str | None = None) -> Iterator[tuple[str | None, str]]:
    """Namespace and name of each declared tool."""
    for entry in declared:
        if not isinstance(entry, dict):
            continue
        if entry.get("type") == "namespace" and group is None:
            inner = entry.get("tools")
            yield from _places(inner if isinstance(inner, list) else (), str(entry.get("name")))
        elif isinstance(entry.get("name"), str):
            yield group, entry["name"]


def grouped(tools: list[Tool], declared: list[Body]) -> list[Body]:
    """The declarations of ``tools``, those of one namespace together where its first one stands."""
    entries: list[Body] = []
    open_groups: dict[str, Body] = {}
    for tool, entry in zip(tools, declared, strict=True):
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
