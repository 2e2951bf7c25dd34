"""One exchange: a client's request to a provider, and the provider's reply, whole or streamed.

Streams are not buffered: a piece is read from the provider when the one before is sent to the client.
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
# The time to read the rest after a reply's end, so that the connection can be reused.
_REST_SECONDS = 1.0
# The silence timeout, whose error says more, comes first.
_SLACK_SECONDS = 0.5
_JSON_TYPE = "application/json"
_EVENT_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
}
_ARRAY_HEADERS = {"content-type": "application/json; charset=UTF-8"}
_CONTROL_CHARACTER = re.compile("[\0-\x08\x0a-\x1f\x7f]")
_CONNECTION_ERRORS = (aiohttp.ClientError, TimeoutError, OSError)


@dataclass(frozen=True, slots=True)
class ExchangeRoute:
    """The route of one exchange, as a translator takes it."""

    client: str
    upstream: str
    client_model: str
    upstream_model: str
    stream: bool


@dataclass(slots=True)
class Exchange:
    """An exchange. ``client_headers`` have names in lower case; ``key`` is the client's key. ``max_bytes`` limits a
    reply, or an event of a stream. ``lost_elements`` are what the translations could not carry. ``has_streamed``: the
    whole stream is sent.
    """

    request: web.Request
    client_headers: Headers
    key: str | None
    address: AddressedRequest
    upstream: Upstream
    route: ExchangeRoute
    session: Session
    max_bytes: int
    log: Log
    lost_elements: set[str] = field(default_factory=set)
    has_streamed: bool = False

    @property
    def client(self) -> Format:
        return self.address.client

    async def answer(self, http: aiohttp.ClientSession, body: Body) -> web.StreamResponse:
        """Send the request and answer the client. Raises ExchangeError before the client gets anything."""
        sent = self._translate("the request", 400, lambda: self.session.request(body))
        async with self._open_provider_reply(http, sent) as reply:
            upstream_headers = self._reply_headers(reply)
            if self.route.stream and reply.status == 200:
                return await self._stream_response(reply, upstream_headers)
            try:
                content = await bounds.read_content(reply, self.max_bytes)
            except bounds.TooLargeError as error:
                raise errors.bad_reply(self.upstream, f"sent {error}") from None
            except _CONNECTION_ERRORS as error:
                raise errors.unreachable_upstream(self.upstream, error) from None
        if reply.status < 300:
            return self._reply_response(content, upstream_headers)
        if reply.status < 400:
            place = upstream_headers.get("location", "elsewhere")
            raise errors.bad_reply(self.upstream, f"answered {reply.status} and sends to {place}; correct its url")
        return self._error_response(reply.status, content, upstream_headers)

    @property
    def _own_key(self) -> str | None:
        """The gateway's key, which no client may see; None if the client's key is forwarded."""
        return None if self.upstream.forward_client_key else self.upstream.key

    def _reply_headers(self, reply: aiohttp.ClientResponse) -> Headers:
        """A reply's headers, names in lower case, the key hidden. Raises ExchangeError for control characters."""
        reply_headers = {name.lower(): text for name, text in reply.headers.items()}
        for name, text in reply_headers.items():
            if _CONTROL_CHARACTER.search(text):
                fault = f"answered with a control character in its header {name}, which HTTP forbids"
                raise errors.bad_reply(self.upstream, fault)
            if self._own_key:
                reply_headers[name] = text.replace(self._own_key, errors.HIDDEN_KEY)
        return reply_headers

    @asynccontextmanager
    async def _open_provider_reply(
        self, http: aiohttp.ClientSession, sent: Body
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send the translated request. Yields the reply once its headers are read. Raises ExchangeError."""
        upstream = self.upstream
        key = self.key if upstream.forward_client_key else upstream.key
        url = upstream_address(upstream.format, upstream.url, self.route.upstream_model, stream=self.route.stream)
        request_headers = headers.request_headers(
            self.client, upstream.format, self.client_headers, key, is_client_key=upstream.forward_client_key
        )
        connect = min(_CONNECT_SECONDS, upstream.timeout)
        # Any byte ends the silence, but a provider may drip headers, or "100 Continue", forever.
        header_timeout = asyncio.timeout(connect + upstream.timeout + _SLACK_SECONDS)
        try:
            async with header_timeout:
                reply = await http.post(
                    URL(url, encoded=True),
                    data=as_bytes(sent),
                    headers={**request_headers, **upstream.headers},
                    allow_redirects=False,
                    proxy=upstream.proxy,
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect, sock_read=upstream.timeout),
                )
        except aiohttp.ConnectionTimeoutError:
            raise errors.unreachable_upstream(upstream, ConnectionError("no connection in time")) from None
        except TimeoutError as error:
            raise (
                errors.missing_headers(upstream)
                if header_timeout.expired()
                else errors.unreachable_upstream(upstream, error)
            ) from None
        except (*_CONNECTION_ERRORS, ValueError) as error:  # an illegal header is a ValueError
            raise errors.unreachable_upstream(upstream, error) from None
        async with reply:
            yield reply

    def _translate(self, noun: str, status: int, translate: Callable[[], Any]) -> Any:
        """Run a translation. Raises ExchangeError with ``status`` if the input is refused."""
        try:
            output = translate()
        except (Refused, Unsupported) as error:
            failure = Failure(_KIND_BY_STATUS[status], status, f"{noun} cannot be translated: {error}")
            failure.details = getattr(error, "details", None)
            raise errors.ExchangeError(failure) from None
        except Exception as error:
            self.log.report_fault(error)
            message = f"the gateway failed at {noun} ({type(error).__name__}); its log says more"
            raise errors.gateway_error(message) from None
        self._note_losses()
        return output

    def _note_losses(self) -> None:
        self.lost_elements.update(loss.element for loss in self.session.losses)

    def _reply_response(self, content: bytes, upstream_headers: Headers) -> web.Response:
        """The client's response for a whole reply."""
        body = errors.read_body(content)
        if body is None:
            kind = upstream_headers.get("content-type", "no content-type")
            raise errors.bad_reply(self.upstream, f"answered {len(content)} bytes of {kind} that are no JSON object")
        output = self._translate("the upstream's reply", 502, lambda: self.session.response(body))
        return as_json(200, output, headers.reply_headers(self.client, self.upstream.format, upstream_headers))

    def _error_response(self, status: int, content: bytes, upstream_headers: Headers) -> web.Response:
        """The client's response for the provider's error."""
        content = errors.hide_key(content, self._own_key)
        status, body, error_headers = self._translate(
            "the upstream's error",
            502,
            lambda: errors.translate_error(self.session, self.client, status, content, upstream_headers),
        )
        client_headers = headers.reply_headers(self.client, self.upstream.format, upstream_headers)
        wait = {name: text for name, text in error_headers.items() if name.lower() in headers.RETRY}
        return as_json(status, body, {**client_headers, **wait})

    async def _stream_response(self, reply: aiohttp.ClientResponse, upstream_headers: Headers) -> web.StreamResponse:
        """Translate and send the provider's stream piece by piece."""
        if reply.content_type == _JSON_TYPE:
            raise errors.bad_reply(self.upstream, "answered with a whole reply where a stream was asked for")
        try:
            # Before the first piece the client can still get an error response, which it can retry.
            first = await reply.content.readany()
        except _CONNECTION_ERRORS as error:
            raise errors.unreachable_upstream(self.upstream, error) from None
        framing: Framing = EventFraming() if self.address.events else ArrayFraming()
        client_headers = headers.reply_headers(self.client, self.upstream.format, upstream_headers)
        response = web.StreamResponse(
            headers={**client_headers, **(_EVENT_HEADERS if self.address.events else _ARRAY_HEADERS)}
        )
        await response.prepare(self.request)
        translator = self.session.stream_translator()
        is_complete = True
        async for written in self._client_pieces(first, reply, translator):
            if written is None:
                is_complete = False
            elif framed := framing.feed(written):
                await response.write(framed)
        self._note_losses()
        if is_complete:
            await response.write_eof(framing.end())
            self.has_streamed = True
            await _read_rest(reply)
        elif self.request.transport is not None:
            # Break off what the client's own provider broke off: an end would make it look complete.
            self.request.transport.close()
        return response

    async def _client_pieces(
        self, first: bytes, reply: aiohttp.ClientResponse, translator: StreamTranslator
    ) -> AsyncIterator[bytes | None]:
        """The client's pieces; a final None for a stream that broke off without an error event."""
        chunk, bound = first, bounds.EventBound(self.max_bytes)
        try:
            while chunk and not translator.is_ended:
                bound.check(chunk)
                yield translator.feed(errors.hide_key(chunk, self._own_key))
                chunk = b"" if translator.is_ended else await reply.content.readany()
            yield translator.end()
        except bounds.TooLargeError as error:
            reply.close()
            why = f"the upstream {self.upstream.name} sent {error}"
            yield translator.fail(Failure("server_error", 502, why)) or None
        except TimeoutError as error:
            yield translator.fail(errors.connection_failure(self.upstream, error)) or None
        except _CONNECTION_ERRORS:
            yield translator.end()
            if self.client is self.upstream.format:
                yield None
        if translator.problem is not None:
            if not isinstance(translator.problem, (Refused, Unsupported)):
                self.log.report_fault(translator.problem)
            message = f"the upstream's stream cannot be translated: {translator.problem}"
            yield translator.fail(Failure("server_error", 502, message))


_KIND_BY_STATUS = {400: "invalid_request", 502: "server_error"}


async def _read_rest(reply: aiohttp.ClientResponse) -> None:
    """Read the rest after the end of a reply, if it comes soon."""
    try:
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in reply.content.iter_any():
                pass
    except _CONNECTION_ERRORS:
        reply.close()


def as_bytes(body: Body) -> bytes:
    """A body as JSON in UTF-8; half a surrogate pair is escaped."""
    return dump(body).encode("utf-8", "backslashreplace")


def as_json(status: int, body: Body, header_fields: Headers) -> web.Response:
    """A JSON response."""
    return web.Response(status=status, body=as_bytes(body), headers=header_fields, content_type=_JSON_TYPE)
