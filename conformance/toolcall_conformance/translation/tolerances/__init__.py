"""Where a body and its translation differ without a fault: one function for each equivalence of the corpus.

The comparisons accept such differences on their way and gather nothing. Who asks what was accepted (``judge
--tolerated``) pays for it here: each function looks for the places where two bodies rest on its equivalence. It decides
by what the comparisons decide by: the same readings, the same functions, the same words of the corpus.
"""

from __future__ import annotations

from toolcall_conformance.translation.tolerances import (
    bodies,
    constraints,
    conversation,
    declared,
    ids,
    media,
    results,
    schemas,
    texts,
    values,
)
from toolcall_conformance.translation.tolerances.registry import TOLERANCES, tolerated

__all__ = [
    "TOLERANCES",
    "bodies",
    "constraints",
    "conversation",
    "declared",
    "ids",
    "media",
    "results",
    "schemas",
    "texts",
    "tolerated",
    "values",
]
