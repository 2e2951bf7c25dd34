"""What differs from one generation of Gemini models to the next."""

from __future__ import annotations

import re


def is_third(model: str) -> bool:
    """Whether this is Gemini 3 or a later model."""
    found = re.search(r"gemini-(\d+)", model)
    return found is not None and int(found[1]) >= 3
