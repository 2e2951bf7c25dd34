"""The Hypothesis strategy for scenarios: conversations in neutral form, as ``scenario.json`` has them.

A drawn scenario is what every API takes: calls are answered in their order, right behind them, and what only one format
can say is not drawn. So each fault that is found on it is one of the translator.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from toolcall_conformance.fuzz import shapes
from toolcall_conformance.fuzz.features import features_of

# A picture of one pixel.
_PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_TEXT = shapes.TEXTS.map(lambda text: {"text": text})
_MEDIA = st.just({"media": {"kind": "image", "mime": "image/png", "data": _PICTURE}})
_CONTENTS = st.one_of(
    shapes.ANY_TEXTS,
    shapes.VALUES.map(lambda value: json.dumps(value, ensure_ascii=False)),
    shapes.OBJECTS,
    st.lists(_TEXT, min_size=1, max_size=3),
)
# A picture stands in the result of a call that has no other beside it: where a format has it behind all results, which
# it belongs to is then plain.
_SHOWING = st.one_of(_CONTENTS, st.tuples(_TEXT, _MEDIA).map(list))


@st.composite
def scenarios(draw: DrawFn, models: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """A scenario without an id, and its tools: ``{"scenario": {...}, "tools": {name: tool}}``.

    ``models`` are what it may name as its models, by format.
    """
    tools = draw(st.dictionaries(shapes.NAMES, _tools(), min_size=1, max_size=3))
    for name, tool in tools.items():
        tool["name"] = name
    turns: list[dict[str, Any]] = []
    if draw(st.booleans()):
        turns.append({"role": "system", "content": [draw(_TEXT)]})
    turns.append({"role": "user", "content": [draw(_TEXT)]})
    rounds = draw(st.integers(1, 3))
    batches = [_round(draw, turns, number, sorted(tools), last=number == rounds) for number in range(1, rounds + 1)]
    settings = _settings(draw, batches, answered=turns[-1].get("finish") != "tools")
    scenario = {
        "title": "A drawn conversation",
        "since": "0.1.0",
        "features": features_of(turns),
        "guards": [{"shape": "drawn", "url": "https://hypothesis.readthedocs.io/"}],
        "models": dict(draw(st.sampled_from(list(models)))),
        "tools": sorted(tools),
        "settings": settings,
        "conversation": turns,
        "ids": {},
        "files": {},
    }
    return {"scenario": scenario, "tools": tools}


@st.composite
def _tools(draw: DrawFn) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": "", "description": draw(shapes.TEXTS)}
    if draw(st.booleans()):
        tool["parameters"] = draw(shapes.PARAMETERS)
    return tool


def _round(draw: DrawFn, turns: list[dict[str, Any]], number: int, tools: Sequence[str], *, last: bool) -> int:
    """Adds calls, their results, and perhaps an answer; returns how many calls. The last may end with its calls."""
    said = [draw(_TEXT)] if draw(st.booleans()) else []
    keys = [f"{number}-{place}" for place in range(1, draw(st.integers(1, 3)) + 1)]
    calls = [
        {"call": {"key": f"c{key}", "name": draw(st.sampled_from(tools)), "arguments": draw(shapes.ARGUMENTS)}}
        for key in keys
    ]
    turns.append({"role": "assistant", "content": [*said, *calls], "finish": "tools"})
    if last and draw(st.booleans()):
        return len(calls)
    contents = _SHOWING if len(keys) == 1 else _CONTENTS
    results = [{"result": {"call": f"c{key}", "content": draw(contents), "error": draw(st.booleans())}} for key in keys]
    turns.append({"role": "user", "content": results})
    if last or draw(st.booleans()):
        turns.append(
            {"role": "assistant", "content": [draw(_TEXT)], "finish": draw(st.sampled_from(["end", "length"]))}
        )
        if not last:
            turns.append({"role": "user", "content": [draw(_TEXT)]})
    return len(calls)


def _settings(draw: DrawFn, batches: Sequence[int], *, answered: bool) -> dict[str, Any]:
    """What is asked for; never what the drawn replies would not keep to."""
    choices: list[dict[str, Any]] = [{"mode": "auto"}]
    if not answered and len(batches) == 1:
        choices.append({"mode": "required"})
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        found["max_output_tokens"] = draw(st.integers(16, 4096))
    if draw(st.booleans()):
        found["temperature"] = draw(st.sampled_from([0, 0.2, 0.5, 1]))
    if draw(st.booleans()):
        found["tool_choice"] = draw(st.sampled_from(choices))
    if max(batches) == 1 and draw(st.booleans()):
        found["parallel_calls"] = False
    return found
