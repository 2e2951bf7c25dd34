"""The shapes that cases are for: each is known by patterns, or has a sentence in ``tests/shapes/named.json``."""

from __future__ import annotations

from doors import case
from shapes import broad
from toolcall_conformance.library import load_corpus

CASES = load_corpus().cases
NAMED = case.named_shapes()


def test_shapes_that_no_pattern_knows_are_those_that_cases_name() -> None:
    """Those with a pattern are in ``broad.json``; a case that names one has it."""
    named = {guard["shape"] for each in CASES.values() for guard in each.scenario["guards"] if "shape" in guard}
    assert named - {*broad.PATTERNS} == {*NAMED}
    assert all(sentence.endswith(".") for sentence in NAMED.values())


def test_a_case_shows_the_shape_that_it_names() -> None:
    claims = {name: {guard.get("shape") for guard in each.scenario["guards"]} for name, each in CASES.items()}
    claims = {name: shapes & {*broad.PATTERNS} for name, shapes in claims.items()}
    assert {name: shapes - broad.of_case(CASES[name]) for name, shapes in claims.items() if shapes} == {
        name: set() for name, shapes in claims.items() if shapes
    }
