"""Decides when the upstream sends the next piece of a reply: in turns with another reply, or after the first output."""

from __future__ import annotations

import asyncio
import time

# The pause between two turns: a client that reads both connections in one thread has then read the last piece.
_PAUSE_SECONDS = 0.002
# A reply that is not read does not block the other one for longer.
_PATIENCE_SECONDS = 1.0


class ReplyTurns:
    """Two replies that take turns. All methods but ``turn_of`` run in the loop of the server.

    The second reply begins when the first has sent ``ahead`` pieces. A reply whose turn does not come in a second
    continues without it.
    """

    def __init__(self, ahead: int) -> None:
        self._ahead = ahead
        self._sent = [0, 0]
        self._has_left = [False, False]
        self._changed = asyncio.Event()

    def turn_of(self, number: int) -> ReplyTurn:
        """The turn of the first reply (0) or of the second (1)."""
        return ReplyTurn(self, number)

    async def wait_for_turn(self, number: int) -> None:
        """Wait until a reply may send its next piece."""
        while not self._may_send(number):
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), _PATIENCE_SECONDS)
            except TimeoutError:
                return

    async def end_turn(self, number: int) -> None:
        """Note that a reply has sent a piece, and give the turn to the other."""
        await asyncio.sleep(_PAUSE_SECONDS)
        self._sent[number] += 1
        self._changed.set()

    def leave(self, number: int) -> None:
        """Note that a reply sends nothing more."""
        self._has_left[number] = True
        self._changed.set()

    def _may_send(self, number: int) -> bool:
        first, second = self._sent[0] - self._ahead, self._sent[1]
        return self._has_left[1 - number] or (first <= second if number == 0 else first > second)


class ReplyTurn:
    """The turn of one reply."""

    def __init__(self, turns: ReplyTurns, number: int) -> None:
        self._turns, self._number = turns, number

    async def wait_for_turn(self) -> None:
        """Wait until the next piece may be sent."""
        await self._turns.wait_for_turn(self._number)

    async def end_turn(self) -> None:
        """Give the turn to the other reply."""
        await self._turns.end_turn(self._number)

    def leave(self) -> None:
        """Leave all further turns to the other reply."""
        self._turns.leave(self._number)


TICK_SECONDS = 0.02
# A translator that buffers sends something soon after the end; one that is only slow may send it at any time.
_SOON_SHARE = 0.25


class ReplyProgress:
    """Finds out whether a translator buffers a stream. Its methods may be called from any thread.

    A clock alone cannot decide: translators are slow at times. So the upstream holds back the last piece for at most
    ``hold_seconds``, until the translator sends something. A translator that sends nothing in that time and
    something right after it has buffered the stream; of all others this is unknown.
    """

    def __init__(self) -> None:
        self.hold_seconds = 0.0
        self.sent_count = 0
        self._output_seen = False
        self._released: float | None = None
        self._buffered = False

    def mark_output(self) -> tuple[int, bool]:
        """Note output; return how many pieces at most were sent before it, and whether the end certainly was."""
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
        """Hold back the end until there is output, or for ``hold_seconds``."""
        # Counts turns of the loop, not seconds: a machine that stalls must not look like a translator that buffers.
        for _ in range(round(self.hold_seconds / TICK_SECONDS)):
            if self._output_seen:
                return
            await asyncio.sleep(TICK_SECONDS)
        if self.hold_seconds:
            self._released = time.monotonic()
