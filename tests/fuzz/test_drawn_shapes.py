"""Everything that conversations are said to be drawn from is drawn, and is legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from toolcall_conformance.library import load_corpus

pytest.importorskip("hypothesis")
from toolcall_conformance.fuzz.bricks import bricks_of
from toolcall_conformance.fuzz.drawing import Source
from toolcall_conformance.fuzz.rendering import RENDERER, Drawn, load_renderer, rendered

SHAPES = {
    "a call without arguments",
    "a choice of one tool",
    "a failed result",
    "a follow-up question",
    "a hosted step",
    "a parameter that refers to a definition",
    "a picture among several results",
    "a picture in a result",
    "a tool of free text",
    "a tool without a schema",
    "a user's picture",
    "a user's picture by its address",
    "an answer that cites",
    "an error of the provider",
    "an object as a result",
    "counts of tokens",
    "free text of a call",
    "instructions",
    "parallel calls",
    "sampling",
    "stop texts",
    "thinking",
    "three rounds of calls",
}


def _shapes(drawn: Drawn) -> Iterator[str]:
    scenario = drawn.scenario
    turns: list[dict[str, Any]] = scenario["conversation"]
    rounds = sum(any("call" in entry for entry in turn["content"]) for turn in turns)
    sizes = {
        "a follow-up question": any(turn["role"] == "user" and "text" in turn["content"][-1] for turn in turns[2:]),
        "an error of the provider": "upstream_error" in scenario,
        "a choice of one tool": "names" in scenario["settings"].get("tool_choice", {}),
        "sampling": bool({"temperature", "top_p", "top_k"} & scenario["settings"].keys()),
        "stop texts": "stop" in scenario["settings"],
        "three rounds of calls": rounds == 3,
        "counts of tokens": any("usage" in turn for turn in turns),
        "instructions": turns[0]["role"] == "system",
        "parallel calls": any(sum("call" in entry for entry in turn["content"]) > 1 for turn in turns),
        "a tool of free text": any(tool.get("kind") == "custom" for tool in drawn.tools.values()),
        "a tool without a schema": any(tool.keys() <= {"name", "description"} for tool in drawn.tools.values()),
        "a parameter that refers to a definition": any("$defs" in repr(tool) for tool in drawn.tools.values()),
    }
    yield from (name for name, holds in sizes.items() if holds)
    for turn in turns:
        for entry in turn["content"]:
            yield from _of_entry(entry, alone=len(turn["content"]) == 1)


def _of_entry(entry: dict[str, Any], *, alone: bool) -> Iterator[str]:
    call, result, media = (entry.get(name, {}) for name in ("call", "result", "media"))
    pictured = isinstance(result.get("content"), list) and "media" in repr(result["content"])
    held = {
        "thinking": "opaque" in entry,
        "a hosted step": "hosted" in entry,
        "an answer that cites": "citations" in entry,
        "a call without arguments": call.get("arguments") == {},
        "free text of a call": "input" in call,
        "a failed result": bool(result.get("error")),
        "an object as a result": isinstance(result.get("content"), dict),
        "a picture in a result": pictured and alone,
        "a picture among several results": pictured and not alone,
        "a user's picture": "data" in media,
        "a user's picture by its address": "url" in media,
    }
    return (name for name, holds in held.items() if holds)


def test_all_shapes_are_drawn_and_legal() -> None:
    bricks = bricks_of(load_corpus())
    found = Source(bricks, 0).drawn(100)
    counts = Counter(shape for drawn in found for shape in {*_shapes(drawn)})
    assert counts.keys() == SHAPES, counts
    renderer = load_renderer(RENDERER)
    for drawn in found[:30]:
        case = rendered(drawn, renderer, "fuzz/drawn", drawn.scenario["models"])
        exchanges = {len(case.exchanges(name)) for name in case.formats}
        assert exchanges == {sum(turn["role"] == "assistant" for turn in drawn.scenario["conversation"])}
        failing = drawn.scenario.get("upstream_error", {}).get("exchange")
        assert all(
            (one.error is not None) == (one.number == failing) for name in case.formats for one in case.exchanges(name)
        )
