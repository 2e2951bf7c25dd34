"""Every documented shape is generated, and is legal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from toolcall_conformance.library import load_corpus

pytest.importorskip("hypothesis")
from toolcall_conformance.trust.fuzz.cases import RENDERER, GeneratedScenario, load_renderer, render
from toolcall_conformance.trust.fuzz.frames import corpus_frames
from toolcall_conformance.trust.fuzz.generation import ScenarioSource

MIMES = ("image/png", "application/pdf", "text/plain", "image/gif", "image/webp", "audio/wav", "audio/mpeg")
ENDS = ("end", "length", "stop_sequence", "filter", "refusal", "error", "other")
SETTINGS = (
    *("max_output_tokens", "temperature", "top_p", "top_k", "stop", "seed", "frequency_penalty", "presence_penalty"),
    *("user_id", "metadata", "store", "cache_key", "service_tier", "verbosity", "reasoning", "response_format"),
)


def _shapes(drawn: GeneratedScenario) -> dict[str, bool]:
    """What there is to be drawn, and whether a conversation has it."""
    scenario, tools = drawn.scenario, [*drawn.tools.values()]
    turns: list[dict[str, Any]] = scenario["conversation"]
    schemas = repr([tool.get("parameters") for tool in tools])
    dialogue = [turn for turn in turns if turn["role"] != "system"]
    rounds = sum(any("call" in entry for entry in turn["content"]) for turn in turns)
    asked_of_users = [turn["content"] for turn in dialogue if turn["role"] == "user" and "text" in turn["content"][-1]]
    return {
        "a follow-up question": len(asked_of_users) > 1,
        "three rounds of calls": rounds == 3,
        "no call at all": not rounds,
        "no tool at all": not tools,
        "counts of tokens": any("usage" in turn for turn in turns),
        "instructions": turns[0]["role"] == "system",
        "several instructions": turns[0]["role"] == "system" and len(turns[0]["content"]) > 1,
        "instructions in the middle": any(turn["role"] == "system" for turn in turns[1:]),
        "what the client brings along": any("given" in turn for turn in turns),
        "calls that the client brings along": any(
            "given" in turn and "call" in repr(turn["content"]) for turn in turns
        ),
        "parallel calls": any(sum("call" in entry for entry in turn["content"]) > 1 for turn in turns),
        "several texts of the user": any(sum("text" in part for part in content) > 1 for content in asked_of_users),
        "several media of the user": any(sum("media" in part for part in content) > 1 for content in asked_of_users),
        "words behind results": any("result" in content[0] for content in asked_of_users),
        "text behind a call": any(_has_text_after_call(turn["content"]) for turn in turns),
        "a tool of free text": any(tool.get("kind") == "custom" for tool in tools),
        "a tool with a grammar": any(tool.get("format", {}).get("type") == "grammar" for tool in tools),
        "a tool without a schema": any(tool.keys() <= {"name", "description"} for tool in tools),
        "a tool without a description": any("description" not in tool for tool in tools),
        "a tool with the longest name": any(len(name) == 64 for name in drawn.tools),
        "a parameter that refers to a definition": "$defs" in schemas,
        "a parameter that may be null": "'null']" in schemas,
        "a parameter with bounds": bool({"'minimum'", "'maxLength'", "'minItems'"} & {*re.findall(r"'\w+'", schemas)}),
        "closed parameters": "'additionalProperties': False" in schemas,
        **_answer_shapes(scenario),
        **_setting_shapes(scenario),
    }


def _has_text_after_call(content: list[dict[str, Any]]) -> bool:
    kinds = ["call" if "call" in entry else "text" if "text" in entry else "" for entry in content]
    return "call" in kinds and "text" in kinds[kinds.index("call") :]


def _answer_shapes(scenario: dict[str, Any]) -> dict[str, bool]:
    """How replies end, and how the provider fails."""
    turns = [turn for turn in scenario["conversation"] if "finish" in turn]
    ends = {turn["finish"] for turn in turns if "call" not in repr(turn["content"])}
    named = {f"an answer that ends by {end}": end in ends for end in ENDS}
    error = scenario.get("upstream_error", {})
    return {
        **named,
        "an empty answer": any(not turn["content"] for turn in turns),
        "calls that are cut off": any(
            "call" in entry for turn in turns if turn["finish"] in ("length", "filter") for entry in turn["content"]
        ),
        "an error of the provider": bool(error),
        "an error with a time to wait": "retry_after" in error,
    }


def _setting_shapes(scenario: dict[str, Any]) -> dict[str, bool]:
    settings = scenario["settings"]
    choice, response_format = settings.get("tool_choice", {}), settings.get("response_format", {})
    strict = "strict" in scenario.get("declare", {}).values()
    return {
        **{f"the setting {name}": name in settings for name in SETTINGS},
        "a choice of one tool": len(choice.get("names", ())) == 1,
        "a choice of some tools": len(choice.get("names", ())) > 1,
        **{f"the choice {mode}": choice.get("mode") == mode for mode in ("auto", "required", "none")},
        "one call at a time": settings.get("parallel_calls") is False,
        "strict tools": strict,
        "answers in JSON": bool(response_format)
        and "schema" not in response_format
        and response_format["type"] != "text",
        "answers by a schema": "schema" in response_format,
        "answers by a strict schema": response_format.get("strict") is True,
        "other spellings": "spell" in scenario,
        "other declarations": "declare" in scenario and not strict,
        "ids of its own": bool(scenario["ids"]),
    }


def _entry_shapes(entry: dict[str, Any], *, alone: bool) -> dict[str, bool]:
    call, result, media = (entry.get(name, {}) for name in ("call", "result", "media"))
    parts = result["content"] if isinstance(result.get("content"), list) else []
    images = [part["media"] for part in parts if "media" in part]
    return {
        "thinking": "opaque" in entry,
        "a hosted step": "hosted" in entry,
        "an answer that cites": "citations" in entry,
        "a refusal": "refusal" in entry,
        "a call without arguments": call.get("arguments") == {},
        "free text of a call": "input" in call,
        "a failed result": bool(result.get("error")),
        "a failed result with media": bool(result.get("error") and images),
        "an object as a result": isinstance(result.get("content"), dict),
        "media in a result": bool(images) and alone,
        "media among several results": bool(images) and not alone,
        "media alone in a result": len(parts) == len(images) > 0,
        "several media in a result": len(images) > 1,
        "text behind media in a result": bool(images) and "text" in parts[-1],
        "a user's file that is kept by the provider": "file" in media,
        **{f"a {mime} of the user": media.get("mime") == mime and "data" in media for mime in MIMES},
        **{f"a {mime} by its address": media.get("mime") == mime and "url" in media for mime in MIMES[:2]},
        **{f"a {mime} in a result": any(item["mime"] == mime for item in images) for mime in MIMES},
    }


def _scenario_shapes(drawn: GeneratedScenario) -> Iterator[tuple[str, bool]]:
    yield from _shapes(drawn).items()
    for turn in drawn.scenario["conversation"]:
        for entry in turn["content"]:
            yield from _entry_shapes(entry, alone=len(turn["content"]) == 1).items()


#: So many are drawn at most. What is there to be drawn has long been seen by then, and nothing more is drawn.
MAX_SCENARIOS = 1000


def _first_scenarios_by_shape(drawn: Iterator[GeneratedScenario]) -> tuple[list[GeneratedScenario], set[str]]:
    """The conversations that show a shape which none before them has, until each is seen; and what none has."""
    firsts: list[GeneratedScenario] = []
    named: set[str] = set()
    all_shapes: set[str] = set()
    for case in drawn:
        flags = [*_scenario_shapes(case)]
        named |= {shape for shape, _ in flags}
        shapes = {shape for shape, holds in flags if holds}
        if shapes - all_shapes:
            firsts.append(case)
            all_shapes |= shapes
        if named == all_shapes:
            break
    return firsts, named - all_shapes


def test_all_shapes_are_drawn_and_legal() -> None:
    firsts, missing = _first_scenarios_by_shape(ScenarioSource(corpus_frames(load_corpus()), 0).generate(MAX_SCENARIOS))
    assert missing == set()
    renderer = load_renderer(RENDERER)
    for drawn in firsts:
        case = render(drawn, renderer, "fuzz/drawn", drawn.scenario["models"])
        exchanges = {len(case.exchanges(name)) for name in case.formats}
        assert exchanges == {sum("finish" in turn for turn in drawn.scenario["conversation"])}
        failing = drawn.scenario.get("upstream_error", {}).get("exchange")
        assert all(
            (exchange.error is not None) == (exchange.number == failing)
            for name in case.formats
            for exchange in case.exchanges(name)
        )
