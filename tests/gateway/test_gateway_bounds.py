"""What a provider or a client can do to the gateway: each attack has a bound, and a message."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from gateway.gateway_runs import Answer, reply_with, run_gateway
from gateway.test_gateway_exchanges import PATHS, client_request, reply_of, run
from toolcall_reference.gateway.bounds import EventBound, TooLargeError
from toolcall_reference.gateway.log import Log, escape_text

CLIENT = "openai_chat"
MEGABYTE = 1_000_000


def ask_gateway(answer: Answer, body: Any = None, headers: Any = None, settings: Any = None, **more: Any) -> Any:
    """Status and body of what a client gets, the provider being Anthropic's."""

    async def work() -> Any:
        async with run_gateway(answer, "anthropic", settings, **more) as gateway:
            return await gateway.ask(PATHS[CLIENT], body or client_request(CLIENT), headers)

    return run(work())


def endless_answer(piece: bytes, kind: str) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": kind})
        await response.prepare(request)
        with suppress(ConnectionError):
            while True:
                await response.write(piece)
        return response

    return answer


BOMB = reply_with(gzip.compress(b" " * 50 * MEGABYTE), headers={"content-encoding": "gzip"})
STREAMED = client_request(CLIENT, stream=True)


@pytest.mark.parametrize("answer", [BOMB, endless_answer(b" " * 65536, "application/json")], ids=["packed", "endless"])
def test_a_reply_that_is_too_large_is_an_error(answer: Answer) -> None:
    status, body, _ = ask_gateway(answer, reply_mb=1)
    assert status == 502
    assert body["error"]["message"].endswith("sent a reply of more than 1,000,000 bytes")


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 65536, b"data: x\n" * 8192], ids=["a line", "an event"])
def test_an_event_without_end_is_an_error_of_the_stream(piece: bytes) -> None:
    status, text, _ = ask_gateway(endless_answer(piece, "text/event-stream"), STREAMED, reply_mb=1)
    assert status == 200
    assert "sent an event of more than 1,000,000 bytes" in text


def test_a_long_stream_of_short_events_is_none() -> None:
    bound = EventBound(20)
    for cut in (
        b"data: 1\n\n" * 9,
        b"data: 1\r",
        b"\n\r",
        b"\n",
        b"data: 2\r\r",
        b"data: 3\n\r\ndata: 45\r\n\n",
        b"d" * 18,
        b"\n",
        b"\n",
    ):
        bound.check(cut)
    with pytest.raises(TooLargeError, match="an event of more than 20 bytes"):
        bound.check(b"d" * 30 + b"\n\n")


