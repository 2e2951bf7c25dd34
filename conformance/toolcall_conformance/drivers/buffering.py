"""Decides how long to hold back the end of a stream, to find out whether a translator buffers."""

from __future__ import annotations

from toolcall_conformance.basics.contract import Route

# How long the end is held back: for an unknown translator, and for one that has buffered on the same route before.
PATIENT_SECONDS = 2.0
IMPATIENT_SECONDS = 0.5


class KnownBuffering:
    """The routes on which a translator is known to buffer; one for all sessions of a driver."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def hold_seconds(self, route: Route, limit: float) -> float:
        """Return how long to hold back the end of a stream, in a call that may take ``limit`` seconds."""
        return min(IMPATIENT_SECONDS if str(route) in self._known else PATIENT_SECONDS, limit / 4)

    def mark_buffered(self, route: Route) -> None:
        """Note that the translator has buffered on this route."""
        self._known.add(str(route))
