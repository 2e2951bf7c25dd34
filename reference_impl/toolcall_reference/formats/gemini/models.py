"""Differences between generations of Gemini models."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def is_third_generation(model: str) -> bool:
    """Whether this is Gemini 3 or a later model."""
    match = re.search(r"gemini-(\d+)", model)
    return match is not None and int(match[1]) >= 3


def demands_signatures(model: str) -> bool:
    """Whether the model refuses calls in the history without a thought signature: Gemini 3 and later."""
    return is_third_generation(model)


def nests_media(model: str) -> bool:
    """Whether a function's response may hold media of its own: Gemini 3 and later."""
    return demands_signatures(model)
