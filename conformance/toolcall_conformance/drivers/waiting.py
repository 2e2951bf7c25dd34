"""For how long the end of a stream is kept back, to find out who waits for it."""

from __future__ import annotations

from toolcall_conformance.contract import Route

# How long the end of a stream is kept back, to see whether anything comes out before it: of a translator not known yet,
# and of one that has waited for the end on the same route already.
PATIENT_SECONDS = 2.0
IMPATIENT_SECONDS = 0.5


class Waiting:
    """On which routes a translator is known to wait for the end of a stream; of a driver, for all its sessions."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def seconds(self, route: Route, limit: float) -> float:
        """For how long the end of a stream is kept back, of a call that may take ``limit`` seconds."""
        return min(IMPATIENT_SECONDS if str(route) in self._known else PATIENT_SECONDS, limit / 4)

    def found(self, route: Route) -> None:
        """A translator has waited."""
        self._known.add(str(route))
