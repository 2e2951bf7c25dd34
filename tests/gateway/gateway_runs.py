"""A gateway and a scripted provider for one test, both on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web
from yarl import URL

from toolcall_reference import ReferenceTranslator
from toolcall_reference.gateway import read_config
from toolcall_reference.gateway.server import Gateway

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class ServedGateway:
    """A gateway that runs next to the test: its root, and the provider behind it."""

    url: str
    provider: Provider


@dataclass
class Provider:
    """Answers every request with ``answer``, and notes what came."""

    answer: Answer
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    url: str = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Note a request and answer it."""
        self.paths.append(request.raw_path)
        self.headers.append({name.lower(): text for name, text in request.headers.items()})
        self.bodies.append(json.loads(await request.read() or "null"))
        return await self.answer(request)


@dataclass
class RunningGateway:
    """A gateway that runs: ``url`` is its root. ``ask`` posts a body to a path."""

    url: str
    provider: Provider
    http: aiohttp.ClientSession

    async def ask(
        self, path: str, body: Any, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, body and headers of a reply; the body as text where it is no JSON."""
        data = body if isinstance(body, (bytes, str)) else json.dumps(body)
        request_headers = {"content-type": "application/json", **(headers or {})}
        async with self.http.post(URL(self.url + path, encoded=True), data=data, headers=request_headers) as reply:
            text = await reply.text()
            try:
                return reply.status, json.loads(text), reply.headers
            except ValueError:
                return reply.status, text, reply.headers


@asynccontextmanager
async def serve_app(app: web.Application, **more: Any) -> AsyncIterator[str]:
    """The URL at which an application listens meanwhile."""
    runner = web.AppRunner(app, access_log=None, **more, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def run_gateway(
    answer: Answer,
    upstream: str,
    settings: Mapping[str, Any] | None = None,
    translator: ReferenceTranslator | None = None,
    **more: Any,
) -> AsyncIterator[RunningGateway]:
    """A gateway before a provider of the format ``upstream``; ``settings`` goes into its table, ``more`` next to it."""
    provider = Provider(answer)
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", provider.handle)
    async with serve_app(app) as provider.url:
        table = {"url": provider.url, **(settings or {})}
        environment = {"PROVIDER_KEY": "provider's key", "DOOR_KEY": "door key"}
        config = read_config({"upstream": {upstream: table}, **more}, "a test", environment)
        gateway = Gateway(config, translator, verbose=True)
        async with serve_app(gateway.app(), logger=gateway.log.logger()) as url, aiohttp.ClientSession() as http:
            yield RunningGateway(url, provider, http)


def reply_with(
    body: Any, status: int = 200, kind: str = "application/json", headers: Mapping[str, str] | None = None
) -> Answer:
    """Answers with one body."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=status, body=content, headers={"content-type": kind, **(headers or {})})

    return answer


def stream_with(*pieces: bytes, cut: bool = False, wait: float = 0.0) -> Answer:
    """Answers with a stream; ``cut`` closes the connection after its pieces, ``wait`` are seconds of silence there."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(0.01)
        await asyncio.sleep(wait)
        if cut and request.transport is not None:
            request.transport.close()
        return response

    return answer


@contextmanager
def serve_gateway(
    answer: Answer, upstream: str, settings: Mapping[str, Any] | None = None, **more: Any
) -> Iterator[ServedGateway]:
    """A gateway in a thread of its own, for clients that wait; see :func:`run_gateway`."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="gateway")
    thread.start()
    context = run_gateway(answer, upstream, settings, **more)
    try:
        gateway = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(30)
        try:
            yield ServedGateway(gateway.url, gateway.provider)
        finally:
            asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result(30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def answer_in_turn(*answers: Answer) -> Answer:
    """The first answer to the first request, and so on; the last one to all others."""
    left = list(answers)

    async def answer(request: web.Request) -> web.StreamResponse:
        return await (left.pop(0) if len(left) > 1 else left[0])(request)

    return answer
