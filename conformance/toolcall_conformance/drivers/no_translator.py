"""Takes the place of the translator in a run that judges only recordings or golden files."""

from __future__ import annotations

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.base import OpenOutcome
from toolcall_conformance.drivers.outcomes import UnsupportedOutcome


class NoTranslator:
    """Supports no route; ``drivers.base.Driver`` describes the methods."""

    spec = ""
    version = None
    carries: frozenset[str] = frozenset()

    def __init__(self, name: str = "only recordings") -> None:
        self.name = name

    def begin_item(self, case: str, /) -> None:
        pass

    def open(self, route: Route, /) -> OpenOutcome:
        del route
        return UnsupportedOutcome("no translator was given: --toolcall-translator")

    def end_item(self) -> None:
        pass

    def close(self) -> None:
        pass
