"""The server of the scripted upstream, on loopback, in a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from toolcall_conformance.basics.extras import import_problem
from toolcall_conformance.drivers.upstream.addresses import Addresses
from toolcall_conformance.drivers.upstream.conversation import ReceivedRequest, Reply, UpstreamConversation
from toolcall_conformance.drivers.upstream.loops import LoopThread

if TYPE_CHECKING:
    from aiohttp import web

T = TypeVar("T")

LOOPBACK = "127.0.0.1"
MAX_REQUEST_BYTES = 64 * 1024 * 1024
_TOKEN_PREFIX = "conversation-"
_STOP_SECONDS = 5.0


class MissingLibraryError(Exception):
    """The HTTP library is not installed; the message says how to install it."""


class PortInUseError(Exception):
    """The requested port is in use."""


class ScriptedUpstream:
    """A provider of every format at ``url``; each conversation has an address of its own below it.

    A gateway may know only ``url``: a request there belongs to the conversation that waits for one. The runner has only
    one that waits at a time.
    """

    def __init__(self, addresses: Addresses, *, port: int | None = None) -> None:
        self.addresses = addresses
        self._port = port or 0
        self.url = ""
        self._conversations: dict[str, UpstreamConversation] = {}
        self._last_conversation: UpstreamConversation | None = None
        self._thread: LoopThread | None = None
        self._runner: web.AppRunner | None = None

    def start(self) -> None:
        """Listen on loopback. Raises MissingLibraryError, and PortInUseError if the requested port is in use."""
        try:
            import aiohttp  # noqa: F401 - an extra, needed only by drivers that use HTTP
        except ImportError as error:
            raise MissingLibraryError(
                "gateways and libraries that send requests themselves are served by aiohttp, which "
                f"{import_problem('aiohttp', error)}: pip install 'toolcall-conformance[http]'"
            ) from None
        self._thread = LoopThread("toolcall-upstream")
        try:
            self.run(self._listen()).result()
        except OSError as error:
            self.stop()
            raise PortInUseError(
                f"the scripted upstream cannot listen on port {self._port} of loopback ({error.strerror}); stop the "
                "program that uses it, or leave out `upstream_port`; with -n every worker needs one of its own"
            ) from None

    def stop(self) -> None:
        """Close every connection and the port; may be called twice."""
        if self._thread is None:
            return
        with contextlib.suppress(TimeoutError):
            self.run(self._close()).result(_STOP_SECONDS)
        self._thread.stop(_STOP_SECONDS)
        self._thread = None

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run ``work`` in the server's loop."""
        assert self._thread is not None, "the upstream runs"
        return self._thread.run(work)

    def open_conversation(self, upstream: str) -> UpstreamConversation:
        """Open a conversation with the API of the format ``upstream``."""
        assert self._thread is not None, "the upstream runs"
        token = _TOKEN_PREFIX + secrets.token_hex(8)
        conversation = UpstreamConversation(token, f"{self.url}/{token}", upstream, self._thread.loop)
        self._conversations[token] = conversation
        return conversation

    def close_conversations(self) -> None:
        """Close all conversations; a request that still waits for its reply gets an error."""
        for conversation in self._conversations.values():
            if conversation.is_open:
                conversation.finish(Reply.json({"error": {"message": "this conversation is over"}}, 400))
        self._conversations.clear()

    async def _listen(self) -> None:
        from aiohttp import web

        app = web.Application(client_max_size=MAX_REQUEST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, logger=_logger(), shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, LOOPBACK, self._port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://{LOOPBACK}:{port}"

    async def _close(self) -> None:
        self.close_conversations()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        """Give a request to its conversation, and send the reply of that."""
        from aiohttp import web

        path, _, query = request.raw_path.partition("?")
        first, _, rest = path.removeprefix("/").partition("/")
        token_conversation = self._conversations.get(first) if first.startswith(_TOKEN_PREFIX) else None
        if first.startswith(_TOKEN_PREFIX):
            path = f"/{rest}"
        received = ReceivedRequest(
            method=request.method,
            path=path,
            query=query,
            headers={name.lower(): text for name, text in request.headers.items()},
            body=await request.read(),
            address=self.addresses.find_api(request.method, path),
        )
        conversation = token_conversation or (None if first.startswith(_TOKEN_PREFIX) else self._choose_conversation())
        if conversation is None:
            return web.json_response({"error": {"message": "no conversation is open at this address"}}, status=404)
        self._last_conversation = conversation
        reply = await conversation.receive(received)
        if reply is None:
            message = (
                f"{received.method} {received.path} is not served here: this conversation's upstream has "
                f"{self.addresses.describe(conversation.upstream)}"
            )
            return web.json_response({"error": {"message": message}}, status=404)
        return await _send_reply(request, reply)

    def _choose_conversation(self) -> UpstreamConversation | None:
        """Choose the conversation of a request without an address: the waiting one, else that of the last request.

        The last may have its reply already: many libraries retry when a provider fails.
        """
        living = [conversation for conversation in reversed(self._conversations.values()) if conversation.is_open]
        last = (
            self._last_conversation
            if self._last_conversation is not None and self._last_conversation.token in self._conversations
            else None
        )
        return next(
            (conversation for conversation in living if not conversation.requests), living[0] if living else last
        )


def _logger() -> logging.Logger:
    """A logger for the faults of this server, but not for those of its clients.

    A gateway that drops its connections, or sends what is not HTTP, would fill the log with tracebacks of aiohttp.
    """
    logger = logging.getLogger(__name__)
    if _is_server_fault not in logger.filters:
        logger.addFilter(_is_server_fault)
    return logger


def _is_server_fault(record: logging.LogRecord) -> bool:
    from aiohttp import http_exceptions, web

    clients = ConnectionError, web.RequestPayloadError, http_exceptions.HttpProcessingError, TimeoutError
    return not (record.exc_info and isinstance(record.exc_info[1], clients))


async def _send_reply(request: web.Request, reply: Reply) -> web.StreamResponse:
    """Send the pieces of a reply, each when its progress and its turn allow it."""
    from aiohttp import web

    progress = reply.progress
    if progress is None and reply.end == "whole" and len(reply.chunks) == 1:
        return web.Response(status=reply.status, headers=reply.headers, body=reply.chunks[0])
    response = web.StreamResponse(status=reply.status, headers=reply.headers)
    try:
        with contextlib.suppress(ConnectionError):  # the client may close the connection early
            await response.prepare(request)
            for sent, chunk in enumerate(reply.chunks, 1):
                if progress is not None:
                    if sent == len(reply.chunks) and reply.end == "whole":
                        await progress.hold_back_end()
                    progress.sent_count = sent
                if reply.turn is not None:
                    await reply.turn.wait_for_turn()
                await response.write(chunk)
                await asyncio.sleep(0)  # each piece is sent by itself
                if reply.turn is not None:
                    await reply.turn.end_turn()
    finally:
        if reply.turn is not None:
            reply.turn.leave()
    if reply.end == "hang":
        await asyncio.sleep(3600)
    if reply.end == "cut" and request.transport is not None:
        request.transport.close()
    return response
