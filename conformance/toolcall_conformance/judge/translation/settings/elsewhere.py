"""Requests that a provider does not serve by one of its APIs, but by another: for their model, or for what they ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.translation.settings.model_names import named_by
from toolcall_conformance.judge.translation.settings.thinking_switch import no_thinking
from toolcall_conformance.library import Corpus


def served_elsewhere(corpus: Corpus, upstream: str, model: str, request: Reading) -> Mapping[str, Any] | None:
    """What ``format.json`` says where the API of ``upstream`` does not serve a client's request to a model.

    An entry of ``served_elsewhere``: ``by`` names the format whose API serves it, ``why`` says why. None where the API
    serves it, as far as the corpus knows.
    """
    entries = corpus.format(upstream).get("served_elsewhere", ())
    of_model = (entry for entry in entries if named_by(corpus, model, entry["models"]))
    return next((entry for entry in of_model if _asks(corpus, request, entry)), None)


def _asks(corpus: Corpus, reading: Reading, entry: Mapping[str, Any]) -> bool:
    """Whether a request asks for all that an entry names."""
    kind = entry.get("tools")
    if kind is not None and not any(tool.kind == kind for tool in reading.tools):
        return False
    thinking = {"asked": _thinks(reading), "unless_refused": not _refuses_to_think(reading)}
    if not thinking.get(entry.get("thinking", ""), True):
        return False
    return not entry.get("thoughts") or _shows_thoughts(corpus, reading)


def _refuses_to_think(reading: Reading) -> bool:
    wish = reading.settings.get("reasoning")
    return wish is not None and no_thinking(wish.value)


def _thinks(reading: Reading) -> bool:
    """Whether a request asks for thinking, as much as it says or as much as the model likes."""
    return reading.thinks is not None or ("reasoning" in reading.settings and not _refuses_to_think(reading))


def _shows_thoughts(corpus: Corpus, reading: Reading) -> bool:
    """Whether the reply is to show thoughts: the request says so, or asks for thinking where the model shows them."""
    data = corpus.format(reading.format)
    if reading.thoughts is not None:
        return reading.thoughts.value is True
    by_the_model = "thoughts" in data["wire_words"] and data["thoughts_shown"] is not False
    return by_the_model and _thinks(reading)