async def _ask_raw_provider(head: bytes) -> Any:
    """What a client gets from a provider that answers with these bytes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        await writer.drain()
        await asyncio.sleep(0.2)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, run_gateway(reply_with({}), "anthropic", {"url": f"http://127.0.0.1:{port}"}) as gateway:
        return await gateway.ask(PATHS[CLIENT], client_request(CLIENT))


async def _ask_dripping_provider(piece: bytes) -> Any:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        with suppress(ConnectionError):
            while True:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.02)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with run_gateway(reply_with({}), "anthropic", {"url": url, "timeout": 0.2}) as gateway:
        try:
            return await asyncio.wait_for(gateway.ask(PATHS[CLIENT], client_request(CLIENT)), 10)
        finally:
            server.close()


@pytest.mark.parametrize("piece", [b"", b"HTTP/1.1 100 Continue\r\n\r\n"], ids=["nothing", "100 Continue"])
def test_a_header_without_end_is_an_error(piece: bytes) -> None:
    status, body, _ = run(_ask_dripping_provider(piece))
    assert status == 504
    message = "sent no whole header of a reply in 0.2 seconds" if piece else "was silent for 0.2 seconds"
    assert body["error"]["message"].endswith(message)


@pytest.mark.parametrize("sign", [b"\x00", b"\x01", b"\x08", b"\x0b", b"\x0c", b"\x1b", b"\x1f", b"\x7f", b"\r"])
def test_a_control_character_in_a_provider_s_header_is_an_error_of_the_client_s(sign: bytes) -> None:
    body = b"{}"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nrequest-id: a" + sign + b"b\r\n"
    status, reply, _ = run(_ask_raw_provider(head + b"content-length: 2\r\n\r\n" + body))
    assert status == 502
    assert reply["error"]["message"]


def test_a_key_that_a_provider_quotes_reaches_no_client() -> None:
    refusal = {"type": "error", "error": {"type": "authentication_error", "message": "no such key: provider's key."}}
    answer = reply_with(refusal, 401, headers={"request-id": "of provider's key"})
    status, body, headers = ask_gateway(answer, settings={"key_env": "PROVIDER_KEY"})
    assert status == 401
    assert body["error"]["message"] == "no such key: [the gateway's key]."
    assert "provider's key" not in str(headers)


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("localhost:8080", True),
        ("127.0.0.1", True),
        ("[::1]:8080", True),
        ("a.localhost", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example:8080", False),
    ],
)
def test_a_name_that_a_page_can_have_is_refused(host: str, served: bool) -> None:
    status, body, _ = ask_gateway(reply_with(reply_of("anthropic")), headers={"host": host})
    assert (status == 200) is served, body
    if not served:
        assert status == 403
        assert f"does not answer to the name '{host}'" in body["error"]["message"]
        assert body["error"]["type"] == "invalid_request_error"


def test_with_a_client_key_any_name_is_served() -> None:
    headers = {"host": "gateway.example", "authorization": "Bearer door key"}
    status, body, _ = ask_gateway(reply_with(reply_of("anthropic")), headers=headers, client_key_env="DOOR_KEY")
    assert status == 200, body


def test_what_a_client_says_is_escaped_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    ask_gateway(reply_with(reply_of("anthropic")), body=client_request(CLIENT) | {"model": "m\x1b[2J\nGET /fake"})
    stderr = capsys.readouterr().err
    assert "\x1b" not in stderr
    assert "m\\x1b[2J\\nGET /fake" in stderr
    assert escape_text("é ⛄ \u202e\x07") == "é ⛄ \\u202e\\x07"


def key_error(number: int) -> KeyError:
    try:
        dict[int, int]()[number]
    except KeyError as error:
        return error
    raise AssertionError


def test_the_same_fault_is_reported_once_and_then_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("toolcall_reference.gateway.log.time.monotonic", lambda: now[0])
    log = Log()
    for number in range(1000):
        now[0] = number / 400
        log.report_fault(key_error(number))
    stderr = capsys.readouterr().err
    assert stderr.count("Traceback") == 1
    again = [
        line for line in stderr.splitlines() if line.startswith("toolcall gateway: again (400 times): KeyError at ")
    ]
    assert len(again) == 2


async def _send_raw(head: bytes, times: int) -> None:
    async with run_gateway(reply_with({}), "anthropic") as gateway:
        for _ in range(times):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(gateway.url.rpartition(":")[2]))
            writer.write(head)
            assert (await reader.read(100)).startswith((b"HTTP/1.0 4", b"HTTP/1.1 4"))
            writer.close()


@pytest.mark.parametrize(
    "head",
    [
        b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /x HTTP/1.1\r\nhost: a.b\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
    ],
    ids=["length", "chunk", "gzip"],
)
def test_what_is_no_request_is_reported_in_a_line(head: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    run(_send_raw(head, 20))
    stderr = capsys.readouterr().err
    assert "Traceback" not in stderr
    assert "\x1b" not in stderr
    assert stderr.count("toolcall gateway: a client sent no HTTP request: ") == 1


@contextmanager
def gateway_process(files: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The command with so many open files at most, and its port."""
    words = ["--upstream", "anthropic=http://127.0.0.1:9", "--listen", "127.0.0.1:0"]
    limited = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
    command = [*limited, sys.executable, "-m", "toolcall_reference.gateway", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        port = int(child.stderr.readline().strip().rpartition(":")[2])
        child.stderr.readline()
        try:
            yield port, child
        finally:
            child.send_signal(signal.SIGTERM)


def open_connections(port: int, count: int, data: bytes) -> list[socket.socket]:
    connections = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), timeout=5)
        connection.sendall(data)
        connections.append(connection)
    return connections


@pytest.mark.parametrize("files", [128, 1024], ids=["few files", "many"])
def test_half_headers_starve_nobody(files: int) -> None:
    with gateway_process(files) as (port, child):
        waiting = open_connections(port, 250, b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-")
        time.sleep(1.2)

        async def health() -> int:
            deadline = time.monotonic() + 25
            while True:
                with suppress(aiohttp.ClientError, OSError, TimeoutError):
                    async with (
                        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(2)) as http,
                        http.get(f"http://127.0.0.1:{port}/health") as reply,
                    ):
                        return reply.status
                assert time.monotonic() < deadline

        assert asyncio.run(health()) == 200
        child.send_signal(signal.SIGTERM)
        _, stderr = child.communicate(timeout=20)
        for connection in waiting:
            connection.close()
    assert stderr.count("Traceback") == 0
    assert len(stderr.splitlines()) < 60


pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of files")
