"""The server: dispatches requests, and answers every failure in the client's own format."""

from __future__ import annotations

import hmac
import ipaddress
import sys
import time
from collections.abc import AsyncIterator
from contextlib import nullcontext

import aiohttp
from aiohttp import web

from toolcall_reference.basics.store import Store
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.gateway import errors, headers
from toolcall_reference.gateway.addresses import AddressedRequest, ServedPaths
from toolcall_reference.gateway.config import Config
from toolcall_reference.gateway.exchange import Exchange, ExchangeRoute, as_json
from toolcall_reference.gateway.idle_connections import IdleConnections
from toolcall_reference.gateway.log import Log, escape_text
from toolcall_reference.sessions.memory import Memory
from toolcall_reference.translator import ReferenceTranslator

_JSON = "application/json"


class Gateway:
    """A gateway; :meth:`app` is what aiohttp serves. ``verbose``: a line on stderr for each exchange."""

    def __init__(self, config: Config, translator: ReferenceTranslator | None = None, *, verbose: bool = False) -> None:
        self.config = config
        self._translator = ReferenceTranslator() if translator is None else translator
        self._verbose = verbose
        self._store = Store(config.memory_bytes)
        self._served = ServedPaths()
        self._http: aiohttp.ClientSession | None = None
        self.log = Log()
        self.patience: IdleConnections | None = None
        """The limiter of idle connections, if there is one."""

    def app(self) -> web.Application:
        """The application. With ``handler_cancellation`` a client that leaves ends the provider's request."""
        app = web.Application(client_max_size=self.config.body_bytes)
        app.cleanup_ctx.append(self._client_session)
        app.router.add_get("/health", _health)
        app.router.add_route("*", "/{path:.*}", self._answer)
        return app

    async def _client_session(self, _app: web.Application) -> AsyncIterator[None]:
        # No limit: each client has a connection of its own.
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(
            connector=connector, cookie_jar=aiohttp.DummyCookieJar(), skip_auto_headers=["user-agent"]
        ) as self._http:
            yield

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        with self.patience.answering(request.transport) if self.patience is not None else nullcontext():
            return await self._answer_request(request)

    async def _answer_request(self, request: web.Request) -> web.StreamResponse:
        """Answer one request; failures become errors of the client's format."""
        start = time.monotonic()
        address = self._served.find(request.raw_path.partition("?")[0], request.query)
        if address is None or request.method != "POST":
            return _not_served_response(request, self._served.paths, is_known=address is not None)
        exchange: Exchange | None = None
        response: web.StreamResponse | None = None
        try:
            exchange, body = await self._begin_exchange(request, address)
            assert self._http is not None, "the application runs"
            response = await exchange.answer(self._http, body)
        except errors.ExchangeError as error:
            status, error_body = address.client.encode_error(error.failure)
            response = as_json(status, error_body, {})
        finally:  # a client that leaves cancels this
            if self._verbose:
                reply_status = (
                    200 if exchange is not None and exchange.has_streamed else getattr(response, "status", None)
                )
                _print_line(request, exchange, reply_status, time.monotonic() - start)
        return response

    def _accepts_host(self, request: web.Request) -> bool:
        """Whether the host name of a request is legal for this gateway.

        A web page can have its own name point to this machine and use the gateway's keys. So a gateway without a client
        key accepts only addresses, its own name, and localhost.
        """
        name = request.headers.get("host", "").rpartition("@")[2]
        host = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        if self.config.client_key is not None or not host or host.lower() in ("localhost", self.config.host.lower()):
            return True
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return host.lower().endswith(".localhost")
        return True

    async def _begin_exchange(self, request: web.Request, address: AddressedRequest) -> tuple[Exchange, Body]:
        """Start the exchange of a request. Returns it with the request's body. Raises ExchangeError."""
        if not self._accepts_host(request):
            raise errors.bad_request(
                f"without a client key this gateway does not answer to the name {request.host!r}, which any page of "
                "the web could give to this machine: ask it as localhost or by its address, or give it client_key_env",
                403,
            )
        request_headers = {name.lower(): text for name, text in request.headers.items()}
        key = headers.find_client_key(request_headers, request.query)
        expected_key = self.config.client_key
        if expected_key is not None and not hmac.compare_digest(_to_bytes(key or ""), _to_bytes(expected_key)):
            raise errors.bad_request("the gateway does not know this key", 401)
        body = await self._read_json_body(request)
        model = address.model if address.model is not None else body.get(address.client.request_model_key or "")
        if not isinstance(model, str) or not model:
            raise errors.bad_request("the request names no model")
        try:
            upstream, name = self.config.choose(model)
        except LookupError as error:
            raise errors.bad_request(str(error.args[0]), 404) from None
        way = ExchangeRoute(address.client.name, upstream.format.name, model, name, address.wants_stream(body))
        session = self._translator.open(way, Memory.of(address.client, self._store, headers.memory_owner(key)))
        return Exchange(
            request, request_headers, key, address, upstream, way, session, self.config.reply_bytes, self.log
        ), body

    async def _read_json_body(self, request: web.Request) -> Body:
        """The client's body. Raises ExchangeError if it is not a JSON object."""
        if request.content_type != _JSON:
            # A browser sends any other type across origins without a preflight request.
            raise errors.bad_request(f"write the header content-type: {_JSON}", 415)
        try:
            content = await request.read()
        except web.HTTPRequestEntityTooLarge:
            raise errors.bad_request(f"the request is larger than {self.config.body_bytes:,} bytes", 413) from None
        body = errors.read_body(content)
        if body is None:
            raise errors.bad_request("the request is no JSON object in UTF-8")
        return body


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")  # a header may hold any bytes


async def _health(_request: web.Request) -> web.Response:
    return web.json_response({"ok": True})


def _not_served_response(request: web.Request, paths: list[str], *, is_known: bool) -> web.Response:
    """The response to an unknown path or method."""
    if is_known:
        message, status = f"{request.path} takes POST alone", 405
    else:
        message, status = f"{request.path} is not served here; there are {', '.join(paths)}", 404
    allow_headers = {"allow": "POST"} if is_known else {}
    return as_json(
        status, {"error": {"message": message, "type": "invalid_request_error", "code": status}}, allow_headers
    )


def _print_line(request: web.Request, exchange: Exchange | None, status: int | None, seconds: float) -> None:
    route = losses = ""
    if exchange is not None:
        way = exchange.route
        models = f"{escape_text(way.client_model)} → {escape_text(way.upstream_model)}"
        route = f" {way.client} → {exchange.upstream.name} ({way.upstream}), {models}"
        losses = f", lost: {', '.join(sorted(exchange.lost_elements))}" if exchange.lost_elements else ""
    end = "the client left" if status is None else status
    request_line = f"{request.method} {escape_text(request.path)}"
    print(f"{request_line}{route}: {end} in {seconds:.2f} s{losses}", file=sys.stderr, flush=True)
