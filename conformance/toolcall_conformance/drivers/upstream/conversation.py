"""One conversation with the scripted upstream, shared by the server's loop and the runner's thread."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcall_conformance.drivers.upstream.addresses import Address
from toolcall_conformance.drivers.upstream.reply_pacing import ReplyProgress, ReplyTurn


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as it arrived: header names in lower case, the path below the upstream's root, the body as sent."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    address: Address | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the upstream answers, in the pieces in which it sends it.

    ``end``: ``whole``; ``cut``, the upstream closes the connection early; ``hang``, it sends nothing more.
    ``progress`` is that of a stream, which is always sent in HTTP's chunks. ``turn``: another reply is sent at the same
    time, and the pieces of both take turns.
    """

    status: int
    chunks: tuple[bytes, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    end: Literal["whole", "cut", "hang"] = "whole"
    progress: ReplyProgress | None = None
    turn: ReplyTurn | None = None

    @classmethod
    def json(cls, body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """Make a reply of a JSON body, in UTF-8 as the providers send it."""
        try:
            text = json.dumps(body, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # a lone surrogate, which must be escaped
            text = json.dumps(body).encode()
        return cls(status, (text,), {"content-type": "application/json", **(headers or {})})


class UpstreamConversation:
    """The exchanges of one session, one after the other. The runner's thread calls all methods but ``receive``."""

    def __init__(self, token: str, url: str, upstream: str, loop: asyncio.AbstractEventLoop) -> None:
        self.token = token
        self.url = url
        self.upstream = upstream
        self._loop = loop
        self._changed = threading.Condition()
        self._requests: list[ReceivedRequest] = []
        self._strays: list[ReceivedRequest] = []
        self._reply: asyncio.Future[Reply] | None = None
        self.is_open = False
        self.progress = ReplyProgress()

    def begin_exchange(self) -> None:
        """Begin an exchange: requests from now on belong to it, and it has a new ``progress``."""
        self.finish(Reply.json({"error": {"message": "this exchange was given up"}}, 400))
        with self._changed:
            self._requests, self._strays = [], []
            self._reply = self._loop.create_future()
            self.is_open = True
            self.progress = ReplyProgress()

    def wait_for_request(self, pending: Future[Any], timeout: float) -> ReceivedRequest | None:
        """Return the first request to the right API; None if ``pending`` ended or the time was up before."""
        pending.add_done_callback(self._wake)
        until = time.monotonic() + timeout
        with self._changed:
            while not self._requests and not pending.done() and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            return self._requests[0] if self._requests else None

    @property
    def requests(self) -> tuple[ReceivedRequest, ...]:
        """The requests of this exchange to the right API; more than one if the translator retried."""
        return tuple(self._requests)

    @property
    def stray_requests(self) -> tuple[ReceivedRequest, ...]:
        """The requests of this exchange to other addresses."""
        return tuple(self._strays)

    def finish(self, reply: Reply) -> None:
        """Answer every request of this exchange, later ones as well, with ``reply``."""
        future, self.is_open = self._reply, False
        if future is not None:
            self._loop.call_soon_threadsafe(lambda: None if future.done() else future.set_result(reply))

    async def receive(self, request: ReceivedRequest) -> Reply | None:
        """Record a request and wait for its reply; None for one at another address."""
        right = request.address is not None and request.address.format == self.upstream
        with self._changed:
            (self._requests if right else self._strays).append(request)
            reply = self._reply
            self._changed.notify_all()
        if not right or reply is None:
            return None
        return await asyncio.shield(reply)

    def _wake(self, _pending: Future[Any]) -> None:
        with self._changed:
            self._changed.notify_all()
