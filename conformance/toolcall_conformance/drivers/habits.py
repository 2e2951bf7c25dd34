"""What a driver learns of its translator: on which routes it buffers, and whether it queues requests."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.contract import Route

# How long to wait for a request that is sent while another exchange is open: at least this, or the time that the other
# took to reach the provider, times the factor.
MIN_SECONDS = 2.0
PATIENCE_FACTOR = 20


class KnownQueueing:
    """Whether a translator is known to queue requests; one object for all sessions of a driver."""

    def __init__(self) -> None:
        self.reason = ""

    def patience_seconds(self, first_seconds: float, limit: float) -> float:
        """How long to wait for a second request, if the first took ``first_seconds``; at most ``limit``."""
        return min(max(MIN_SECONDS, PATIENCE_FACTOR * first_seconds), limit)

    def mark_queued(self, first_seconds: float, waited: float) -> str:
        """Note that a request was queued. Returns the reason to send no further ones."""
        self.reason = (
            "the translator serves one request at a time: while a stream is open, a second request does not reach the "
            f"provider in {waited:.1f} s (the first took {first_seconds:.1f} s). Two streams cannot mix so, but the "
            "second client waits until the first has all"
        )
        return self.reason


def send_while_open(session: Any, other: Any) -> None:
    """Announce that the next request of a session is sent during an exchange of ``other``, which may queue it."""
    inner, other_inner = (getattr(wrapper, "session", wrapper) for wrapper in (session, other))
    if hasattr(inner, "send_while_open"):
        inner.send_while_open(other_inner)


# How long the end is held back: for an unknown translator, and for one that has buffered on the same route before.
PATIENT_SECONDS = 2.0
IMPATIENT_SECONDS = 0.5


class KnownBuffering:
    """The routes on which a translator is known to buffer; one object for all sessions of a driver."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def hold_seconds(self, route: Route, limit: float) -> float:
        """How long to hold back the end of a stream, in a call that may take ``limit`` seconds."""
        return min(IMPATIENT_SECONDS if str(route) in self._known else PATIENT_SECONDS, limit / 4)

    def mark_buffered(self, route: Route) -> None:
        """Note that the translator buffered on this route."""
        self._known.add(str(route))
