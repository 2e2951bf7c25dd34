"""The stage of a run, all on loopback: a recorder, the reference's gateway behind it, and a scripted provider."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from yarl import URL

from clients.replies import STREAMED, WHOLE, Answer
from gateway.gateway_runs import serve_app
from toolcall_conformance.basics.jsonvalue import JSONError, parse
from toolcall_conformance.drivers.upstream import Addresses
from toolcall_conformance.library import Corpus

ROOT = Path(__file__).resolve().parents[2]
_OF_THIS_CONNECTION = frozenset({"connection", "content-encoding", "content-length", "host", "transfer-encoding"})
_START_SECONDS = 20


@dataclass
class Exchange:
    """One request of the client: what it sent, what the provider was asked and sent, and what the client received."""

    path: str
    asked: Any
    format: str | None
    status: int = 0
    received: bytes = b""
    upstream: list[tuple[str, Any, bytes, bool]] = field(default_factory=list)
    """Of each request that the gateway made: path, body, the bytes of the reply, and whether it was a stream."""


@dataclass
class Stage:
    """A running stage; the client's base URL is ``url``."""

    url: str
    exchanges: list[Exchange]
    log: Path

    @property
    def tracebacks(self) -> list[str]:
        """The last lines of the tracebacks that the gateway printed."""
        text = _words(self.log)
        return re.findall(r"^Traceback .*?\n(?:\s.*\n)+(\S.*)$", text, re.MULTILINE)


@asynccontextmanager
async def stage(corpus: Corpus, upstream: str, answer: Callable[[Any], Answer], folder: Path) -> AsyncIterator[Stage]:
    """A stage before a provider of the format ``upstream`` that answers a request's body with ``answer``."""
    addresses = Addresses(corpus.transports)
    exchanges: list[Exchange] = []
    # One exchange after the other: so each request of the provider's belongs to one of the client's.
    turn = asyncio.Lock()

    async def provide(request: web.Request) -> web.StreamResponse:
        body = _parsed(await request.read())
        address = addresses.find_api(request.method, request.path)
        if address is None or address.format != upstream or not isinstance(body, dict):
            return web.json_response({"error": {"message": "not served here"}}, status=404)
        streamed = address.stream if address.stream is not None else body.get("stream") is True
        model_answer, model = answer(body), address.model or str(body.get("model"))
        if streamed:
            data = b"".join(STREAMED[upstream](model_answer, model))
            reply = web.Response(body=data, headers={"content-type": "text/event-stream"})
        else:
            reply = web.json_response(WHOLE[upstream](model_answer, model))
            data = bytes(reply.body or b"")  # type: ignore[arg-type]
        if exchanges:
            exchanges[-1].upstream.append((request.path, body, data, streamed))
        return reply

    def recorder(gateway: str, http: aiohttp.ClientSession) -> Callable[[web.Request], Any]:
        async def pass_on(request: web.Request) -> web.StreamResponse:
            data = await request.read()
            async with turn:
                api = addresses.find_api(request.method, request.path)
                exchange = Exchange(request.raw_path, _parsed(data), api.format if api else None)
                exchanges.append(exchange)
                headers = {k: v for k, v in request.headers.items() if k.lower() not in _OF_THIS_CONNECTION}
                url = URL(gateway + request.raw_path, encoded=True)
                async with http.request(request.method, url, data=data or None, headers=headers) as reply:
                    exchange.received, exchange.status = await reply.read(), reply.status
                    back = {k: v for k, v in reply.headers.items() if k.lower() not in _OF_THIS_CONNECTION}
            return web.Response(status=exchange.status, body=exchange.received, headers=back)

        return pass_on

    log = folder / "gateway.log"
    async with (
        serve_app(_app(provide)) as provider,
        aiohttp.ClientSession() as http,
        _gateway(f"{upstream}={provider}", log) as gateway,
        serve_app(_app(recorder(gateway, http))) as url,
    ):
        yield Stage(url, exchanges, log)


def _app(handler: Callable[[web.Request], Any]) -> web.Application:
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", handler)
    return app


def _parsed(data: bytes) -> Any:
    try:
        return parse(data)
    except JSONError:
        return None


def _words(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


@asynccontextmanager
async def _gateway(upstream: str, log: Path) -> AsyncIterator[str]:
    """The reference's gateway in a process of its own; its URL."""
    paths = os.pathsep.join(str(ROOT / name) for name in ("conformance", "reference_impl"))
    with log.open("wb") as log_file:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "toolcall_reference.gateway", "--verbose"),
            *("--upstream", upstream, "--model", "*=scripted-model", "--listen", "127.0.0.1:0"),
            env={**os.environ, "PYTHONPATH": paths},
            stdout=log_file,
            stderr=log_file,
        )
        try:
            for _ in range(_START_SECONDS * 20):
                match = re.search(r"^toolcall gateway: (http://\S+)$", _words(log), re.MULTILINE)
                if match or process.returncode is not None:
                    break
                await asyncio.sleep(0.05)
            if not match:
                raise RuntimeError(f"the gateway does not start: {_words(log)}")
            yield match[1]
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()
