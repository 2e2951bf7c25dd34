"""The input of the comparisons: two sides with their tools and calls aligned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from toolcall_conformance.judge.translation.calls.align import align_calls
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.tools.tool_pairs import map_tool_names, pair_tools

_FIELDS_OF_SIDES = tuple(entry.name for entry in fields(Sides))


def align_sides(sides: Sides, names: Mapping[str, str] | None = None) -> Pair:
    """Return the two sides with their tools and calls aligned.

    A reply declares no tools: ``names`` are the output's names of tools by the source's.
    """
    twins = pair_tools(sides) if sides.is_request else []
    tool_names = map_tool_names(sides, twins) if sides.is_request else names or {}
    calls = align_calls(sides.corpus, sides.source, sides.output, tool_names)
    side_values = {name: getattr(sides, name) for name in _FIELDS_OF_SIDES}
    return Pair(**side_values, tool_pairs=twins, tool_names=tool_names, alignment=calls)
