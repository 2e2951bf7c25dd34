"""The surroundings of a place in a body, in a line."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.reports.causes import surroundings as module
from toolcall_conformance.reports.causes.surroundings import surrounding_text


@pytest.mark.parametrize(
    ("body", "pointer", "line"),
    [
        ({"a": 1, "b": [1, 2], "c": {"d": 1}}, "/b", '{"a": 1, "b": [… 2], "c": {…}}'),
        ({"a": {"b": {"c": 1}}}, "/a/b", '{"b": {"c": 1}}'),
        ({"a": 1}, "/a/b/c", '{"a": 1}'),
        ([1, 2], "/7", "[1, 2]"),
        ({}, "/a", "{}"),
        ("text", "", ""),
        (list(range(100)), "/50", "[…, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, …]"),
        ({"a": "x" * 99, "b": 1}, "/b", '{"a": "xxxxxxxxxxxxxxxxxxxxxxxxx…", "b": 1}'),
    ],
)
def test_the_line(body: Any, pointer: str, line: str) -> None:
    assert surrounding_text(body, pointer) == line


@pytest.mark.parametrize("body", [{f"member {number}": number for number in range(5_000)}, list(range(5_000))])
def test_of_a_large_body_only_what_is_shown_is_written(body: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body of so many unknown members has as many findings."""
    written = []
    whole = module._short_json

    def record_value(value: Any) -> str:
        written.append(value)
        return whole(value)

    monkeypatch.setattr(module, "_short_json", record_value)
    assert surrounding_text(body, "/member 2500" if isinstance(body, dict) else "/2500")
    assert len(written) < 60
