"""For every legal body the reference's translation passes the judge, on every route: law and reference agree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.legal_judged import KINDS, draw_body, faults
from reference.reference_bodies import FORMATS


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
@settings(derandomize=True, max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_translation_of_a_legal_body_passes(kind: str, name: str, seed: int) -> None:
    body = draw_body(seed, kind, name)
    if body is not None:
        findings = [(other, finding.rule, finding.pointer, finding.got) for other, finding in faults(kind, name, body)]
        assert findings == [], body


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_most_bodies_are_legal(kind: str, name: str) -> None:
    """A generator whose bodies were mostly left out would test nothing."""
    assert sum(draw_body(seed, kind, name) is not None for seed in range(20)) > 10
