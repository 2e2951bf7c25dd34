"""Two replies that are sent at once, a piece of the one behind a piece of the other."""

from __future__ import annotations

import asyncio

# Between two turns: who reads both connections in one thread has then read the piece that was sent last.
_PAUSE_SECONDS = 0.002
# A reply that is not read at all, or not yet, does not keep the other one waiting.
_PATIENCE_SECONDS = 1.0


class ReplyTurns:
    """Two replies that take turns. All methods but the first run in the loop of the server.

    The first reply has sent ``ahead`` pieces before the second one begins, which so begins in its middle. A reply whose
    turn does not come in a second goes on without it.
    """

    def __init__(self, ahead: int) -> None:
        self._ahead = ahead
        self._sent = [0, 0]
        self._has_left = [False, False]
        self._changed = asyncio.Event()

    def turn_of(self, number: int) -> ReplyTurn:
        """The place of the first reply (0) or of the second (1)."""
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
        """Note that a reply has sent a piece."""
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
    """The place of one reply."""

    def __init__(self, turns: ReplyTurns, number: int) -> None:
        self._turns, self._number = turns, number

    async def wait_for_turn(self) -> None:
        """Wait until the next piece may be sent."""
        await self._turns.wait_for_turn(self._number)

    async def end_turn(self) -> None:
        """Let the other reply send a piece."""
        await self._turns.end_turn(self._number)

    def leave(self) -> None:
        """Leave all further turns to the other reply."""
        self._turns.leave(self._number)
