"""Declared tools as tool definitions, and back: functions with their schema, others by their provider's own type."""

from __future__ import annotations

from collections.abc import Sequence

from toolcall_reference.intermediate import Body, Tool
from toolcall_reference.losses import Losses


def definitions(tools: Sequence[Tool], losses: Losses) -> list[Body]:
    """The tool definitions; what an API defines itself keeps the members of its own declaration.

    A tool of an API's that its client runs has the parameters of the function that stands for it besides.
    """
    found: list[Body] = []
    for tool in tools:
        one = _definition(tool)
        if tool.own is not None:
            losses.add("own-tool", "the API's own declaration comes back as the function that it stands for", tool.name)
            one = {**one, **tool.own} if "type" in tool.own else definition_by_key(tool.own)
        if one not in found:
            found.append(one)
    return found


def definition_by_key(own: Body) -> Body:
    """The definition of a tool that its API declares by one key."""
    key = next(iter(own))
    return {"type": key, "name": key, **own}


def _definition(tool: Tool) -> Body:
    if tool.kind == "hosted":
        own = tool.format if isinstance(tool.format, dict) else {}
        return {"name": tool.name, **own} if "type" in own else definition_by_key(own)
    found: Body = {"type": tool.kind, "name": tool.name}
    if tool.description is not None:
        found["description"] = tool.description
    if tool.schema is not None:
        found["parameters"] = tool.schema
    if tool.strict is not None:
        found["strict"] = tool.strict
    if tool.format is not None:
        found["format"] = tool.format
    return found


def tools_of(found: Sequence[Body]) -> list[Tool]:
    """The tools of tool definitions."""
    return [_tool(one) for one in found]


def _tool(found: Body) -> Tool:
    kind = found.get("type")
    name = str(found.get("name"))
    if kind not in ("function", "custom") and "parameters" not in found:
        return Tool(name, kind="hosted", format=dict(found))
    description = found.get("description")
    return Tool(
        name,
        description if isinstance(description, str) else None,
        found.get("parameters"),
        kind="custom" if kind == "custom" else "function",
        strict=found.get("strict"),
        format=found.get("format"),
    )
