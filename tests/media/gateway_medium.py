"""Lends any Python translator as an HTTP gateway: ``gateway_medium.py package.module:Name PORT UPSTREAM``.

It keeps a session for each conversation. A client names the conversation, the provider and the models in headers.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import aiohttp
from aiohttp import web
from fused_medium import bridge_reply  # type: ignore[import-not-found]  # a child finds it beside itself

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.upstream import Addresses
from toolcall_conformance.library import load_corpus

ADDRESSES = Addresses(load_corpus().transports)
LIMIT = 64 * 1024 * 1024


class Gateway:
    def __init__(self, translator: Any, upstream: str) -> None:
        self.translator, self.upstream = translator, upstream
        self.sessions: dict[tuple[str, str], Any] = {}
        self.client: aiohttp.ClientSession

    async def begin(self, _app: web.Application) -> None:
        self.client = aiohttp.ClientSession()

    async def end(self, _app: web.Application) -> None:
        await self.client.close()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        # As sent: a model's name may hold %2F.
        address = ADDRESSES.find_api(request.method, request.raw_path.partition("?")[0])
        if address is None:
            return error_response(404, "there is nothing here")
        try:
            return await self.exchange(request, address.format, stream=address.stream)
        except Exception as error:
            names = {base.__name__ for base in type(error).__mro__}
            status = 400 if "Refused" in names else 404 if names & {"Unsupported", "NotImplementedError"} else 500
            return error_response(status, f"{type(error).__name__}: {error}")

    async def exchange(self, request: web.Request, client: str, *, stream: bool | None) -> web.StreamResponse:
        request_headers = request.headers
        upstream, model = request_headers["x-upstream"], request_headers["x-upstream-model"]
        body = json.loads(await request.read())
        if "model" in body:
            body["model"] = request_headers["x-client-model"]
        streams = body.get("stream", False) if stream is None else stream
        key = request_headers["x-conversation"], upstream
        if key not in self.sessions:
            route = Route(client, upstream, request_headers["x-client-model"], model, stream=streams)
            self.sessions[key] = self.translator.open(route)
        session = self.sessions[key]
        async with self.client.post(
            self.upstream + ADDRESSES.request_path(upstream, model, stream=streams),
            data=json.dumps(session.request(body)).encode(),
            headers=ADDRESSES.request_headers(upstream, "the-gateway-s-own-key"),
        ) as reply:
            if streams and reply.status == 200:
                return await stream_reply(request, session, reply)
            reply_body = await reply.json()
        if reply.status == 200:
            return web.json_response(session.response(reply_body))
        status, failed, headers = session.error(
            reply.status, reply_body, {name.lower(): text for name, text in reply.headers.items()}
        )
        reply_headers = {name: text for name, text in headers.items() if name == "retry-after"}
        return web.json_response(failed, status=status, headers=reply_headers)


async def stream_reply(request: web.Request, session: Any, reply: aiohttp.ClientResponse) -> web.StreamResponse:
    """A stream that breaks off closes the connection, unless nothing has been sent yet."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    try:
        async for piece in bridge_reply(session, reply):
            if not response.prepared:
                await response.prepare(request)
            await response.write(piece)
    except Exception:
        if not response.prepared:
            raise
        if request.transport is not None:
            request.transport.close()
        return response
    if not response.prepared:
        await response.prepare(request)
    return response


def error_response(status: int, words: str) -> web.Response:
    return web.json_response({"error": {"message": words}}, status=status)


def main() -> None:
    spec, port, upstream = sys.argv[1:]
    module, _, attribute = spec.partition(":")
    gateway = Gateway(getattr(importlib.import_module(module), attribute)(), upstream)
    app = web.Application(client_max_size=LIMIT)
    app.router.add_route("*", "/{path:.*}", gateway.answer)
    app.on_startup.append(gateway.begin)
    app.on_cleanup.append(gateway.end)
    web.run_app(app, host="127.0.0.1", port=int(port), print=None, access_log=None)


if __name__ == "__main__":
    main()
