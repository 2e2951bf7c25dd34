"""Hypothesis strategies for what a request asks for, and what a reply counts."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from toolcall_conformance.trust.fuzz import schemas, shapes
from toolcall_conformance.trust.fuzz.frames import Frame

Turn = Mapping[str, Any]


@st.composite
def _usage(draw: DrawFn) -> dict[str, int]:
    usage = {"input": draw(st.integers(1, 100_000)), "output": draw(st.integers(1, 10_000))}
    if draw(st.booleans()):
        usage["cached"] = draw(st.integers(0, usage["input"]))
    if draw(st.integers(0, 3)) == 3:
        usage["cache_write"] = draw(st.integers(0, usage["input"] - usage.get("cached", 0)))
    if draw(st.integers(0, 3)) == 3:
        usage["reasoning"] = draw(st.integers(0, usage["output"]))
    return usage


#: Counts of tokens; those that were cached or written to a cache are among those of the input.
USAGE: SearchStrategy[dict[str, int]] = _usage()
_FREE: Mapping[str, SearchStrategy[Any]] = {
    "max_output_tokens": st.integers(16, 4096),
    "temperature": st.sampled_from([0, 0.2, 0.5, 1]),
    "top_p": st.sampled_from([0.1, 0.5, 0.95]),
    "top_k": st.integers(1, 100),
    "stop": st.lists(shapes.TEXTS, min_size=1, max_size=3, unique=True),
    "seed": st.integers(0, 2**31 - 1),
    "frequency_penalty": st.sampled_from([-1, 0.5, 1]),
    "presence_penalty": st.sampled_from([-1, 0.5, 1]),
    "user_id": shapes.NAMES,
    "metadata": st.dictionaries(shapes.NAMES, shapes.TEXTS, min_size=1, max_size=2),
    "store": st.booleans(),
    "cache_key": shapes.NAMES,
}
# Asked of those models alone of which a case of the corpus asks it.
_OF_MODELS: Mapping[str, SearchStrategy[Any]] = {
    "service_tier": st.sampled_from(["auto", "default", "flex", "priority"]),
    "verbosity": st.sampled_from(["low", "medium", "high"]),
}


def answer_format(draw: DrawFn, forms: Mapping[str, bool]) -> dict[str, Any]:
    """The form that answers must have, of those that there are; some have a schema."""
    kind = draw(st.sampled_from(sorted(forms)))
    if not forms[kind]:
        return {"type": kind}
    answer_form: dict[str, Any] = {"type": kind, "name": draw(shapes.NAMES), "schema": draw(schemas.STRICT)}
    if draw(st.booleans()):
        answer_form["description"] = draw(shapes.TEXTS)
    if draw(st.booleans()):
        answer_form["strict"] = draw(st.booleans())
    return answer_form


def settings(draw: DrawFn, turns: Sequence[Turn], tools: Sequence[str], frame: Frame) -> dict[str, Any]:
    """The settings of a request, in addition to those of its frame; none that the turns break.

    Who asks a model to think asks for no way to sample, which some APIs refuse beside it.
    """
    drawn_settings: dict[str, Any] = copy.deepcopy(dict(frame.settings))
    batches = [[entry["call"] for entry in turn["content"] if "call" in entry] for turn in turns]
    if not frame.settings:
        free = {**_FREE, **{name: drawn for name, drawn in _OF_MODELS.items() if name in frame.capabilities}}
        if _refers_back(frame):
            del free["store"]
        for name in draw(st.sets(st.sampled_from(sorted(free)), max_size=3)):
            drawn_settings[name] = draw(free[name])
        if {"temperature", "top_p"} <= drawn_settings.keys():
            del drawn_settings["top_p"]  # some models take only one of the two
        _add_stop_sequences(drawn_settings, [turn["stop_sequence"] for turn in turns if "stop_sequence" in turn])
    chooses, limits = draw(st.booleans()), draw(st.booleans())
    if tools and chooses:
        drawn_settings["tool_choice"] = draw(
            st.sampled_from(_choices(turns, batches, tools, thinks=bool(frame.settings)))
        )
    if tools and max(len(batch) for batch in batches) <= 1 and limits:
        drawn_settings["parallel_calls"] = False
    elif tools and draw(st.integers(0, 7)) == 7:
        drawn_settings["parallel_calls"] = True
    return drawn_settings


def _refers_back(frame: Frame) -> bool:
    """Whether requests name what the provider keeps of its replies: then it is to keep them, as it does by itself."""
    return any("item-references" in spelling for spelling in frame.members.get("spell", {}).values())


def _add_stop_sequences(drawn_settings: dict[str, Any], met: Sequence[str]) -> None:
    """Add the stop sequences that a reply met to the others; APIs take four."""
    if met:
        drawn_settings["stop"] = list(dict.fromkeys([*met, *drawn_settings.get("stop", [])]))[:4]


def _choices(
    turns: Sequence[Turn], batches: Sequence[Sequence[Mapping[str, Any]]], tools: Sequence[str], *, thinks: bool
) -> list[dict[str, Any]]:
    """The choices of tools that the model's turns keep to."""
    names = sorted({call["name"] for batch in batches for call in batch})
    choices: list[dict[str, Any]] = [{"mode": "auto"}]
    if not names:
        choices.append({"mode": "none"})
    elif len(names) < len(tools):
        choices.append({"mode": "auto", "names": names})
    if thinks or not names or any(turn["role"] == "assistant" and turn.get("finish") != "tools" for turn in turns):
        return choices
    return [*choices, {"mode": "required"}, {"mode": "required", "names": names}]
