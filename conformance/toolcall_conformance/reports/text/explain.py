"""Explain where two large values differ."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.differences import find_differences
from toolcall_conformance.basics.visible_text import pluralize

_SHOWN = 5


def differences(want: Any, got: Any) -> list[str]:
    """The first few differences, one a line, each with its JSON Pointer."""
    lines = sorted(map(str, find_differences(want, got)))
    return (
        lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {pluralize(len(lines) - _SHOWN, 'more difference')}"]
    )
