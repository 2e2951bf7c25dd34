"""The list of faults that nobody sees is true: each example still survives, and is of its entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from every import every
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.fault_replay import FaultReplay
from toolcall_conformance.trust.sampling import Sampler
from toolcall_conformance.trust.table import MutationPattern, MutationTable

TABLE = MutationTable(load_corpus())
ENTRIES = [*TABLE.reviewed, *TABLE.open]


@pytest.fixture(scope="module")
def fault_replay(sampler: Sampler) -> FaultReplay:
    return FaultReplay(Sampler(sampler.workshop))


@every(
    "pattern, entry",
    ENTRIES,
    id=lambda _, entry: entry["example"],
    by=lambda _, entry: entry["example"].partition("/")[0],
)
def test_the_example_of_an_entry_survives(
    pattern: MutationPattern, entry: Mapping[str, Any], fault_replay: FaultReplay
) -> None:
    mutation = fault_replay.mutation(entry["example"])
    assert mutation.outcome == "survived", f"the judge sees it by {mutation.rules}: take the entry out, or narrow it"
    direction, pointer = mutation.within
    assert pattern.is_for(direction, mutation.format, mutation.operator, mutation.element), mutation
    assert pattern.is_at(pointer), mutation
    assert pattern.is_of(mutation.place), mutation
