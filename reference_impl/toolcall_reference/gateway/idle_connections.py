"""Connections that send no whole request: each has a time for its headers, and few of them are held at once."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

HEADER_SECONDS = 15.0
MOST_WAITING = 200
"""So many connections, at most, may be without a whole request before those that have waited a second give way."""
_YOUNG_SECONDS = 1.0


class Patience:
    """Makes the protocols of a server's connections; ``make`` makes those that serve them."""

    def __init__(self, make: Callable[[], asyncio.Protocol], files: int, seconds: float = HEADER_SECONDS) -> None:
        """``files`` is how many the process may have open: a quarter of them may wait."""
        self._make, self._seconds, self._most = make, seconds, min(MOST_WAITING, max(files // 4, 1))
        # By their transports, in the order in which they came: since when they wait.
        self._answered: set[asyncio.BaseTransport] = set()
        self._waiting: dict[asyncio.BaseTransport, tuple[float, asyncio.TimerHandle]] = {}

    def __call__(self) -> asyncio.Protocol:
        return _Watched(self._make(), self)

    @contextmanager
    def answering(self, transport: asyncio.BaseTransport | None) -> Iterator[None]:
        """A request has come as far as its headers, and is being answered."""
        if transport is None:
            yield
            return
        self.left(transport)
        self._answered.add(transport)
        try:
            yield
        finally:
            self._answered.discard(transport)

    def came(self, transport: asyncio.BaseTransport) -> None:
        """A connection is there, or sends something: unless it is being answered, it waits."""
        if transport in self._waiting or transport in self._answered:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        if len(self._waiting) >= self._most:
            eldest, (since, _) = next(iter(self._waiting.items()))
            if now - since > _YOUNG_SECONDS:
                self._end(eldest)
        self._waiting[transport] = (now, loop.call_later(self._seconds, self._end, transport))

    def make_room(self, _loop: object, context: dict[str, Any]) -> None:
        """Part with all that have waited a second, where asyncio tells that the process has no file left."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            now = asyncio.get_running_loop().time()
            for transport in [
                transport for transport, (since, _) in self._waiting.items() if now - since > _YOUNG_SECONDS
            ]:
                self._end(transport)

    def left(self, transport: asyncio.BaseTransport) -> None:
        """A connection waits no more."""
        _, timer = self._waiting.pop(transport, (0.0, None))
        if timer is not None:
            timer.cancel()

    def _end(self, transport: asyncio.BaseTransport) -> None:
        self.left(transport)
        transport.close()


class _Watched(asyncio.Protocol):
    """A connection's protocol; all that it is told goes on to the one that serves it."""

    def __init__(self, serving: asyncio.Protocol, patience: Patience) -> None:
        self._serving, self._patience = serving, patience
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._patience.came(transport)
        self._serving.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is not None:
            self._patience.came(self._transport)
        self._serving.data_received(data)

    def eof_received(self) -> bool | None:
        return self._serving.eof_received()

    def pause_writing(self) -> None:
        self._serving.pause_writing()

    def resume_writing(self) -> None:
        self._serving.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._patience.left(self._transport)
        self._serving.connection_lost(exc)
