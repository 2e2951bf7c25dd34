"""Tracks how much of a streamed reply was sent before the translator's output came."""

from __future__ import annotations

import asyncio
import time

TICK_SECONDS = 0.02
# A translator that buffers sends something soon after the end; one that is only slow may send it at any time.
_SOON_SHARE = 0.25


class ReplyProgress:
    """Finds out whether a translator buffers a stream. Its methods may be called from any thread.

    A clock alone cannot tell: translators are slow at times. So the upstream holds back the last piece for at most
    ``patience`` seconds, until the translator sends something. A translator that sends nothing in that time and
    something right after it has buffered the stream; of all others this is unknown.
    """

    def __init__(self) -> None:
        self.hold_seconds = 0.0
        self.sent_count = 0
        self._output_seen = False
        self._released: float | None = None
        self._buffered = False

    def mark_output(self) -> tuple[int, bool]:
        """Note output; return how many pieces at most had been sent by then, and whether the end certainly had."""
        if not self._output_seen:
            self._output_seen = True
            soon = time.monotonic() - (self._released or 0.0) <= self.hold_seconds * _SOON_SHARE
            self._buffered = self._released is not None and soon
        return self.sent_count, self._buffered

    @property
    def has_buffered(self) -> bool:
        """Whether the translator sent nothing before it had the end."""
        return self._buffered

    async def hold_back_end(self) -> None:
        """Hold back the end until there is output, or for ``patience`` seconds."""
        # Counts turns of the loop, not seconds: a machine that stalls must not look like a translator that buffers.
        for _ in range(round(self.hold_seconds / TICK_SECONDS)):
            if self._output_seen:
                return
            await asyncio.sleep(TICK_SECONDS)
        if self.hold_seconds:
            self._released = time.monotonic()
