"""Declared tools as tool definitions, both ways: functions with their schema, others by their provider's type."""

from __future__ import annotations

from collections.abc import Sequence

from toolcall_reference.conversation.intermediate import Body, Tool
from toolcall_reference.conversation.losses import Losses


def tool_definitions(tools: Sequence[Tool], losses: Losses) -> list[Body]:
    """The tool definitions; a tool that the API defines keeps the members of its declaration.

    One that the client runs has in addition the parameters of the function that stands for it.
    """
    declarations: list[Body] = []
    for tool in tools:
        declaration = _encode_definition(tool)
        if tool.own_declaration is not None:
            losses.add("own-tool", "the API's own declaration comes back as the function that it stands for", tool.name)
            declaration = (
                {**declaration, **tool.own_declaration}
                if "type" in tool.own_declaration
                else keyed_definition(tool.own_declaration)
            )
        if declaration not in declarations:
            declarations.append(declaration)
    return declarations


def keyed_definition(declaration: Body) -> Body:
    """The definition of a tool that its API declares by one key."""
    key = next(iter(declaration))
    return {"type": key, "name": key, **declaration}


def _encode_definition(tool: Tool) -> Body:
    if tool.kind == "hosted":
        hosted_declaration = tool.format if isinstance(tool.format, dict) else {}
        return (
            {"name": tool.name, **hosted_declaration}
            if "type" in hosted_declaration
            else keyed_definition(hosted_declaration)
        )
    declaration: Body = {"type": tool.kind, "name": tool.name}
    if tool.description is not None:
        declaration["description"] = tool.description
    if tool.schema is not None:
        declaration["parameters"] = tool.schema
    if tool.strict is not None:
        declaration["strict"] = tool.strict
    if tool.format is not None:
        declaration["format"] = tool.format
    return declaration


def decode_definitions(declarations: Sequence[Body]) -> list[Tool]:
    """The tools of tool definitions."""
    return [_decode_definition(declaration) for declaration in declarations]


def _decode_definition(declaration: Body) -> Tool:
    kind = declaration.get("type")
    name = str(declaration.get("name"))
    if kind not in ("function", "custom") and "parameters" not in declaration:
        return Tool(name, kind="hosted", format=dict(declaration))
    description = declaration.get("description")
    return Tool(
        name,
        description if isinstance(description, str) else None,
        declaration.get("parameters"),
        kind="custom" if kind == "custom" else "function",
        strict=declaration.get("strict"),
        format=declaration.get("format"),
    )
