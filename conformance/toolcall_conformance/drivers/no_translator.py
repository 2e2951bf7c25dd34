"""In the place of a translator where recordings are judged by themselves."""

from __future__ import annotations

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.outcomes import OpenOutcome, UnsupportedOutcome


class NoTranslator:
    """Does no route; ``drivers.base.Driver`` says what the methods are for."""

    spec = ""
    name = "recordings alone"
    version = None
    carries: frozenset[str] = frozenset()

    def begin_item(self, case: str, /) -> None:
        pass

    def open(self, route: Route, /) -> OpenOutcome:
        del route
        return UnsupportedOutcome("no translator was given: --toolcall-translator")

    def end_item(self) -> None:
        pass

    def close(self) -> None:
        pass
