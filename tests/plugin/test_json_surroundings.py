"""What a block shows of the JSON around a place."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.reports.causes.surroundings import surrounding_text

LONG = {f"key {number}": "x" * 20 for number in range(12)}


@pytest.mark.parametrize(
    ("body", "pointer", "excerpt"),
    [
        ({"a": 1, "b": {"c": [1, 2]}}, "/a", '{"a": 1, "b": {…}}'),
        ({"a": 1, "b": {"c": [1, 2], "d": {}}}, "/b", '{"a": 1, "b": {"c": [… 2], "d": {}}}'),
        ({"a": [{"b": 1}, {"b": 2}]}, "/a/1/b", '{"b": 2}'),
        ({"a": [{"b": 1}, {"b": 2}, 3]}, "/a/1", '[{…}, {"b": 2}, 3]'),
        # Of a place that is not there: what is there of the way to it.
        ({"a": {"b": 1}}, "/a/c", '{"b": 1}'),
        ({"a": {"b": 1}}, "/a/c/d/e", '{"b": 1}'),
        ({"a": []}, "/a/0", "[]"),
        ({"a": "x" * 50}, "/a", f'{{"a": "{"x" * 25}…"}}'),
        ("text", "/a", ""),
        (None, "/a", ""),
    ],
)
def test_the_surroundings_of_a_place(body: Any, pointer: str, excerpt: str) -> None:
    assert surrounding_text(body, pointer) == excerpt


@pytest.mark.parametrize("number", range(12))
def test_the_place_is_shown_however_large_its_surroundings(number: int) -> None:
    for excerpt in (
        surrounding_text(LONG, f"/key {number}"),
        surrounding_text([f"key {n} {'x' * 15}" for n in range(12)], f"/{number}"),
    ):
        assert f'"key {number}' in excerpt
        assert len(excerpt) <= 72
        assert "…, " in excerpt or number == 0
        assert ", …" in excerpt or number >= 10
