"""Finds out, once for each translator, whether it passes on one request at a time."""

from __future__ import annotations

from typing import Any

# How long a request is waited for that is sent while another exchange is open: this, or so many times as long as the
# other one took to reach the provider.
MIN_SECONDS = 2.0
PATIENCE_FACTOR = 20


class KnownQueueing:
    """Whether a translator is known to keep requests waiting; one for all sessions of a driver."""

    def __init__(self) -> None:
        self.reason = ""

    def patience_seconds(self, usual: float, limit: float) -> float:
        """Return how long to wait for a request beside one that took ``usual`` seconds, in ``limit`` seconds."""
        return min(max(MIN_SECONDS, PATIENCE_FACTOR * usual), limit)

    def mark_queued(self, usual: float, waited: float) -> str:
        """Note that a request was kept waiting; returns the reason why no later one need be sent."""
        self.reason = (
            "the translator serves one request at a time: while a stream is open, a second request does not reach the "
            f"provider in {waited:.1f} s (the first took {usual:.1f} s). Two streams cannot mix so, but the second "
            "client waits until the first has all"
        )
        return self.reason


def send_while_open(session: Any, other: Any) -> None:
    """Tell a session that its next request is sent beside the open exchange of ``other``, where that may block it."""
    inner, beside = (getattr(each, "session", each) for each in (session, other))
    if hasattr(inner, "send_while_open"):
        inner.send_while_open(beside)
