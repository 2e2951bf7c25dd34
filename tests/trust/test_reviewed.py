"""The list of faults that nobody sees is true: each example still survives, and is of its entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from every import every
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.again import Again
from toolcall_conformance.trust.sampling import Sampler
from toolcall_conformance.trust.table import Pattern, Table

TABLE = Table(load_corpus())
ENTRIES = [*TABLE.reviewed, *TABLE.open]


@pytest.fixture(scope="module")
def again(sampler: Sampler) -> Again:
    return Again(Sampler(sampler.workshop))


@every(
    "pattern, entry",
    ENTRIES,
    id=lambda _, entry: entry["example"],
    by=lambda _, entry: entry["example"].partition("/")[0],
)
def test_the_example_of_an_entry_survives(pattern: Pattern, entry: Mapping[str, Any], again: Again) -> None:
    made = again.mutation(entry["example"])
    assert made.outcome == "survived", f"the judge sees it by {made.rules}: take the entry out, or narrow it"
    direction, pointer = made.within
    assert pattern.is_for(direction, made.format, made.operator, made.element), made
    assert pattern.is_at(pointer), made
    assert pattern.is_of(made.place), made
