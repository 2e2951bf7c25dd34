"""A conformance suite for translators of LLM tool calls. What is listed in ``__all__`` is public, and nothing else.

Names are loaded on first use: an idle plugin must cost its users nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolcall_conformance import events
    from toolcall_conformance.basics.contract import Refused, Route, Unsupported
    from toolcall_conformance.basics.findings import Finding, Judgement, Level, Loss, Tolerated
    from toolcall_conformance.basics.reading import Reading
    from toolcall_conformance.basics.streaming import parse
    from toolcall_conformance.formats import read
    from toolcall_conformance.judge import Ends, Judge, Requests
    from toolcall_conformance.library import Case, Corpus, Rule, load_corpus
    from toolcall_conformance.suite import ConformanceSuite

__all__ = [
    "Case",
    "ConformanceSuite",
    "Corpus",
    "Ends",
    "Finding",
    "Judge",
    "Judgement",
    "Level",
    "Loss",
    "Reading",
    "Refused",
    "Requests",
    "Route",
    "Rule",
    "Tolerated",
    "Unsupported",
    "events",
    "load_corpus",
    "parse",
    "read",
]

_HOMES = {
    "Case": "library",
    "ConformanceSuite": "suite",
    "Corpus": "library",
    "Ends": "judge",
    "Finding": "basics.findings",
    "Judge": "judge",
    "Judgement": "basics.findings",
    "Level": "basics.findings",
    "Loss": "basics.findings",
    "Reading": "basics.reading",
    "Refused": "basics.contract",
    "Requests": "judge",
    "Route": "basics.contract",
    "Rule": "library",
    "Tolerated": "basics.findings",
    "Unsupported": "basics.contract",
    "load_corpus": "library",
    "parse": "basics.streaming",
    "read": "formats",
}


def __getattr__(name: str) -> Any:
    if name in __all__:
        try:
            if name == "events":
                return importlib.import_module(f"{__name__}.events")
            return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        except AttributeError as error:
            # `from … import` would take it for a name that is not there, and drop what it says.
            raise ImportError(f"{__name__}.{name} cannot be loaded: {error}", name=__name__) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
