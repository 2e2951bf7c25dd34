"""Makes a generated scenario smaller, step by step, as long as the same thing stays wrong with it."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.trust.dialects import JOINED
from toolcall_conformance.trust.fuzz.cases import DIALECT, GeneratedScenario
from toolcall_conformance.trust.fuzz.scenarios import features_of

Turns = list[dict[str, Any]]
_TEXT = "a"
_AS_DATA = "YQ=="
# What a scenario may go without; bodies that then break a rule are not played.
_OPTIONAL = frozenset({DIALECT, "declare", "hosted_tools", "own_settings", "spell", "upstream_error"})


def shrink(
    generated: GeneratedScenario, fails: Callable[[GeneratedScenario], bool], seconds: float
) -> GeneratedScenario:
    """The smallest scenario that still ``fails`` and that single steps lead to; after ``seconds`` the smallest so far.

    ``generated`` fails. Every scenario on the way is legal: calls are answered in order, and the conversation ends with
    the model.
    """
    until = time.monotonic() + seconds
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(generated):
            if time.monotonic() > until:
                return generated
            if fails(candidate):
                generated, smaller = candidate, True
                break
    return generated


def _smaller(generated: GeneratedScenario) -> Iterator[GeneratedScenario]:
    """Scenarios that are one step smaller, the largest steps first."""
    turns = generated.scenario["conversation"]
    for length in range(len(turns) - 1, 0, -1):
        for start in range(len(turns) - length + 1):
            left = turns[:start] + turns[start + length :]
            if _is_legal(left):
                yield _with(generated, conversation=left)
    answered = [*turns[:-1], {"role": "assistant", "content": [{"text": _TEXT}], "finish": "end"}]
    if turns[-1] not in (answered[-1], {**answered[-1], "usage": turns[-1].get("usage")}):
        yield _with(generated, conversation=answered)
    for left in _without_entries(turns):
        yield _with(generated, conversation=left)
    for settings in _fewer_settings(generated.scenario["settings"], turns):
        yield _with(generated, settings=settings)
    for name in sorted(generated.scenario.keys() & _OPTIONAL):
        yield GeneratedScenario(
            {key: value for key, value in generated.scenario.items() if key != name}, generated.tools
        )
    for name, habits in generated.scenario.get(DIALECT, {}).items():
        for left in _leave_out_each(habits.split(JOINED)):
            yield _with(generated, dialect={**generated.scenario[DIALECT], name: JOINED.join(left)})
    if generated.scenario["ids"]:
        yield _with(generated, ids={})
    yield from _smaller_tools(generated)
    for left in _simpler_entries(turns):
        yield _with(generated, conversation=left)


def _leave_out_each(entries: Sequence[str]) -> Iterator[list[str]]:
    """Without one of several."""
    for number in range(len(entries) if len(entries) > 1 else 0):
        yield [*entries[:number], *entries[number + 1 :]]


def _with(generated: GeneratedScenario, **changed: Any) -> GeneratedScenario:
    scenario = {**generated.scenario, **changed}
    turns = scenario["conversation"]
    if "upstream_error" in scenario:
        exchanges = sum("finish" in turn for turn in turns)
        error = scenario["upstream_error"]
        scenario["upstream_error"] = {**error, "exchange": min(error["exchange"], exchanges)}
    return GeneratedScenario({**scenario, "features": features_of(turns)}, generated.tools)


def _is_legal(turns: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the sides take turns, just its results follow each batch of calls, and the model speaks last."""
    conversation = [turn for turn in turns if turn["role"] != "system"]
    sides = [turn["role"] for turn in conversation]
    if not sides or sides != ["user", "assistant"] * (len(sides) // 2) or "finish" not in turns[-1]:
        return False
    open_calls: list[str] = []
    for turn in conversation:
        answered = [entry["result"]["call"] for entry in turn["content"] if "result" in entry]
        if turn["role"] == "user" and answered != open_calls:
            return False
        open_calls = [entry["call"]["key"] for entry in turn["content"] if "call" in entry]
    return True


def _fewer_settings(settings: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Without one setting, but those that a turn is the outcome of; or with a simpler form of answers."""
    for name in settings:
        if name != "stop" or not any("stop_sequence" in turn for turn in turns):
            yield {key: value for key, value in settings.items() if key != name}
    response_format = settings.get("response_format", {})
    for name in response_format.keys() & {"description", "strict"}:
        yield {**settings, "response_format": {key: value for key, value in response_format.items() if key != name}}
    for schema in simpler_schemas(response_format["schema"]) if "schema" in response_format else ():
        yield {**settings, "response_format": {**response_format, "schema": schema}}


def _without_entries(turns: Turns) -> Iterator[Turns]:
    """Without one call and its result, or one of several texts."""
    for place, turn in enumerate(turns):
        for number, entry in enumerate(turn["content"]):
            calls = sum("call" in entry for entry in turn["content"])
            if len(turn["content"]) == 1 or "result" in entry or ("call" in entry and calls == 1):
                continue
            left = copy.deepcopy(turns)
            del left[place]["content"][number]
            if "call" in entry:
                _drop_result(left[place + 1 : place + 2], entry["call"]["key"])
            yield left


def _drop_result(following: Turns, key: str) -> None:
    for turn in following:
        turn["content"] = [entry for entry in turn["content"] if entry.get("result", {}).get("call") != key]


def _smaller_tools(generated: GeneratedScenario) -> Iterator[GeneratedScenario]:
    turns = generated.scenario["conversation"]
    used = {entry["call"]["name"] for turn in turns for entry in turn["content"] if "call" in entry}
    for name, tool in generated.tools.items():
        others = {key: value for key, value in generated.tools.items() if key != name}
        if name not in used and others:
            yield GeneratedScenario({**generated.scenario, "tools": sorted(others)}, others)
        if tool.get("description", _TEXT) != _TEXT:
            yield GeneratedScenario(generated.scenario, {**generated.tools, name: {**tool, "description": _TEXT}})
        for left in ("format", "parameters"):
            if left in tool:
                bare = {key: value for key, value in tool.items() if key != left}
                yield GeneratedScenario(generated.scenario, {**generated.tools, name: bare})
        if "parameters" in tool:
            for schema in simpler_schemas(tool["parameters"]):
                yield GeneratedScenario(generated.scenario, {**generated.tools, name: {**tool, "parameters": schema}})


def _simpler_entries(turns: Turns) -> Iterator[Turns]:
    """With one text, one call's arguments or one result made simpler."""
    for place, turn in enumerate(turns):
        for number, entry in enumerate(turn["content"]):
            for simpler in _simpler_entry(entry):
                left = copy.deepcopy(turns)
                left[place]["content"][number] = simpler
                yield left
        if "usage" in turn:
            left = copy.deepcopy(turns)
            del left[place]["usage"]
            yield left


def _simpler_entry(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "text" in entry and entry != {"text": _TEXT} and not entry.get("refusal"):
        yield {"text": _TEXT}
    if entry.get("media", {}).get("mime") == "text/plain" and entry["media"].get("data") != _AS_DATA:
        yield {"media": {**entry["media"], "data": _AS_DATA}}
    if "call" in entry:
        yield from ({"call": simpler_call} for simpler_call in _simpler_calls(entry["call"]))
    if "result" in entry:
        result = entry["result"]
        yield from (
            {"result": {**result, "content": simpler_content}}
            for simpler_content in _simpler_contents(result["content"])
        )
        if result["error"]:
            yield {"result": {**result, "error": False}}


def _simpler_calls(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """With simpler arguments or words, or without its signature."""
    for name in ("arguments", "input"):
        if name in call:
            yield from ({**call, name: simpler_value} for simpler_value in _simpler_values(call[name]))
    if "signature" in call:
        yield {key: value for key, value in call.items() if key != "signature"}


def _simpler_contents(content: Any) -> Iterator[Any]:
    if content not in ("", _TEXT):
        yield _TEXT
    if isinstance(content, dict):
        yield from _simpler_values(content)
    elif isinstance(content, list):
        for number, part in enumerate(content):
            if len(content) > 1:
                yield content[:number] + content[number + 1 :]
            if part.get("text", _TEXT) != _TEXT:
                yield [*content[:number], {"text": _TEXT}, *content[number + 1 :]]


def _simpler_values(value: Any) -> Iterator[Any]:
    """Smaller JSON values: empty, without a member, with a simpler member."""
    if isinstance(value, dict):
        if value:
            yield {}
        for key, inner in value.items():
            if len(value) > 1:
                yield {name: member for name, member in value.items() if name != key}
            yield from ({**value, key: simpler_value} for simpler_value in _simpler_values(inner))
    elif isinstance(value, list):
        if value:
            yield []
        for number, inner in enumerate(value):
            if len(value) > 1:
                yield value[:number] + value[number + 1 :]
            yield from (
                [*value[:number], simpler_value, *value[number + 1 :]] for simpler_value in _simpler_values(inner)
            )
    elif isinstance(value, str) and len(value) > 1:
        yield from ("", _TEXT)
    elif isinstance(value, int | float) and value not in (0, 1):
        yield from (0, 1)


Schema = dict[str, Any]
_SIMPLEST = {"type": "string"}


def simpler_schemas(schema: Schema) -> Iterator[Schema]:
    """An object's schema without one property, its required ones or its definitions, or with a simpler property."""
    properties: dict[str, Schema] = schema.get("properties", {})
    if "$defs" in schema and "$ref" not in repr(properties):
        yield _without(schema, "$defs")
    for name in ("required", "additionalProperties"):
        if name in schema:
            yield _without(schema, name)
    for name, inner in properties.items():
        demands = [key for key in schema.get("required", ()) if key != name]
        left = {**schema, "properties": _without(properties, name)}
        yield {**left, "required": demands} if demands else _without(left, "required")
        for simpler_schema in _simpler(inner):
            yield {**schema, "properties": {**properties, name: simpler_schema}}


def _simpler(schema: Schema) -> Iterator[Schema]:
    """The simplest schema, each inner schema, and those with one inner schema simpler."""
    if schema == _SIMPLEST:
        return
    yield dict(_SIMPLEST)
    yield from _inner_schemas(schema)
    for name in schema.keys() - {"type", "properties", "items", "anyOf", "required", "$ref"}:
        yield _without(schema, name)
    if schema.get("type") == "object":
        yield from simpler_schemas(schema)
    if "items" in schema:
        yield from ({**schema, "items": simpler_schema} for simpler_schema in _simpler(schema["items"]))
    branches: list[Schema] = schema.get("anyOf", [])
    for number, branch in enumerate(branches):
        before, after = branches[:number], branches[number + 1 :]
        if len(branches) > 2:
            yield {**schema, "anyOf": [*before, *after]}
        yield from ({**schema, "anyOf": [*before, simpler_schema, *after]} for simpler_schema in _simpler(branch))


def _inner_schemas(schema: Schema) -> list[Schema]:
    inner = schema.get("items")
    return [*schema.get("properties", {}).values(), *([inner] if inner else []), *schema.get("anyOf", [])]


def _without(members: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in members.items() if key != name}
