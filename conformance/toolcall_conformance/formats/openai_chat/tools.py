"""Reads tool declarations and the tool choice, also in their legacy forms."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Node, Reading, Tool


def read_tools(body: Node, reading: Reading) -> None:
    """Read ``tools`` and the legacy ``functions``."""
    for entry in body.child("tools").each():
        tool = _read_tool(entry, reading)
        if tool is not None:
            reading.tools.append(tool)
    for entry in body.child("functions").each():
        if entry.is_object:
            reading.tools.append(_read_declaration(entry, entry, "function", form="function_call"))
            entry.close(reading.residue)


def _read_tool(entry: Node, reading: Reading) -> Tool | None:
    """Return the tool of an entry of ``tools``; None if it is no object."""
    if not entry.is_object:
        return None
    kind = entry.text("type") or "function"
    if kind not in ("function", "custom"):
        # Chat has no such tool: its keys are another format's, and so no residue.
        name = entry.text("name")
        pointer = entry.child("name").pointer if name is not None else None
        return Tool(
            name or kind, None, None, entry.pointer, kind="hosted", name_pointer=pointer, type=kind, form="tool_calls"
        )
    holder = entry.child(kind)
    # A flat declaration is wrong here, but its meaning is clear.
    tool = _read_declaration(entry, holder if holder.is_object else entry, kind)
    if holder.is_object:
        entry.ignore("name")  # recorded clients send it here, too; the API reads the inner one
        holder.close(reading.residue)
    entry.close(reading.residue)
    return tool


def _read_declaration(entry: Node, holder: Node, kind: str, form: str = "tool_calls") -> Tool:
    name, description = holder.text("name"), holder.text("description")
    schema = holder.child("parameters")
    format_node = holder.child("format")
    holder.ignore("format")
    return Tool(
        name=name,
        description=description,
        schema=schema.value,
        pointer=entry.pointer,
        kind=kind,
        strict=holder.flag("strict"),
        name_pointer=holder.child("name").pointer if name is not None else None,
        description_pointer=holder.child("description").pointer if description is not None else None,
        schema_pointer=schema.pointer if schema.value is not None else None,
        grammar=read_grammar(format_node, format_node.child("grammar")),
        form=form,
    )


def read_grammar(format_node: Node, holder: Node) -> dict[str, Any] | None:
    """Return the grammar in ``holder`` if ``format_node``, a custom tool's format, has one; else None."""
    if format_node.text("type") != "grammar":
        return None
    return {"syntax": holder.text("syntax"), "definition": (holder.text("definition") or "").strip()}


def read_choice(choice: Node, legacy: Node) -> Any:
    """Return ``tool_choice`` or the legacy ``function_call`` in neutral form; any other value unchanged."""
    if choice.value is None:
        if isinstance(legacy.value, str):
            return {"mode": legacy.value}
        name = legacy.text("name")
        return legacy.value if name is None else {"mode": "required", "names": [name]}
    if isinstance(choice.value, str):
        return {"mode": choice.value}
    kind = choice.text("type") or "function"
    if kind == "allowed_tools":
        allowed = choice.child("allowed_tools")
        names = [_chosen_name(tool, tool.text("type") or "function") for tool in allowed.child("tools").each()]
        return {"mode": allowed.text("mode") or "auto", "names": [name for name in names if name is not None]}
    name = _chosen_name(choice, kind)
    return choice.value if name is None else {"mode": "required", "names": [name]}


def _chosen_name(choice: Node, kind: str) -> str | None:
    """Return the tool name of a choice, nested as in this format or flat as in others."""
    holder = choice.child(kind) if kind in ("function", "custom") else choice
    return holder.text("name") or choice.text("name")
