"""Namespaces: tools declared as a group, whose calls name it.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_reference.intermediate import Body, Tool


def groups_of(declared: Iterable[Any]) -> dict[str, str]:
    """The namespace of each tool that stands in one, by the tool's name."""
    found: dict[str, str] = {}
    for entry in declared:
        if isinstance(entry, dict) and entry.get("type") == "namespace":
            for tool in entry.get("tools") or []:
                if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                    found.setdefault(tool["name"], str(entry.get("name")))
    return found


def grouped(tools: list[Tool], declared: list[Body]) -> list[Body]:
    """The declarations of ``tools``, those of one namespace together where its first one stands."""
    found: list[Body] = []
    open_groups: dict[str, Body] = {}
    for tool, entry in zip(tools, declared, strict=True):
        if tool.namespace is None:
            found.append(entry)
            continue
        if tool.namespace not in open_groups:
            about = f"Tools of {tool.namespace}."
            group: Body = {"type": "namespace", "name": tool.namespace, "description": about, "tools": []}
            open_groups[tool.namespace] = group
            found.append(group)
        open_groups[tool.namespace]["tools"].append(entry)
    return found
