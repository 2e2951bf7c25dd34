"""Hypothesis strategies for the tools that a conversation declares."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from toolcall_conformance.trust.fuzz import schemas, shapes

Tool = dict[str, Any]
_CUSTOM_FORMATS = st.sampled_from(
    [
        {"type": "text"},
        {"type": "grammar", "syntax": "regex", "definition": "^[a-z]+$"},
        {"type": "grammar", "syntax": "lark", "definition": 'start: "a"+'},
    ]
)


@st.composite
def _tool(draw: DrawFn, *, strict: bool) -> Tool:
    """A tool without its name: a function, with a schema of its parameters or none, or one that takes free text."""
    tool: Tool = {"name": ""}
    if draw(st.integers(0, 7)):
        tool["description"] = draw(shapes.TEXTS)
    if strict:
        tool["parameters"] = draw(schemas.STRICT)
    elif draw(st.integers(0, 7)) == 7:
        tool["kind"] = "custom"
        if draw(st.booleans()):
            tool["format"] = draw(_CUSTOM_FORMATS)
    elif draw(st.booleans()):
        tool["parameters"] = draw(schemas.PARAMETERS)
    return tool


def tools(draw: DrawFn, least: int, *, strict: bool) -> dict[str, Tool]:
    """Up to three tools by name; strict ones have schemas that all APIs keep strictly."""
    drawn_tools = draw(st.dictionaries(shapes.TOOL_NAMES, _tool(strict=strict), min_size=least, max_size=3))
    for name, tool in drawn_tools.items():
        tool["name"] = name
    return drawn_tools
