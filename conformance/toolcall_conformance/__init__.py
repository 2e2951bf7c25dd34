"""A conformance suite for translators of LLM tool calls.

Names are loaded on first use: an idle plugin must cost its users nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolcall_conformance.contract import Refused, Route, Unsupported
    from toolcall_conformance.findings import Finding, Level, Verdict
    from toolcall_conformance.judge import judge
    from toolcall_conformance.library import load_corpus

__all__ = ["Finding", "Level", "Refused", "Route", "Unsupported", "Verdict", "judge", "load_corpus"]

_HOMES = {
    "Finding": "findings",
    "Level": "findings",
    "Verdict": "findings",
    "Refused": "contract",
    "Route": "contract",
    "Unsupported": "contract",
    "judge": "judge",
    "load_corpus": "library",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
