"""A function that replaces a free-text tool requires only what it declares, wherever it declares it."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.judge.translation.tools import tool_kinds

INPUT = {"input": {"type": "string"}}
REASON = {"properties": {"reason": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "undeclared"),
    [
        ({"properties": INPUT, "required": ["input"]}, ""),
        ({"properties": INPUT}, ""),
        ({"properties": INPUT, "required": "input"}, ""),
        ({"properties": INPUT, "required": ["input", "reason"]}, "'reason'"),
        ({"properties": INPUT, "required": ["input", "reason"], "allOf": [REASON]}, ""),
        ({"properties": INPUT, "required": ["input", "reason"], "$ref": "#/$defs/reason"}, ""),
        ({"properties": INPUT, "required": ["input", "reason"], "patternProperties": {"^r": {}}}, ""),
        ({"required": ["input"]}, ""),
        (None, ""),
    ],
)
def test_the_first_that_is_not_declared(schema: Any, undeclared: str) -> None:
    assert tool_kinds._undeclared_parameter(schema) == undeclared
