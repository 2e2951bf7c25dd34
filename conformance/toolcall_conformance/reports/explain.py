"""Explain where two large values differ."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.differences import all_differences
from toolcall_conformance.showing import many

_SHOWN = 5


def differences(want: Any, got: Any) -> list[str]:
    """The first few differences, one a line, each with its JSON Pointer."""
    found = sorted(map(str, all_differences(want, got)))
    return found if len(found) <= _SHOWN else [*found[:_SHOWN], f"and {many(len(found) - _SHOWN, 'more difference')}"]
