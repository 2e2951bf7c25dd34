"""Reads tool declarations and the tool choice."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Node, Reading, Setting, Tool

CHOICE_MODES = {"auto": "auto", "any": "required", "tool": "required", "none": "none"}


def read_tools(tools: Node, reading: Reading) -> None:
    """Read ``tools``: the client's own, and those that Anthropic defines."""
    for tool in tools.each():
        name, description, schema = tool.child("name"), tool.child("description"), tool.child("input_schema")
        is_function = tool.get("type") in (None, "custom")
        reading.tools.append(
            Tool(
                name=name.value if isinstance(name.value, str) else None,
                description=description.value if isinstance(description.value, str) else None,
                schema=schema.value,
                pointer=tool.pointer,
                kind="function" if is_function else "hosted",
                strict=tool.flag("strict"),
                name_pointer=name.pointer if "name" in tool else None,
                description_pointer=description.pointer if "description" in tool else None,
                schema_pointer=schema.pointer if "input_schema" in tool else None,
                type=None if is_function else tool.text("type"),
                declaration=None if is_function else tool.value,
            )
        )
        if is_function:
            tool.ignore("cache_control", "defer_loading", "allowed_callers", "eager_input_streaming", "input_examples")
            tool.close(reading.residue)


def read_choice(choice: Node, reading: Reading) -> None:
    """Read ``tool_choice``, which also says whether calls may be parallel."""
    kind, name, alone = choice.text("type"), choice.text("name"), choice.child("disable_parallel_tool_use")
    if kind in CHOICE_MODES:
        neutral: dict[str, Any] = {"mode": CHOICE_MODES[kind]}
        if kind == "tool":
            neutral["names"] = [name]
        reading.settings["tool_choice"] = Setting("tool_choice", neutral, choice.pointer)
    if isinstance(alone.value, bool):
        reading.settings["parallel_calls"] = Setting("parallel_calls", not alone.value, alone.pointer)
    choice.close(reading.residue)
