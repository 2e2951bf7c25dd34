"""Where a body and its translation differ without a fault: one function for each equivalence of the corpus.

The comparisons accept such differences without recording them. ``judge --tolerated`` runs these functions beside them:
each finds the places where two bodies differ by its equivalence. They use the comparisons' readings, functions and
words of the corpus.
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
