"""How far a streamed reply has gone up to now, as both of its ends see it."""

from __future__ import annotations

import asyncio
import time

TICK_SECONDS = 0.02
# Who had waited for the end sends something soon after it; who is slow, or on a slow machine, some time or other.
_SOON = 0.25


class Progress:
    """The server's loop sends and waits, the client's side tells when something came out; either may be any thread.

    That a piece came out only after the end had gone in cannot be seen from outside by looking at a clock: translators
    are slow at times. So the upstream keeps the last piece back, ``patience`` seconds at most, until something comes
    out. Who sent nothing all that time and something right after it had waited for it; of all others it is not known.
    """

    def __init__(self) -> None:
        self.patience = 0.0
        self.taken = 0
        self._heard = False
        self._released: float | None = None
        self._waited = False

    def mark_output(self) -> tuple[int, bool]:
        """Something came out: how many pieces had gone in by then at most, and whether the end certainly had."""
        if not self._heard:
            self._heard = True
            soon = time.monotonic() - (self._released or 0.0) <= self.patience * _SOON
            self._waited = self._released is not None and soon
        return self.taken, self._waited

    @property
    def waited(self) -> bool:
        """Whether nothing came out before the end had gone in."""
        return self._waited

    async def keep_back(self) -> None:
        """Wait until something came out, or for so long that it will not without the end."""
        # Turns of the loop, not the clock: a machine that stands still is no translator that waits.
        for _ in range(round(self.patience / TICK_SECONDS)):
            if self._heard:
                return
            await asyncio.sleep(TICK_SECONDS)
        if self.patience:
            self._released = time.monotonic()
