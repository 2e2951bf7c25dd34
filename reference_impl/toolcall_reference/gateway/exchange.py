"""One exchange: a client's request to a provider, and the provider's answer to the client, whole or as it streams.

Nothing is collected on the way: a piece is read from the provider when the one before is on its way to the client.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web
from yarl import URL

from toolcall_reference.basics.errors import Refused, Unsupported
from toolcall_reference.basics.jsontext import dump
from toolcall_reference.conversation.failures import Failure, Headers
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats import Format
from toolcall_reference.gateway import bounds, errors, headers
from toolcall_reference.gateway.addresses import AddressedRequest, upstream_address
from toolcall_reference.gateway.config import Upstream
from toolcall_reference.gateway.framing import ArrayFraming, EventFraming, Framing
from toolcall_reference.gateway.log import Log
from toolcall_reference.streaming.streams import StreamTranslator
from toolcall_reference.translator import Session

_CONNECT_SECONDS = 10.0
# What a provider still sends behind the end of a reply, so that its connection can be used again.
_REST_SECONDS = 1.0
# The limit of silence, which says more, rings first.
_SLACK_SECONDS = 0.5
_JSON = "application/json"
_EVENTS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", "x-accel-buffering": "no"}
_ARRAY = {"content-type": "application/json; charset=UTF-8"}
_CONTROL = re.compile("[\0-\x08\x0a-\x1f\x7f]")
_BROKEN = (aiohttp.ClientError, TimeoutError, OSError)


@dataclass(frozen=True, slots=True)
class Way:
    """The route of one exchange, as a translator wants it."""

    client: str
    upstream: str
    client_model: str
    upstream_model: str
    stream: bool


@dataclass(slots=True)
class Exchange:
    """``given`` are the client's headers, their names in lower case, and ``key`` is its key. ``lost`` names what the
    translations could not carry. ``most`` is how many bytes a reply, or an event of a stream, may have.
    ``streamed``: the client has all of its stream.
    """

    request: web.Request
    given: Headers
    key: str | None
    asked: AddressedRequest
    upstream: Upstream
    way: Way
    session: Session
    most: int
    log: Log
    lost: set[str] = field(default_factory=set)
    streamed: bool = False

    @property
    def client(self) -> Format:
        return self.asked.client

    async def answer(self, http: aiohttp.ClientSession, body: Body) -> web.StreamResponse:
        """Ask the provider and answer the client. Raises FailedError before anything is answered."""
        sent = self._translated("the request", 400, lambda: self.session.request(body))
        async with self._provider(http, sent) as reply:
            upstream_headers = self._headers(reply)
            if self.way.stream and reply.status == 200:
                return await self._streamed(reply, upstream_headers)
            try:
                content = await bounds.whole(reply, self.most)
            except bounds.TooLargeError as error:
                raise errors.unreadable(self.upstream, f"sent {error}") from None
            except _BROKEN as error:
                raise errors.unreachable(self.upstream, error) from None
        if reply.status < 300:
            return self._whole(content, upstream_headers)
        if reply.status < 400:
            place = upstream_headers.get("location", "elsewhere")
            raise errors.unreadable(self.upstream, f"answered {reply.status} and sends to {place}; correct its url")
        return self._failed(reply.status, content, upstream_headers)

    @property
    def _own_key(self) -> str | None:
        """The gateway's key, which no client is to see."""
        return None if self.upstream.forward_client_key else self.upstream.key

    def _headers(self, reply: aiohttp.ClientResponse) -> Headers:
        """A reply's headers, their names in lower case. Raises FailedError for what cannot be passed on."""
        reply_headers = {name.lower(): text for name, text in reply.headers.items()}
        for name, text in reply_headers.items():
            if _CONTROL.search(text):
                what = f"answered with a control character in its header {name}, which HTTP forbids"
                raise errors.unreadable(self.upstream, what)
            if self._own_key:
                reply_headers[name] = text.replace(self._own_key, errors.HIDDEN)
        return reply_headers

    @asynccontextmanager
    async def _provider(self, http: aiohttp.ClientSession, sent: Body) -> AsyncIterator[aiohttp.ClientResponse]:
        """The provider's reply to the translated request, as far as its headers. Raises FailedError."""
        upstream = self.upstream
        key = self.key if upstream.forward_client_key else upstream.key
        url = upstream_address(upstream.format, upstream.url, self.way.upstream_model, stream=self.way.stream)
        names = headers.request_headers(self.client, upstream.format, self.given, key, own=upstream.forward_client_key)
        connect = min(_CONNECT_SECONDS, upstream.timeout)
        # Bytes that come end the silence, but a provider may drip a header, or "100 Continue", without end.
        headed = asyncio.timeout(connect + upstream.timeout + _SLACK_SECONDS)
        try:
            async with headed:
                reply = await http.post(
                    URL(url, encoded=True),
                    data=as_bytes(sent),
                    headers={**names, **upstream.headers},
                    allow_redirects=False,
                    proxy=upstream.proxy,
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect, sock_read=upstream.timeout),
                )
        except aiohttp.ConnectionTimeoutError:
            raise errors.unreachable(upstream, ConnectionError("no connection in time")) from None
        except TimeoutError as error:
            raise errors.headless(upstream) if headed.expired() else errors.unreachable(upstream, error) from None
        except (*_BROKEN, ValueError) as error:  # a header that HTTP does not take is a ValueError
            raise errors.unreachable(upstream, error) from None
        async with reply:
            yield reply

    def _translated(self, what: str, status: int, translate: Callable[[], Any]) -> Any:
        """What a translation gives. Raises FailedError with ``status`` where the input is not taken."""
        try:
            output = translate()
        except (Refused, Unsupported) as error:
            failure = Failure(_KINDS[status], status, f"{what} cannot be translated: {error}")
            failure.details = getattr(error, "details", None)
            raise errors.FailedError(failure) from None
        except Exception as error:
            self.log.fault(error)
            message = f"the gateway failed at {what} ({type(error).__name__}); its log says more"
            raise errors.own_fault(message) from None
        self._note_losses()
        return output

    def _note_losses(self) -> None:
        self.lost.update(loss.element for loss in self.session.losses)

    def _whole(self, content: bytes, upstream_headers: Headers) -> web.Response:
        """The client's reply for the provider's."""
        body = errors.read_body(content)
        if body is None:
            kind = upstream_headers.get("content-type", "no content-type")
            raise errors.unreadable(self.upstream, f"answered {len(content)} bytes of {kind} that are no JSON object")
        output = self._translated("the upstream's reply", 502, lambda: self.session.response(body))
        return as_json(200, output, headers.reply_headers(self.client, self.upstream.format, upstream_headers))

    def _failed(self, status: int, content: bytes, upstream_headers: Headers) -> web.Response:
        """The client's error for the provider's."""
        content = errors.without_key(content, self._own_key)
        status, body, own = self._translated(
            "the upstream's error",
            502,
            lambda: errors.provider_error(self.session, self.client, status, content, upstream_headers),
        )
        client_headers = headers.reply_headers(self.client, self.upstream.format, upstream_headers)
        wait = {name: text for name, text in own.items() if name.lower() in headers.RETRY}
        return as_json(status, body, {**client_headers, **wait})

    async def _streamed(self, reply: aiohttp.ClientResponse, upstream_headers: Headers) -> web.StreamResponse:
        """The client's stream for the provider's, each piece as it comes."""
        if reply.content_type == _JSON:
            raise errors.unreadable(self.upstream, "answered with a whole reply where a stream was asked for")
        try:
            # As long as nothing has come, the client can still be given an error, which it knows how to try again.
            first = await reply.content.readany()
        except _BROKEN as error:
            raise errors.unreachable(self.upstream, error) from None
        framing: Framing = EventFraming() if self.asked.events else ArrayFraming()
        client_headers = headers.reply_headers(self.client, self.upstream.format, upstream_headers)
        response = web.StreamResponse(headers={**client_headers, **(_EVENTS if self.asked.events else _ARRAY)})
        await response.prepare(self.request)
        pouring = self.session.stream_translator()
        whole = True
        async for written in self._poured(first, reply, pouring):
            if written is None:
                whole = False
            elif framed := framing.feed(written):
                await response.write(framed)
        self._note_losses()
        if whole:
            await response.write_eof(framing.end())
            self.streamed = True
            await _read_rest(reply)
        elif self.request.transport is not None:
            # What the client's own provider broke off is broken off here: an end would say that this was all.
            self.request.transport.close()
        return response

    async def _poured(
        self, first: bytes, reply: aiohttp.ClientResponse, pouring: StreamTranslator
    ) -> AsyncIterator[bytes | None]:
        """The client's pieces; None at the end of a stream that broke off and cannot say so."""
        chunk, bound = first, bounds.EventBound(self.most)
        try:
            while chunk and not pouring.is_ended:
                bound.passes(chunk)
                yield pouring.feed(errors.without_key(chunk, self._own_key))
                chunk = b"" if pouring.is_ended else await reply.content.readany()
            yield pouring.end()
        except bounds.TooLargeError as error:
            reply.close()
            why = f"the upstream {self.upstream.name} sent {error}"
            yield pouring.fail(Failure("server_error", 502, why)) or None
        except TimeoutError as error:
            yield pouring.fail(errors.broken_off(self.upstream, error)) or None
        except _BROKEN:
            yield pouring.end()
            if self.client is self.upstream.format:
                yield None
        if pouring.problem is not None:
            if not isinstance(pouring.problem, (Refused, Unsupported)):
                self.log.fault(pouring.problem)
            message = f"the upstream's stream cannot be translated: {pouring.problem}"
            yield pouring.fail(Failure("server_error", 502, message))


_KINDS = {400: "invalid_request", 502: "server_error"}


async def _read_rest(reply: aiohttp.ClientResponse) -> None:
    """Read what still comes behind the end of a reply, if it comes soon."""
    try:
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in reply.content.iter_any():
                pass
    except _BROKEN:
        reply.close()


def as_bytes(body: Body) -> bytes:
    """A body as JSON in UTF-8; half a surrogate pair is escaped."""
    return dump(body).encode("utf-8", "backslashreplace")


def as_json(status: int, body: Body, header_fields: Headers) -> web.Response:
    """A whole answer."""
    return web.Response(status=status, body=as_bytes(body), headers=header_fields, content_type=_JSON)
