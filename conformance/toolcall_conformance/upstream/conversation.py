"""One conversation with the scripted upstream, as its two sides see it: the server's loop and the runner's thread."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcall_conformance.upstream.addresses import Address
from toolcall_conformance.upstream.progress import Progress


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came: header names in lower case, the path from the upstream's root on, the body as sent."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    address: Address | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the upstream answers, piece by piece as it leaves.

    ``end`` is how it ends: ``whole``; ``cut``, the connection is closed before the end; ``hang``, nothing more comes.
    ``progress`` is that of a stream, which always leaves in HTTP's own chunks.
    """

    status: int
    chunks: tuple[bytes, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    end: Literal["whole", "cut", "hang"] = "whole"
    progress: Progress | None = None

    @classmethod
    def json(cls, body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """A body as JSON, in UTF-8 as the providers send it."""
        try:
            text = json.dumps(body, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # half a surrogate pair, which only an escape can say
            text = json.dumps(body).encode()
        return cls(status, (text,), {"content-type": "application/json", **(headers or {})})


class Conversation:
    """The exchanges of one session, one after the other. All methods but ``take`` belong to the runner's thread."""

    def __init__(self, token: str, url: str, upstream: str, loop: asyncio.AbstractEventLoop) -> None:
        self.token = token
        self.url = url
        self.upstream = upstream
        self._loop = loop
        self._changed = threading.Condition()
        self._asked: list[Asked] = []
        self._strays: list[Asked] = []
        self._reply: asyncio.Future[Reply] | None = None
        self.open = False
        self.progress = Progress()

    def begin(self) -> None:
        """An exchange begins: what is asked from now on belongs to it, and so does a new ``progress``."""
        self.finish(Reply.json({"error": {"message": "this exchange was given up"}}, 400))
        with self._changed:
            self._asked, self._strays = [], []
            self._reply = self._loop.create_future()
            self.open = True
            self.progress = Progress()

    def wait(self, pending: Future[Any], seconds: float) -> Asked | None:
        """The first request to the right API; None if ``pending`` ended or the time was up before one came."""
        pending.add_done_callback(self._wake)
        until = time.monotonic() + seconds
        with self._changed:
            while not self._asked and not pending.done() and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            return self._asked[0] if self._asked else None

    @property
    def asked(self) -> tuple[Asked, ...]:
        """The requests of this exchange to the right API; more than one if the translator asked again."""
        return tuple(self._asked)

    @property
    def strays(self) -> tuple[Asked, ...]:
        """What came at other addresses during this exchange."""
        return tuple(self._strays)

    def finish(self, reply: Reply) -> None:
        """Every request of this exchange, those still to come as well, is answered with ``reply``."""
        future, self.open = self._reply, False
        if future is not None:
            self._loop.call_soon_threadsafe(lambda: None if future.done() else future.set_result(reply))

    async def take(self, asked: Asked) -> Reply | None:
        """The server's side: note a request and wait for its reply; None for one at another address."""
        right = asked.address is not None and asked.address.format == self.upstream
        with self._changed:
            (self._asked if right else self._strays).append(asked)
            reply = self._reply
            self._changed.notify_all()
        if not right or reply is None:
            return None
        return await asyncio.shield(reply)

    def _wake(self, _pending: Future[Any]) -> None:
        with self._changed:
            self._changed.notify_all()
