"""Schema changes undone: what a translator changes in a tool's schema, it must undo in the arguments of a reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse
from toolcall_conformance.basics.reading import Call, Tool
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.tools.own_tools import called_name

Conversions = Mapping[str, ArgumentConversion]
"""Conversions of the arguments of calls, by the tool's name."""


def conversions_up(sides: Sides, twins: Iterable[tuple[Tool, Tool]]) -> Conversions:
    """Return conversions from the schemas of the source's tools to the output's, by the source's names."""
    return {
        name: ArgumentConversion(tool.schema, twin.schema)
        for tool, twin in twins
        if _schemas_differ(tool, twin) and (name := called_name(sides.corpus, sides.source, tool)) is not None
    }


def conversions_down(sides: Sides, twins: Iterable[tuple[Tool, Tool]]) -> Conversions:
    """Return conversions from the schemas of the output's tools back to the source's, by the output's names.

    By the source's names as well, where they name no other tool: under a policy a reply has them already.
    """
    changed = [
        (tool, twin, ArgumentConversion(twin.schema, tool.schema))
        for tool, twin in twins
        if _schemas_differ(tool, twin)
    ]
    by_output_name = {called_name(sides.corpus, sides.output, twin): conversion for _, twin, conversion in changed}
    others = {called_name(sides.corpus, sides.output, twin) for _, twin in twins}
    by_source_name = ((called_name(sides.corpus, sides.source, tool), conversion) for tool, _, conversion in changed)
    conversions = {name: conversion for name, conversion in by_source_name if name not in others} | by_output_name
    return {name: conversion for name, conversion in conversions.items() if name is not None}


def _schemas_differ(tool: Tool, twin: Tool) -> bool:
    functions = tool.kind == twin.kind == "function"
    return functions and None not in (tool.schema, twin.schema) and not equal(tool.schema, twin.schema)


def undo_schema_changes(sides: Sides) -> Sides:
    """Return a provider's reply with the arguments of its calls by the schemas that the client declared.

    ``arguments_as_sent`` of the result has the original arguments of the calls that changed.
    """
    as_sent: dict[int, Any] = {}

    def undo(item: Item) -> Item:
        conversion = conversion_for(sides.conversions, item) if isinstance(item, Call) else None
        if conversion is None or not isinstance(item, Call):
            return item
        arguments = conversion.convert(item.arguments)
        if equal(arguments, item.arguments):
            return item
        as_sent[item.ordinal] = item.arguments
        return replace(item, arguments=arguments)

    turns = [replace(turn, items=[undo(item) for item in turn.items]) for turn in sides.source.turns]
    return replace(sides, source=replace(sides.source, turns=turns), arguments_as_sent=as_sent) if as_sent else sides


def conversion_for(conversions: Conversions | None, call: Call) -> ArgumentConversion | None:
    """Return the conversion of a call's arguments; None if they are no object, or if the two schemas are the same."""
    if call.kind != "function" or not isinstance(call.arguments, dict):
        return None
    return (conversions or {}).get(call.name or "")


def is_same_by_schemas(pair: Pair, left: Call, right: Call) -> bool:
    """Whether different arguments of a call say the same, each by its own side's schema of the tool."""
    if pair.is_request:
        conversion = conversion_for(pair.view(_conversions_back), left)
        return conversion is not None and _are_equal_without_fillers(
            conversion, conversion.convert(right.arguments), left.arguments
        )
    conversion = conversion_for(pair.conversions, left)
    return conversion is not None and _are_equal_without_fillers(conversion, right.arguments, left.arguments)


def _conversions_back(pair: Pair) -> Conversions:
    """Return conversions from the output's schemas back to the source's, by the source's names."""
    return {
        name: ArgumentConversion(conversion.reader_schema, conversion.writer_schema)
        for name, conversion in conversions_up(pair, pair.tool_pairs).items()
    }


def _are_equal_without_fillers(conversion: ArgumentConversion, value: Any, other: Any) -> bool:
    """Whether two arguments are equal but for values that only the writer's schema requires."""
    return equal(*map(conversion.without_fillers, (value, other)))


def is_left_unconverted(pair: Pair, left: Call, right: Call) -> bool:
    """Whether a reply's arguments are still, wholly or in part, by the schema that the translator declared."""
    conversion = conversion_for(pair.conversions, left)
    if conversion is None or left.ordinal not in pair.arguments_as_sent:
        return False
    return _are_equal_without_fillers(conversion, conversion.convert(right.arguments), left.arguments)


def may_be_schema_reversal(sent: Any, received: Any) -> bool:
    """Whether one value may have become the other because an unknown change in a schema was undone.

    Null is left out, a text becomes the JSON value that it spells, an object around all arguments is removed.
    """
    if isinstance(sent, dict) and len(sent) == 1 and any(_may_become(entry, received) for entry in sent.values()):
        return True
    return _may_become(sent, received)


def _may_become(sent: Any, received: Any) -> bool:
    """Whether leaving out null and parsing JSON text may make one value of the other."""
    if isinstance(sent, dict) and isinstance(received, dict):
        omitted = [key for key in sent if key not in received]
        return (
            received.keys() <= sent.keys()
            and all(sent[key] is None for key in omitted)
            and all(_may_become(sent[key], received[key]) for key in received)
        )
    if isinstance(sent, list) and isinstance(received, list):
        return len(sent) == len(received) and all(map(_may_become, sent, received))
    if isinstance(sent, str) and not isinstance(received, str):
        try:
            return equal(parse(sent), received)
        except JSONError:
            return False
    return equal(sent, received)
