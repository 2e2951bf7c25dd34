"""The places of the reference's gateway: providers that answer it, and clients that ask it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from gateway.gateway_runs import RunningGateway, reply_with, run_gateway
from gateway.test_gateway_exchanges import PATHS, STREAMS, client_request, reply_of
from hostility import answers, texts
from hostility.place import Place
from hostility.servers import ANSWERS
from toolcall_conformance import formats

PROVIDER_KEY = "provider's key"
"""That of the gateway which the tests run."""
LIMITS = {"timeout": 3}
ROOM = 300_000
"""So many kilobytes may memory grow by: replies are bounded at a megabyte."""
MARKS = ("Traceback", PROVIDER_KEY, "\x1b[2J")
"""What the gateway must never print, nor tell a client."""
HOSTS = ("evil.example", "127.0.0.1.evil.example", "", "\x1b[2J", "localhost:99999", "[::1", "xn--nxasmq6b", "a" * 5000)
HEADS: dict[str, bytes] = {
    "nothing": b"",
    "half-a-line": b"POST /v1/mess",
    "half-a-head": b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx: ",
    "no-version": b"POST /v1/messages\r\n\r\n",
    "odd-version": b"POST /v1/messages HTTP/9.9\r\nhost: localhost\r\n\r\n",
    "odd-method": b"\x1b[2J /v1/messages HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "long-path": b"POST /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "long-header": b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 1_000_000 + b"\r\n\r\n",
    "many-headers": b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n" + b"x: y\r\n" * 50_000 + b"\r\n",
    "control-header": b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx: \x1b[2J\x00\r\n\r\n",
    "two-lengths": b"POST /v1/messages HTTP/1.1\r\nhost: l\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
    "negative-length": b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n",
    "long-length": b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: " + b"9" * 50 + b"\r\n\r\n{}",
    "bad-chunk": b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}",
    "bad-gzip": b"POST /v1/messages HTTP/1.1\r\nhost: l\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
    "bytes": bytes(range(256)) * 10,
}
"""What a client sends that is no request."""


async def _hostile_provider(value: str, good: bytes, seed: int) -> asyncio.Server:
    """Answers each request in a hostile way."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await reader.readuntil(b"\r\n\r\n")
            for piece in answers.hostile_answer(good, value, Random(seed)):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.1 if len(piece) < 30 else 0)
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


def _provider(client: str, kind: str) -> Place:
    """Who answers is hostile; the client gets a reply or an error of its own API."""

    async def ask(value: str, draw: Random) -> Any:
        upstream = draw.choice(formats.names())
        server = await _hostile_provider(value, json.dumps(reply_of(upstream)).encode(), draw.randrange(10**6))
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        path, more = (STREAMS, {} if client == "gemini" else {"stream": True}) if kind == "stream" else (PATHS, {})
        body = client_request(client, **more)
        async with (
            server,
            run_gateway(
                reply_with({}), upstream, {"url": url, "key_env": "PROVIDER_KEY", **LIMITS}, reply_mb=1
            ) as gateway,
        ):
            return await _assert_answered(gateway, path[client], body)

    def drawn(draw: Random) -> str:
        # Blanks that drip keep a connection open while a model thinks: a client's own limit ends those.
        ways = [way for way in ANSWERS if way != "drips-body"]
        return draw.choice(ways if draw.random() < 0.7 else [name for name in texts.names() if name not in texts.FILES])

    return Place("gateway's provider", f"{kind}-{client}", drawn, _play_measured(ask), seconds=40.0)


async def _assert_answered(gateway: RunningGateway, path: str, body: Any, headers: Any = None) -> Any:
    status, reply, reply_headers = await gateway.ask(path, body, headers)
    assert status < 400 or (isinstance(reply, dict) and reply.get("error")), (
        f"{status} without an error of the client's API"
    )
    return [status, reply, dict(reply_headers)]


def _quoting_provider(client: str) -> Place:
    """A provider refuses, and quotes the key somewhere."""

    async def ask(value: str, draw: Random) -> Any:
        texts_of = {
            "plain": PROVIDER_KEY,
            "bearer": f"Bearer {PROVIDER_KEY}",
            "json": json.dumps({"key": PROVIDER_KEY}),
        }
        text = texts_of[value]
        status = draw.choice([400, 401, 403, 404, 429, 500, 529])
        body: Any = draw.choice(
            [text, {"error": text}, {"error": {"message": text, "type": "x"}}, [text], {"detail": [{"msg": text}]}]
        )
        answer = reply_with(body, status, headers={"request-id": text, "x-echo": text})
        async with run_gateway(answer, draw.choice(formats.names()), {"key_env": "PROVIDER_KEY", **LIMITS}) as gateway:
            return await _assert_answered(gateway, PATHS[client], client_request(client))

    return Place(
        "gateway's provider",
        f"quotes-{client}",
        lambda draw: draw.choice(["plain", "bearer", "json"]),
        _play_measured(ask),
    )


def _client(client: str) -> Place:
    """Who asks is hostile: it gets an error or nothing, and the next is served."""

    async def ask(value: str, draw: Random) -> Any:
        kind, _, name = value.partition(":")
        async with run_gateway(reply_with(reply_of("anthropic")), "anthropic", LIMITS) as gateway:
            if kind == "head":
                port = int(gateway.url.rpartition(":")[2])
                for _ in range(draw.choice([1, 20])):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.write(HEADS[name])
            elif kind == "host":
                await _assert_answered(
                    gateway,
                    PATHS[client],
                    client_request(client),
                    {"host": HOSTS[int(name)]} if HOSTS[int(name)].isprintable() else {},
                )
            else:
                await _assert_answered(
                    gateway, PATHS[client], texts.mutate_document(client_request(client), name, draw)
                )
            status, reply, reply_headers = await asyncio.wait_for(
                gateway.ask(PATHS[client], client_request(client)), 10
            )
            assert status == 200, f"the next client gets {status}: {reply}"
            return [dict(reply_headers)]

    def drawn(draw: Random) -> str:
        names = [name for name in texts.names() if name not in texts.FILES]
        of = {"head": [*HEADS], "host": [*map(str, range(len(HOSTS)))], "body": names}
        kind = draw.choice([*of])
        return f"{kind}:{draw.choice(of[kind])}"

    return Place("gateway's client", client, drawn, _play_measured(ask), seconds=40.0)


def _play_measured(ask: Callable[[str, Random], Any]) -> Callable[[Path, str, Random], int]:
    def play(_folder: Path, value: str, draw: Random) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            result = asyncio.run(asyncio.wait_for(ask(value, draw), 30))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        output = printed.getvalue() + json.dumps(result, ensure_ascii=False, default=str)
        print(output[:2_000])
        leaks = [mark for mark in MARKS if mark in output]
        assert not leaks, f"the gateway says {leaks!a}"
        assert grown < ROOM, f"memory grew by {grown} kB"
        return 0

    return play


def places() -> Iterator[Place]:
    """All places of the gateway."""
    for client in formats.names():
        for kind in ("unary", "stream"):
            yield _provider(client, kind)
        yield _quoting_provider(client)
        yield _client(client)
