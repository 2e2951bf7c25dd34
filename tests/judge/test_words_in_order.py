"""Words in their order with room around them: what a regular expression says, in time that a long text allows."""

from __future__ import annotations

import cProfile
import pstats
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_conformance.judge.mcp.ordered_text import Room, TextForms, says_in_order

LETTERS = st.text("ab ", max_size=4).map(lambda text: " ".join(text.split()))
STEPS = st.lists(
    st.builds(Room, st.integers(0, 3))
    | st.builds(TextForms, st.lists(LETTERS, min_size=1, max_size=2).map(tuple), st.integers(0, 2), st.booleans()),
    max_size=4,
)


def pattern(step: Room | TextForms) -> str:
    if isinstance(step, Room):
        return f".{{0,{step.max_characters}}}"
    around = f".{{0,{step.room}}}"
    expression = f"(?:{around}(?:{'|'.join(map(re.escape, step.forms))}){around})"
    return f"{expression}?" if step.optional else expression


@settings(derandomize=True, max_examples=400, deadline=None)
@given(text=LETTERS | st.text("ab", max_size=9), steps=STEPS)
def test_it_says_what_the_pattern_says(text: str, steps: list[Room | TextForms]) -> None:
    is_match = re.fullmatch(r"\s*" + r"\s*".join(map(pattern, steps)), text) is not None
    assert says_in_order(text, steps) == is_match


@pytest.mark.parametrize(
    ("text", "is_in_order"),
    [
        ("see file:///a then file:///b", True),
        ("see file:///b then file:///a", False),
        ("file:///a file:///b", True),
        ("file:///a", False),
        (f"{'x' * 20} file:///a file:///b", False),
    ],
)
def test_order_and_room_count(text: str, is_in_order: bool) -> None:
    assert says_in_order(text, [TextForms(("file:///a",), 10), TextForms(("file:///b",), 10)]) == is_in_order


def test_a_near_match_is_refused_at_once() -> None:
    names = [f"file:///{number}" for number in range(40)]
    text = " ".join(f"{'aaaa ' * 20}{name}" for name in names[:-1])
    profile = cProfile.Profile()
    assert not profile.runcall(says_in_order, text, [TextForms((name,), 120) for name in names])
    assert pstats.Stats(profile).total_calls < 5_000  # type: ignore[attr-defined]
