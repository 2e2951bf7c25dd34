"""The Hypothesis strategy for scenarios: conversations in neutral form, as ``scenario.json`` has them.

A generated scenario is one that every API takes: results follow their calls, in order, and what only one format can
express is in blocks from the corpus. So each fault that is found on it is one of the translator.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from toolcall_conformance.trust.fuzz import declarations, request_settings, shapes
from toolcall_conformance.trust.fuzz.frames import CorpusFrames, Frame
from toolcall_conformance.trust.fuzz.turns import TurnConstraints, TurnGenerator


def features_of(turns: Sequence[Mapping[str, Any]]) -> list[str]:
    """The features of some turns; never none."""
    batches = [[entry["call"] for entry in turn["content"] if "call" in entry] for turn in turns]
    calls = [call for batch in batches for call in batch]
    results = [entry["result"] for turn in turns for entry in turn["content"] if "result" in entry]
    holds_by_name = {
        "parallel-calls": any(len(batch) > 1 for batch in batches),
        "single-call": len(calls) == 1,
        "no-call": not calls,
        "two-rounds": sum(bool(batch) for batch in batches) > 1,
        "empty-arguments": any(call.get("arguments") == {} for call in calls),
        "tool-error": any(result["error"] for result in results),
        "reasoning": any("opaque" in entry for turn in turns for entry in turn["content"]),
        "hosted-step": any("hosted" in entry for turn in turns for entry in turn["content"]),
        "free-text-tool": any("input" in call for call in calls),
        "system-prompt": any(turn["role"] == "system" for turn in turns),
    }
    return sorted(name for name, holds in holds_by_name.items() if holds) or ["several-tools"]


_ERRORS = ("invalid_request", "unauthorized", "invalid_key", "rate_limit", "server_error", "overloaded")
_PASSING = frozenset({"rate_limit", "overloaded"})
# Most have one round of calls: their faults are mostly those of longer ones, which take longer.
_ROUNDS = (1, 1, 1, 1, 2, 2, 3, 0)


@st.composite
def scenarios(draw: DrawFn, frames: CorpusFrames) -> dict[str, Any]:
    """A scenario without an id, and its tools: ``{"scenario": {...}, "tools": {name: tool}}``."""
    frame = _frame(draw, frames)
    strict = "declare" not in frame.members and bool(frames.strict) and draw(st.integers(0, 5)) == 5
    rounds = draw(st.sampled_from(_ROUNDS))
    least = 1 + frame.several_tools
    tools = declarations.tools(draw, least, strict=strict) if rounds or least > 1 or draw(st.booleans()) else {}
    asks = bool(frames.forms) and "response_format" in frame.capabilities and draw(st.integers(0, 2)) > 0
    answer_form = request_settings.answer_format(draw, frames.forms) if asks else None
    turns = TurnGenerator(draw, tools, frame, TurnConstraints(strict, answer_form, frames.uploaded))
    turns.fill(rounds)
    settings = request_settings.settings(draw, turns.turns, sorted(tools), frame)
    scenario = {
        "title": "A generated conversation",
        "since": "0.1.0",
        "features": features_of(turns.turns),
        "guards": [{"shape": "drawn", "url": "https://hypothesis.readthedocs.io/"}],
        **copy.deepcopy(dict(frame.members)),
        "tools": sorted(tools),
        "settings": {**settings, "response_format": answer_form} if answer_form is not None else settings,
        "conversation": turns.turns,
        "ids": _ids(draw, turns.turns, frame),
        "files": {},
    }
    if strict:
        scenario["declare"] = dict(draw(st.sampled_from(frames.strict)))
    if draw(st.integers(0, 5)) == 5:
        scenario["upstream_error"] = _error(draw, turns.turns)
    return {"scenario": scenario, "tools": tools}


def _frame(draw: DrawFn, corpus_frames: CorpusFrames) -> Frame:
    kinds = corpus_frames.kinds
    frames = draw(st.sampled_from([0, 0, *range(len(kinds))]).map(lambda kind: kinds[kind]))
    frame: Frame = frames[draw(st.integers(0, len(frames) - 1))]
    return frame


def _ids(draw: DrawFn, turns: Sequence[Mapping[str, Any]], frame: Frame) -> dict[str, dict[str, str | None]]:
    """Mostly none, so that they are as its provider gives them; else those of one case."""
    if not frame.ids or draw(st.integers(0, 3)) < 3:
        return {}
    keys = [entry["call"]["key"] for turn in turns for entry in turn["content"] if "call" in entry]
    ids_by_format = frame.ids[draw(st.integers(0, len(frame.ids) - 1))]
    return {name: dict(zip(keys, ids, strict=False)) for name, ids in sorted(ids_by_format.items())}


def _error(draw: DrawFn, turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The provider's error in the place of a reply; the next try is answered."""
    exchanges = sum("finish" in turn for turn in turns)
    error: dict[str, Any] = {
        "exchange": draw(st.integers(1, exchanges)),
        "kind": draw(st.sampled_from(_ERRORS)),
        "message": draw(shapes.TEXTS),
    }
    if error["kind"] in _PASSING and draw(st.booleans()):
        error["retry_after"] = draw(st.integers(1, 90))
    return error
