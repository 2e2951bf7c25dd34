"""The server: finds out who asks for what, and answers every failure in the client's own form."""

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
from toolcall_reference.gateway.addresses import AddressedRequest, Served
from toolcall_reference.gateway.config import Config
from toolcall_reference.gateway.exchange import Exchange, Way, as_json
from toolcall_reference.gateway.idle_connections import Patience
from toolcall_reference.gateway.log import Log, shown
from toolcall_reference.sessions.memory import Memory
from toolcall_reference.translator import ReferenceTranslator

_JSON = "application/json"


class Gateway:
    """A gateway; :meth:`app` is what aiohttp serves. ``verbose``: a line on stderr for each exchange."""

    def __init__(self, config: Config, translator: ReferenceTranslator | None = None, *, verbose: bool = False) -> None:
        self.config = config
        self._translator = ReferenceTranslator() if translator is None else translator
        self._verbose = verbose
        self._store = Store(config.memory)
        self._served = Served()
        self._http: aiohttp.ClientSession | None = None
        self.log = Log()
        self.patience: Patience | None = None
        """Who watches the connections, where somebody does."""

    def app(self) -> web.Application:
        """The application, to be served with ``handler_cancellation``: who goes away ends the provider's request."""
        app = web.Application(client_max_size=self.config.body)
        app.cleanup_ctx.append(self._connected)
        app.router.add_get("/health", _health)
        app.router.add_route("*", "/{path:.*}", self._answer)
        return app

    async def _connected(self, _app: web.Application) -> AsyncIterator[None]:
        # As many connections as clients have: each of them waits for its own.
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(
            connector=connector, cookie_jar=aiohttp.DummyCookieJar(), skip_auto_headers=["user-agent"]
        ) as self._http:
            yield

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        with self.patience.answering(request.transport) if self.patience is not None else nullcontext():
            return await self._answered(request)

    async def _answered(self, request: web.Request) -> web.StreamResponse:
        start = time.monotonic()
        address = self._served.find(request.raw_path.partition("?")[0], request.query)
        if address is None or request.method != "POST":
            return _not_served(request, self._served.paths, is_known=address is not None)
        exchange: Exchange | None = None
        response: web.StreamResponse | None = None
        try:
            exchange, body = await self._begun(request, address)
            assert self._http is not None, "the application runs"
            response = await exchange.answer(self._http, body)
        except errors.FailedError as error:
            status, error_body = address.client.encode_error(error.failure)
            response = as_json(status, error_body, {})
        finally:  # a client that leaves cancels this
            if self._verbose:
                reply_status = 200 if exchange is not None and exchange.streamed else getattr(response, "status", None)
                _print_line(request, exchange, reply_status, time.monotonic() - start)
        return response

    def _is_meant(self, request: web.Request) -> bool:
        """Whether a client means this gateway by the name that it asks for.

        A page of the web can have its own name point to this machine, and ask with the gateway's keys; so a gateway
        that takes no client key goes by addresses, its own name, and localhost alone.
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

    async def _begun(self, request: web.Request, address: AddressedRequest) -> tuple[Exchange, Body]:
        """The exchange that a request begins, and the request's body. Raises FailedError."""
        if not self._is_meant(request):
            raise errors.wrong_request(
                f"without a client key this gateway does not answer to the name {request.host!r}, which any page of "
                "the web could give to this machine: ask it as localhost or by its address, or give it client_key_env",
                403,
            )
        request_headers = {name.lower(): text for name, text in request.headers.items()}
        key = headers.client_key(request_headers, request.query)
        expected_key = self.config.client_key
        if expected_key is not None and not hmac.compare_digest(_raw(key or ""), _raw(expected_key)):
            raise errors.wrong_request("the gateway does not know this key", 401)
        body = await self._body(request)
        model = address.model if address.model is not None else body.get(address.client.request_model_key or "")
        if not isinstance(model, str) or not model:
            raise errors.wrong_request("the request names no model")
        try:
            upstream, name = self.config.choose(model)
        except LookupError as error:
            raise errors.wrong_request(str(error.args[0]), 404) from None
        way = Way(address.client.name, upstream.format.name, model, name, address.wants_stream(body))
        session = self._translator.open(way, Memory.of(address.client, self._store, headers.owner_of(key)))
        return Exchange(
            request, request_headers, key, address, upstream, way, session, self.config.reply, self.log
        ), body

    async def _body(self, request: web.Request) -> Body:
        """The client's body. Raises FailedError for what is no JSON object."""
        if request.content_type != _JSON:
            # A page in a browser may send any other type without being asked who it is.
            raise errors.wrong_request(f"write the header content-type: {_JSON}", 415)
        try:
            content = await request.read()
        except web.HTTPRequestEntityTooLarge:
            raise errors.wrong_request(f"the request is larger than {self.config.body:,} bytes", 413) from None
        body = errors.read_body(content)
        if body is None:
            raise errors.wrong_request("the request is no JSON object in UTF-8")
        return body


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")  # a header may hold any bytes


async def _health(_request: web.Request) -> web.Response:
    return web.json_response({"ok": True})


def _not_served(request: web.Request, paths: list[str], *, is_known: bool) -> web.Response:
    """No path of any API, or not the way to ask at one."""
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
        way = exchange.way
        models = f"{shown(way.client_model)} → {shown(way.upstream_model)}"
        route = f" {way.client} → {exchange.upstream.name} ({way.upstream}), {models}"
        losses = f", lost: {', '.join(sorted(exchange.lost))}" if exchange.lost else ""
    end = "the client left" if status is None else status
    request_line = f"{request.method} {shown(request.path)}"
    print(f"{request_line}{route}: {end} in {seconds:.2f} s{losses}", file=sys.stderr, flush=True)
