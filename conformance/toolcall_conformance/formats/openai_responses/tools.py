"""Reads tool declarations and the tool choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.reading import Node, Residue, Tool


def read_tools(node: Node, residue: list[Residue]) -> Iterator[Tool]:
    """Yield the tools of a ``tools`` array; a namespace yields its members."""
    for entry in node.each():
        kind = entry.text("type")
        if kind == "namespace":
            entry.ignore("name", "description")
            name = entry.text("name")
            yield from (replace(tool, namespace=name) for tool in read_tools(entry.child("tools"), residue))
        elif kind == "function" or (kind is None and "parameters" in entry):
            yield _read_function(entry, residue)
        elif kind == "custom":
            entry.ignore("format", "defer_loading", "allowed_callers", "async")
            yield replace(_read_declaration(entry, entry, "custom"), grammar=_read_grammar(entry.child("format")))
        elif entry.is_object:
            # A hosted tool has no name: requests and replies use its type.
            entry.ignore(*entry.value)
            label = "server_label" if kind == "mcp" and entry.text("server_label") else "type"
            name = entry.text(label)
            hosted = Tool(
                name,
                None,
                None,
                entry.pointer,
                kind="hosted",
                name_pointer=None if name is None else entry.child(label).pointer,
                type=kind,
                declaration=entry.value,
            )
            yield (
                _read_search_tool(entry, hosted)
                if kind == "tool_search" and entry.text("execution") == "client"
                else hosted
            )
        else:
            yield Tool(None, None, None, entry.pointer, kind="hosted")
        entry.close(residue)


def _read_search_tool(entry: Node, tool: Tool) -> Tool:
    """Return a tool search that the client runs, with the description and parameters of its declaration."""
    schema = entry.get("parameters")
    return replace(
        tool,
        description=entry.text("description"),
        description_pointer=entry.child("description").pointer if "description" in entry else None,
        schema=schema if isinstance(schema, dict) else None,
        schema_pointer=entry.child("parameters").pointer if isinstance(schema, dict) else None,
    )


def _read_function(entry: Node, residue: list[Residue]) -> Tool:
    entry.ignore("defer_loading", "allowed_callers", "output_schema", "async")
    inner = entry.child("function")
    if not inner.is_object:
        return _read_declaration(entry, entry, "function")
    # Chat's wrapper: the schema reports it, but its declaration is read.
    tool = _read_declaration(entry, inner, "function")
    inner.close(residue)
    return tool


def _read_grammar(format_node: Node) -> dict[str, Any] | None:
    """Return the grammar of a custom tool's format; None if it has none."""
    if format_node.text("type") != "grammar":
        return None
    return {"syntax": format_node.text("syntax"), "definition": (format_node.text("definition") or "").strip()}


def _read_declaration(entry: Node, node: Node, kind: str) -> Tool:
    def member_pointer(key: str) -> str | None:
        return node.child(key).pointer if key in node else None

    return Tool(
        node.text("name"),
        node.text("description"),
        node.get("parameters") if kind == "function" else None,
        entry.pointer,
        kind=kind,
        strict=node.flag("strict") if kind == "function" else None,
        name_pointer=member_pointer("name"),
        description_pointer=member_pointer("description"),
        schema_pointer=member_pointer("parameters") if kind == "function" else None,
    )


def read_choice(node: Node) -> dict[str, Any] | None:
    """Return ``tool_choice`` in neutral form; None if it has no such form."""
    if isinstance(node.value, str):
        return {"mode": node.value} if node.value in ("auto", "required", "none") else None
    if not node.is_object:
        return None
    kind = node.text("type")
    if kind == "allowed_tools":
        inner = node.child("allowed_tools")
        holder = inner if inner.is_object else node
        mode = holder.text("mode")
        names = [name for name in map(_chosen_name, holder.child("tools").each()) if name is not None]
        return {"mode": mode if mode in ("auto", "required") else "auto", "names": names}
    name = _chosen_name(node)
    return None if name is None else {"mode": "required", "names": [name]}


def _chosen_name(node: Node) -> str | None:
    """Return the tool that a choice names: by name, a server by label, a hosted tool by type."""
    inner = node.child("function")
    holder = inner if inner.is_object else node
    return holder.text("name") or node.text("server_label") or node.text("type")
