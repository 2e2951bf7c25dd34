"""docs/trust.md says what the figures say."""

from __future__ import annotations

import pytest

from figures.page import FIGURES, PAGE, README, page, summary
from toolcall_conformance.library import read_json

NAMES = ("faults", "equivalents", "quick", "notes")


def test_the_page_is_made_of_the_figures() -> None:
    """`python tests figures.page` rewrites it."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_readme_says_so_in_three_lines() -> None:
    assert summary() in README.read_text(encoding="utf-8")
    assert summary().count("\n") <= 4


def test_no_part_of_the_page_is_left_out() -> None:
    assert "{{" not in page()


@pytest.mark.parametrize("name", NAMES)
def test_each_figure_has_its_command_and_date(name: str) -> None:
    raw = read_json(FIGURES / f"{name}.json")
    figures = raw["runs"] if name == "equivalents" else raw.values() if name == "notes" else [raw]
    assert all(figure["command"] and len(figure["date"]) == len("2026-01-31") for figure in figures)
