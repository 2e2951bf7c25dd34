"""Settings, choices and marks of tools: said in other words, or left out because they say what holds anyway."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.reading.model import Tool
from toolcall_conformance.translation.settings import chosen_names
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance


@tolerance("named-choice-as-required-with-one-tool")
def named_choice_as_required_with_one_tool(bodies: Bodies) -> Iterator[Occurrence]:
    """One tool is forced by its name on one side; on the other a call is demanded and there is one tool to call."""
    before, after = bodies.pair.source.settings.get("tool_choice"), bodies.pair.output.settings.get("tool_choice")
    if before is None or after is None:
        return
    modes = {setting.value.get("mode") for setting in (before, after) if isinstance(setting.value, dict)}
    names = [chosen_names(reading) for reading in (bodies.pair.source, bodies.pair.output)]
    if modes == {"required"} and (names[0] is None) != (names[1] is None):
        unnamed = bodies.pair.source if names[0] is None else bodies.pair.output
        if sum(tool.kind != "hosted" for tool in unnamed.tools) == 1:
            yield Occurrence(after.pointer, before.pointer, before.value, after.value)


@tolerance("subset-choice-as-filtered-tools")
def subset_choice_as_filtered_tools(bodies: Bodies) -> Iterator[Occurrence]:
    """Tools that the choice does not allow are not declared any more."""
    chosen = chosen_names(bodies.pair.source)
    if chosen is None or bodies.pair.demand("choice-subset") == "must":
        return
    for tool in bodies.pair.source.tools:
        if tool.kind != "hosted" and tool.name not in chosen and tool.name not in bodies.pair.names:
            pointer = bodies.pair.output.tools[0].pointer.rpartition("/")[0] if bodies.pair.output.tools else ""
            yield Occurrence(pointer, tool.pointer, tool.name)


@tolerance("default-absent")
def default_absent(bodies: Bodies) -> Iterator[Occurrence]:
    """A setting stands on one side only, with the value that the target documents to hold without it."""
    source, output = bodies.pair.source.settings, bodies.pair.output.settings
    defaults = bodies.pair.target.get("defaults", {})
    for name in source.keys() ^ output.keys():
        setting = source.get(name) or output[name]
        same = equal(setting.value, defaults.get(name, MISSING))
        if same and name in source:
            yield Occurrence("", setting.pointer, setting.value)
        elif same:
            yield Occurrence(setting.pointer, None, MISSING, setting.value)


@tolerance("max-tokens-invented")
def max_tokens_invented(bodies: Bodies) -> Iterator[Occurrence]:
    """A limit that the target's format demands and the source does not have."""
    limit = bodies.pair.output.settings.get("max_output_tokens")
    if limit is None or "max_output_tokens" in bodies.pair.source.settings:
        return
    if bodies.pair.target.get("max_output_tokens_required"):
        yield Occurrence(limit.pointer, None, MISSING, limit.value)


def _twins(bodies: Bodies) -> Iterator[tuple[Tool, Tool]]:
    others = {tool.name: tool for tool in bodies.pair.output.tools}
    for tool in bodies.pair.source.tools:
        twin = others.get(bodies.pair.names.get(tool.name or "", ""))
        if twin is not None:
            yield tool, twin


@tolerance("strict-false-absent")
def strict_false_absent(bodies: Bodies) -> Iterator[Occurrence]:
    """One side says that a tool is not strict, the other says nothing, and its default is the same."""
    for tool, twin in _twins(bodies):
        if {tool.strict, twin.strict} == {False, None}:
            yield Occurrence(twin.pointer, tool.pointer, tool.strict, twin.strict)


@tolerance("type-custom")
def type_custom(bodies: Bodies) -> Iterator[Occurrence]:
    """A function is declared with the type custom on one side, and without on the other."""
    for tool, twin in _twins(bodies):
        if tool.kind == twin.kind == "function":
            want, got = bodies.source(tool.pointer), bodies.output(twin.pointer)
            types = [one.get("type") == "custom" for one in (want, got) if isinstance(one, dict)]
            if any(types) and not all(types):
                yield Occurrence(twin.pointer, tool.pointer)


@tolerance("tool-containers")
def tool_containers(bodies: Bodies) -> Iterator[Occurrence]:
    """The tools stand in one container here and in several there."""
    before, after = _containers(bodies.pair.source.tools), _containers(bodies.pair.output.tools)
    if (len(before) > 1) != (len(after) > 1):
        yield Occurrence(after[-1] if after else "", before[-1] if before else None, len(before), len(after))


def _containers(tools: list[Tool]) -> list[str]:
    return list(dict.fromkeys(tool.pointer.rpartition("/")[0] for tool in tools if tool.kind != "hosted"))
