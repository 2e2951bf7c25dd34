"""What fails on the way: wrong requests, providers that are not there, fall silent or break off, clients that leave."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from gateway.gateway_runs import Provider, RunningGateway, reply_with, run_gateway, serve_app, stream_with
from gateway.test_gateway_exchanges import PATHS, ROUTES, STREAMS, ask_once, client_request, reply_of, run, stream_of
from toolcall_conformance import formats as judged
from toolcall_conformance.basics.streaming import parse
from toolcall_reference import formats

ALIKE = [(name, name) for name in formats.names()]
APART = [pair for pair in ROUTES if pair[0] != pair[1]]


def stream_request(client: str) -> dict[str, Any]:
    return client_request(client) if client == "gemini" else client_request(client, stream=True)


def message_of(body: Any) -> str:
    """The message of an error, in the form that each SDK reads."""
    return str(body["error"]["message"])


@pytest.mark.parametrize("client", formats.names())
@pytest.mark.parametrize(
    ("body", "headers", "status", "message"),
    [
        ("{", {}, 400, "no JSON object"),
        ("[1]", {}, 400, "no JSON object"),
        (b"\xff{}", {}, 400, "no JSON object"),
        ('{"a": NaN}', {}, 400, "no JSON object"),
        ("{}", {"content-type": "text/plain"}, 415, "content-type: application/json"),
        (b"{" + b" " * 2_000_000 + b"}", {}, 413, "larger than 1,000,000 bytes"),
    ],
)
def test_bodies_that_are_none(client: str, body: Any, headers: dict[str, str], status: int, message: str) -> None:
    async def work() -> Any:
        async with run_gateway(reply_with({}), client, body_mb=1) as gateway:
            answer = await gateway.ask(PATHS[client], body, headers)
            return *answer[:2], gateway.provider.paths

    got, reply, paths = run(work())
    assert (got, paths) == (status, [])
    assert message in message_of(reply)


@pytest.mark.parametrize("client", ["anthropic", "openai_chat", "openai_responses"])
def test_a_request_without_a_model(client: str) -> None:
    (status, body, _), gateway = ask_once(client, reply_with({}), "gemini", body={"stream": True})
    assert (status, gateway.provider.paths) == (400, [])
    assert "names no model" in message_of(body)


@pytest.mark.parametrize("client", formats.names())
def test_a_model_of_nobody(client: str) -> None:
    async def work() -> Any:
        more = {"url": "http://127.0.0.1:9", "format": "anthropic"}
        async with run_gateway(reply_with({}), "anthropic", {"models": {"theirs": "x"}}) as gateway:
            config = {"upstream": {"one": more, "two": more}}
            return await refused(config, client), gateway.provider.paths

    async def refused(config: Any, client: str) -> Any:
        from toolcall_reference.gateway import read_config
        from toolcall_reference.gateway.server import Gateway

        gateway = Gateway(read_config(config, "a test", {}))
        async with serve_app(gateway.app()) as url, aiohttp.ClientSession() as http:
            return await RunningGateway(url, Provider(reply_with({})), http).ask(PATHS[client], client_request(client))

    (status, body, _), _ = run(work())
    assert status == 404
    assert "knows no model 'mine': write the upstream in front of it (one/…, two/…)" in message_of(body)


@pytest.mark.parametrize(("path", "method", "status"), [("/v1/messages", "GET", 405), ("/v1/mesages", "POST", 404)])
def test_other_addresses(path: str, method: str, status: int) -> None:
    async def work() -> Any:
        async with (
            run_gateway(reply_with({}), "anthropic") as gateway,
            gateway.http.request(method, gateway.url + path) as got,
        ):
            return got.status, await got.json()

    got, body = run(work())
    assert got == status
    assert path in message_of(body)


def test_a_request_that_cannot_be_translated() -> None:
    (status, body, _), gateway = ask_once(
        "openai_chat", reply_with({}), "anthropic", body={"model": "mine", "messages": "none"}
    )
    assert (status, gateway.provider.paths) == (400, [])
    assert message_of(body) == "the request cannot be translated: messages must be an array, not str"


def test_a_thread_that_continues_is_refused_in_the_words_of_its_sdk() -> None:
    """So the official tool runner sends the whole conversation again; nothing reaches the provider."""
    thread = {"type": "continue", "previous_message_id": "msg_01"}
    request = {"model": "mine", "max_tokens": 9, "thread": thread, "messages": [{"role": "user", "content": "Go on."}]}
    (status, body, _), gateway = ask_once("anthropic", reply_with({}), "openai_chat", body=request)
    assert (status, gateway.provider.paths) == (400, [])
    assert body["error"]["details"] == {"error_code": "thread_unsupported_request"}
    assert "msg_01" in message_of(body)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_a_provider_that_is_not_there(client: str, upstream: str, stream: bool) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        table = {"url": f"http://127.0.0.1:{nobody.getsockname()[1]}"}
        (status, reply, _), _ = ask_once(client, reply_with({}), upstream, table, stream=stream)
    assert status in (500, 502)
    assert f"the upstream {upstream} cannot be reached" in message_of(reply)


def test_a_key_of_any_bytes_is_another_key() -> None:
    async def work() -> Any:
        async with run_gateway(reply_with(reply_of("anthropic")), "anthropic", client_key_env="DOOR_KEY") as gateway:
            answers = []
            for key in ("door key", "door ke\udcff", "d\u00f6\u00f6r"):
                answer = await gateway.ask("/v1/messages", client_request("anthropic"), {"x-api-key": key})
                answers.append(answer[:2])
            return [*answers, (await gateway.ask("/v1/messages", client_request("anthropic")))[:2]]

    good, *others = run(work())
    assert good[0] == 200
    for status, body in others:
        assert (status, body["error"]["type"]) == (401, "authentication_error")


@pytest.mark.parametrize("client", formats.names())
@pytest.mark.parametrize("stream", [False, True])
def test_a_provider_that_says_nothing(client: str, stream: bool) -> None:
    async def silent(_request: web.Request) -> web.Response:
        await asyncio.sleep(5)
        return web.Response()

    (status, reply, _), _ = ask_once(client, silent, "anthropic", {"timeout": 0.1}, stream=stream)
    assert status == 504
    assert message_of(reply) == "the upstream anthropic was silent for 0.1 seconds"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (reply_with(b"<html>", 200, "text/html"), "6 bytes of text/html that are no JSON object"),
        (
            reply_with(b"", 302, headers={"location": "https://elsewhere.example/"}),
            "answered 302 and sends to https://elsewhere",
        ),
        (reply_with({"content": 5}), "the upstream's reply cannot be translated"),
    ],
)
@pytest.mark.parametrize("client", ["openai_chat", "openai_responses", "gemini"])
def test_answers_that_are_none(client: str, answer: Any, message: str) -> None:
    (status, reply, _), _ = ask_once(client, answer, "anthropic")
    assert status in (500, 502)
    assert message in message_of(reply)


def test_a_reply_that_breaks_off() -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "500"})
        await response.prepare(request)
        await response.write(b'{"id": ')
        assert request.transport is not None
        request.transport.close()
        return response

    for client in formats.names():
        (status, reply, _), _ = ask_once(client, half, "anthropic")
        assert status in (500, 502)
        assert "broke off" in message_of(reply)


async def read_stream_end(gateway: RunningGateway, client: str) -> tuple[int, bytes, bool]:
    """Status and bytes of a stream, and whether it ended as HTTP ends."""
    buffer = bytearray()
    async with gateway.http.post(gateway.url + STREAMS[client], json=stream_request(client)) as reply:
        try:
            async for piece in reply.content.iter_any():
                buffer += piece
        except aiohttp.ClientError:
            return reply.status, bytes(buffer), False
        return reply.status, bytes(buffer), True


def half_of(upstream: str) -> bytes:
    """The first half of a stream, up to the end of an event."""
    stream = stream_of(upstream)
    blank = b"\r\n\r\n" if b"\r\n\r\n" in stream else b"\n\n"
    events = [event for event in stream.split(blank) if b"finishReason" not in event]
    return blank.join(events[: len(events) // 2 + 1]) + blank


@pytest.mark.parametrize("fault", ["is lost", "ends", "falls silent"])
@pytest.mark.parametrize(("client", "upstream"), APART)
def test_a_stream_that_ends_in_its_middle_becomes_an_error(client: str, upstream: str, fault: str) -> None:
    answer = stream_with(half_of(upstream), cut=fault == "is lost", wait=2 if fault == "falls silent" else 0)

    async def work() -> Any:
        async with run_gateway(answer, upstream, {"timeout": 0.5}) as gateway:
            return await read_stream_end(gateway, client)

    status, output, whole = run(work())
    assert (status, whole) == (200, True)
    assembled = judged.assemble(client, parse(output))
    assert assembled.end == "failed"
    message = "was silent for 0.5 seconds" if fault == "falls silent" else "ended before its reply was complete"
    assert message in output.decode()


@pytest.mark.parametrize("fault", ["is lost", "falls silent"])
@pytest.mark.parametrize(("client", "upstream"), ALIKE)
def test_a_stream_of_the_client_s_own_api_breaks_off_as_it_does(client: str, upstream: str, fault: str) -> None:
    half = half_of(upstream)

    async def work() -> Any:
        answer = stream_with(half, cut=fault == "is lost", wait=2 if fault == "falls silent" else 0)
        async with run_gateway(answer, upstream, {"timeout": 0.5}) as gateway:
            return await read_stream_end(gateway, client)

    status, output, whole = run(work())
    assert (status, whole) == (200, False)
    assert len(parse(output)["events"]) == len(parse(half)["events"]) > 0


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_a_stream_that_breaks_off_before_it_begins_is_an_error_that_may_be_retried(client: str, upstream: str) -> None:
    (status, body, _), _ = ask_once(client, stream_with(cut=True), upstream, stream=True)
    assert status in (500, 502)
    assert "broke off" in message_of(body)


@pytest.mark.parametrize("client", formats.names())
def test_a_whole_reply_in_the_place_of_a_stream(client: str) -> None:
    (status, body, _), _ = ask_once(client, reply_with(reply_of("anthropic")), "anthropic", stream=True)
    assert status in (500, 502)
    assert "answered with a whole reply where a stream was asked for" in message_of(body)


def test_an_event_that_cannot_be_translated_ends_the_stream_with_an_error() -> None:
    start = stream_of("anthropic").partition(b"\n\n")[0] + b"\n\n"
    wrong = b'data: {"type": "content_block_start", "index": 0, "content_block": "none"}\n\n'

    async def work() -> Any:
        async with run_gateway(stream_with(start + wrong, wait=5), "anthropic") as gateway:
            return await read_stream_end(gateway, "openai_chat")

    status, output, whole = run(work())
    assert (status, whole) == (200, True)
    assert b"the upstream's stream cannot be translated" in output


@pytest.mark.parametrize("streams", [False, True])
def test_a_client_that_leaves_ends_the_provider_s_request(streams: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the first byte, and in the middle of a stream."""

    async def work() -> None:
        start, left = asyncio.Event(), asyncio.Event()

        async def answer(request: web.Request) -> web.StreamResponse:
            try:
                if streams:
                    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
                    await response.prepare(request)
                    await response.write(half_of("anthropic"))
                start.set()
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                left.set()
                raise
            return web.Response()

        async with run_gateway(answer, "anthropic") as gateway:
            task = asyncio.create_task(read_stream_end(gateway, "openai_chat"))
            await start.wait()
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.wait_for(left.wait(), 5)

    run(work())
    assert ": the client left in " in capsys.readouterr().err


@pytest.mark.parametrize(("client", "upstream"), [("anthropic", "anthropic"), ("openai_chat", "anthropic")])
def test_a_client_that_does_not_read_stops_the_provider(client: str, upstream: str) -> None:
    """Of an endless stream no more is taken than what fits into the buffers of the sockets."""
    head = [stream_of("anthropic").partition(b"\n\n")[0]]
    head += [b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}']
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "text " * 2000}}
    piece = f"data: {json.dumps(delta)}\n\n".encode()

    async def work() -> int:
        sent = 0

        async def endless(request: web.Request) -> web.StreamResponse:
            nonlocal sent
            response = web.StreamResponse(headers={"content-type": "text/event-stream"})
            await response.prepare(request)
            await response.write(b"\n\n".join(head) + b"\n\n")
            while sent < 200_000_000:
                await response.write(piece)
                sent += len(piece)
            return response

        async with (
            run_gateway(endless, upstream) as gateway,
            gateway.http.post(gateway.url + STREAMS[client], json=stream_request(client)) as reply,
        ):
            await reply.content.readany()
            before = -1
            while before != sent:  # until it stands still
                before = sent
                await asyncio.sleep(0.5)
            reply.close()
            return before

    assert run(work()) < 60_000_000
