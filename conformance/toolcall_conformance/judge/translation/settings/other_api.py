"""Requests that a provider serves not by one of its APIs, but by another: for their model, or for what they ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.translation.settings.model_names import matches_model
from toolcall_conformance.judge.translation.settings.thinking import is_thinking_off
from toolcall_conformance.library import Corpus


def find_other_api(corpus: Corpus, upstream: str, model: str, request: Reading) -> Mapping[str, Any] | None:
    """Return the entry of format.json if another API than ``upstream``'s serves a request to a model, or None.

    An entry of ``served_elsewhere``: ``by`` names the format whose API serves it, ``why`` says why. None also if the
    corpus does not know.
    """
    entries = corpus.format(upstream).get("served_elsewhere", ())
    of_model = (entry for entry in entries if matches_model(corpus, model, entry["models"]))
    return next((entry for entry in of_model if _matches_entry(corpus, request, entry)), None)


def _matches_entry(corpus: Corpus, reading: Reading, entry: Mapping[str, Any]) -> bool:
    """Whether a request asks for all that an entry names."""
    kind = entry.get("tools")
    if kind is not None and not any(tool.kind == kind for tool in reading.tools):
        return False
    thinking = {"asked": _requests_thinking(reading), "unless_refused": not _refuses_to_think(reading)}
    if not thinking.get(entry.get("thinking", ""), True):
        return False
    return not entry.get("thoughts") or _requests_thoughts(corpus, reading)


def _refuses_to_think(reading: Reading) -> bool:
    reasoning = reading.settings.get("reasoning")
    return reasoning is not None and is_thinking_off(reasoning.value)


def _requests_thinking(reading: Reading) -> bool:
    """Whether a request asks for thinking, for a certain amount or as much as the model likes."""
    return reading.thinks is not None or ("reasoning" in reading.settings and not _refuses_to_think(reading))


def _requests_thoughts(corpus: Corpus, reading: Reading) -> bool:
    """Whether the reply is to show thoughts: on request, or where the model shows them whenever it thinks."""
    data = corpus.format(reading.format)
    if reading.thoughts is not None:
        return reading.thoughts.value is True
    by_the_model = "thoughts" in data["wire_words"] and data["thoughts_shown"] is not False
    return by_the_model and _requests_thinking(reading)
