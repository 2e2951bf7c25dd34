"""What a translator did to the schema of a tool on the way up, it undoes in the arguments on the way down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse
from toolcall_conformance.basics.reading import Call, Tool
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.tools.own_tools import called

Conversions = Mapping[str, ArgumentConversion]
"""By the name of a tool the conversion of the arguments of its calls."""


def conversions_up(sides: Sides, twins: Iterable[tuple[Tool, Tool]]) -> Conversions:
    """From the schemas of the source's tools to those of the output's, by the names of the source."""
    return {
        name: ArgumentConversion(tool.schema, twin.schema)
        for tool, twin in twins
        if _differ(tool, twin) and (name := called(sides.corpus, sides.source, tool)) is not None
    }


def conversions_down(sides: Sides, twins: Iterable[tuple[Tool, Tool]]) -> Conversions:
    """From the schemas of the output's tools back to those of the source's, by the names of the output.

    By those of the source as well, where that is no other tool: under a policy a reply has them already.
    """
    changed = [
        (tool, twin, ArgumentConversion(twin.schema, tool.schema)) for tool, twin in twins if _differ(tool, twin)
    ]
    here = {called(sides.corpus, sides.output, twin): conversion for _, twin, conversion in changed}
    others = {called(sides.corpus, sides.output, twin) for _, twin in twins}
    there = ((called(sides.corpus, sides.source, tool), conversion) for tool, _, conversion in changed)
    conversions = {name: conversion for name, conversion in there if name not in others} | here
    return {name: conversion for name, conversion in conversions.items() if name is not None}


def _differ(tool: Tool, twin: Tool) -> bool:
    functions = tool.kind == twin.kind == "function"
    return functions and None not in (tool.schema, twin.schema) and not equal(tool.schema, twin.schema)


def settle(sides: Sides) -> Sides:
    """A provider's reply with the arguments of its calls by the schemas that the client declared.

    ``as_sent`` of the result has the arguments of those that change.
    """
    as_sent: dict[int, Any] = {}

    def undone(item: Item) -> Item:
        conversion = of_call(sides.conversions, item) if isinstance(item, Call) else None
        if conversion is None or not isinstance(item, Call):
            return item
        arguments = conversion.convert(item.arguments)
        if equal(arguments, item.arguments):
            return item
        as_sent[item.ordinal] = item.arguments
        return replace(item, arguments=arguments)

    turns = [replace(turn, items=[undone(item) for item in turn.items]) for turn in sides.source.turns]
    return replace(sides, source=replace(sides.source, turns=turns), as_sent=as_sent) if as_sent else sides


def of_call(conversions: Conversions | None, call: Call) -> ArgumentConversion | None:
    """The conversion of the arguments of a call; None where they are no object, or the two schemas are the same."""
    if call.kind != "function" or not isinstance(call.arguments, dict):
        return None
    return (conversions or {}).get(call.name or "")


def is_same_by_schemas(pair: Pair, left: Call, right: Call) -> bool:
    """Whether other arguments of a call say the same, each by the schema that its own side has of the tool."""
    if pair.is_request:
        conversion = of_call(pair.view(_back), left)
        return conversion is not None and _same(conversion, conversion.convert(right.arguments), left.arguments)
    conversion = of_call(pair.conversions, left)
    return conversion is not None and _same(conversion, right.arguments, left.arguments)


def _back(pair: Pair) -> Conversions:
    """From the schemas of the output back to those of the source, by the names of the source."""
    return {
        name: ArgumentConversion(conversion.read, conversion.written)
        for name, conversion in conversions_up(pair, pair.twins).items()
    }


def _same(conversion: ArgumentConversion, value: Any, other: Any) -> bool:
    return equal(*map(conversion.without_fillers, (value, other)))


def is_left_changed(pair: Pair, left: Call, right: Call) -> bool:
    """Whether the arguments of a reply's call are, wholly or in part, by the schema that the translator declared."""
    conversion = of_call(pair.conversions, left)
    if conversion is None or left.ordinal not in pair.as_sent:
        return False
    return _same(conversion, conversion.convert(right.arguments), left.arguments)


def may_be_undone(sent: Any, received: Any) -> bool:
    """Whether the undoing of a change in a schema that nobody knows may have made one value of another.

    Null is left out, a text becomes the JSON value that it spells, an object around all arguments is taken off.
    """
    if isinstance(sent, dict) and len(sent) == 1 and any(_may_become(entry, received) for entry in sent.values()):
        return True
    return _may_become(sent, received)


def _may_become(sent: Any, received: Any) -> bool:
    if isinstance(sent, dict) and isinstance(received, dict):
        gone = [key for key in sent if key not in received]
        return (
            received.keys() <= sent.keys()
            and all(sent[key] is None for key in gone)
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
