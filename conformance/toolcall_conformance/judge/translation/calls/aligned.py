"""What the comparisons rest on: which tool and which call of the output is which of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from toolcall_conformance.judge.translation.calls.align import align
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.tools.tool_twins import map_tools, names_of

_GIVEN = tuple(entry.name for entry in fields(Sides))


def aligned(sides: Sides, names: Mapping[str, str] | None = None) -> Pair:
    """The two sides with their tools and calls aligned. A reply declares no tools: ``names`` says how they map."""
    twins = map_tools(sides) if sides.is_request else []
    tool_names = names_of(sides, twins) if sides.is_request else names or {}
    calls = align(sides.corpus, sides.source, sides.output, tool_names)
    side_values = {name: getattr(sides, name) for name in _GIVEN}
    return Pair(**side_values, twins=twins, names=tool_names, alignment=calls)
