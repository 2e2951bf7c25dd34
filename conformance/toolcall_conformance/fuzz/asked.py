"""Hypothesis strategies for what a request asks for, and what a reply counts."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from toolcall_conformance.fuzz import shapes


@st.composite
def _usage(draw: DrawFn) -> dict[str, int]:
    usage = {"input": draw(st.integers(1, 100_000)), "output": draw(st.integers(1, 10_000))}
    if draw(st.booleans()):
        usage["cached"] = draw(st.integers(0, usage["input"]))
    return usage


#: Counts of tokens; those that were cached are among those of the input.
USAGE: SearchStrategy[dict[str, int]] = _usage()
_STOPS = st.lists(shapes.TEXTS, min_size=1, max_size=3, unique=True)
_FREE: Mapping[str, SearchStrategy[Any]] = {
    "max_output_tokens": st.integers(16, 4096),
    "temperature": st.sampled_from([0, 0.2, 0.5, 1]),
    "top_p": st.sampled_from([0.1, 0.5, 0.95]),
    "top_k": st.integers(1, 100),
    "stop": _STOPS,
    "seed": st.integers(0, 2**31 - 1),
    "frequency_penalty": st.sampled_from([-1, 0.5, 1]),
    "presence_penalty": st.sampled_from([-1, 0.5, 1]),
    "user_id": shapes.NAMES,
}


def settings(draw: DrawFn, turns: Sequence[Mapping[str, Any]], own: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked for, besides what the conversation's frame asks for (``own``); nothing that its turns break.

    Who asks a model to think asks for no way to sample, which some APIs refuse beside it.
    """
    found: dict[str, Any] = copy.deepcopy(dict(own))
    batches = [[entry["call"] for entry in turn["content"] if "call" in entry] for turn in turns]
    if not own:
        for name in draw(st.sets(st.sampled_from(sorted(_FREE)), max_size=3)):
            found[name] = draw(_FREE[name])
        if {"temperature", "top_p"} <= found.keys():
            del found["top_p"]  # some models take one of the two
    if draw(st.booleans()):
        found["tool_choice"] = draw(st.sampled_from(_choices(turns, batches, thinks=bool(own))))
    if max(len(batch) for batch in batches) == 1 and draw(st.booleans()):
        found["parallel_calls"] = False
    return found


def _choices(
    turns: Sequence[Mapping[str, Any]], batches: Sequence[Sequence[Mapping[str, Any]]], *, thinks: bool
) -> list[dict[str, Any]]:
    """The choices of tools that the model's turns keep to."""
    choices: list[dict[str, Any]] = [{"mode": "auto"}]
    if thinks or any(turn["role"] == "assistant" and turn["finish"] != "tools" for turn in turns):
        return choices
    choices.append({"mode": "required"})
    names = {call["name"] for batch in batches for call in batch}
    return [*choices, {"mode": "required", "names": sorted(names)}] if len(names) == 1 else choices
