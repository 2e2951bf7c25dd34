"""Limits for connections without a whole request: a timeout for headers, and a maximum number."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

HEADER_SECONDS = 15.0
MAX_WAITING = 200
"""The maximum of connections without a whole request; over it, those that have waited a second are closed."""
_MIN_WAIT_SECONDS = 1.0


class IdleConnections:
    """Makes the protocols of a server's connections, and closes idle ones; ``make`` makes the serving protocols."""

    def __init__(self, make: Callable[[], asyncio.Protocol], files: int, seconds: float = HEADER_SECONDS) -> None:
        """``files`` is the process's limit of open files: a quarter of them may wait."""
        self._make, self._seconds, self._max_waiting = make, seconds, min(MAX_WAITING, max(files // 4, 1))
        # By transport, oldest first: the start of waiting, and the timer.
        self._answered: set[asyncio.BaseTransport] = set()
        self._waiting: dict[asyncio.BaseTransport, tuple[float, asyncio.TimerHandle]] = {}

    def __call__(self) -> asyncio.Protocol:
        return _WatchedProtocol(self._make(), self)

    @contextmanager
    def answering(self, transport: asyncio.BaseTransport | None) -> Iterator[None]:
        """Within this a request is being answered, and its connection does not count as idle."""
        if transport is None:
            yield
            return
        self.stop_waiting(transport)
        self._answered.add(transport)
        try:
            yield
        finally:
            self._answered.discard(transport)

    def note_activity(self, transport: asyncio.BaseTransport) -> None:
        """Count a new or sending connection as waiting, unless it is being answered."""
        if transport in self._waiting or transport in self._answered:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        if len(self._waiting) >= self._max_waiting:
            eldest, (since, _) = next(iter(self._waiting.items()))
            if now - since > _MIN_WAIT_SECONDS:
                self._close(eldest)
        self._waiting[transport] = (now, loop.call_later(self._seconds, self._close, transport))

    def make_room(self, _loop: object, context: dict[str, Any]) -> None:
        """Close the connections that have waited a second, if asyncio reports that no files are left."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            now = asyncio.get_running_loop().time()
            for transport in [
                transport for transport, (since, _) in self._waiting.items() if now - since > _MIN_WAIT_SECONDS
            ]:
                self._close(transport)

    def stop_waiting(self, transport: asyncio.BaseTransport) -> None:
        """Stop counting a connection as waiting."""
        _, timer = self._waiting.pop(transport, (0.0, None))
        if timer is not None:
            timer.cancel()

    def _close(self, transport: asyncio.BaseTransport) -> None:
        self.stop_waiting(transport)
        transport.close()


class _WatchedProtocol(asyncio.Protocol):
    """A connection's protocol that reports activity and delegates to the serving one."""

    def __init__(self, serving: asyncio.Protocol, connections: IdleConnections) -> None:
        self._serving, self._connections = serving, connections
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._connections.note_activity(transport)
        self._serving.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is not None:
            self._connections.note_activity(self._transport)
        self._serving.data_received(data)

    def eof_received(self) -> bool | None:
        return self._serving.eof_received()

    def pause_writing(self) -> None:
        self._serving.pause_writing()

    def resume_writing(self) -> None:
        self._serving.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._connections.stop_waiting(self._transport)
        self._serving.connection_lost(exc)
