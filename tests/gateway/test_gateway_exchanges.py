"""What passes through the gateway in addition to the translation: addresses, keys, headers, framing, memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any

import pytest

from gateway.gateway_runs import Answer, RunningGateway, reply_with, run_gateway, stream_with
from toolcall_conformance.library import load_corpus
from toolcall_reference import formats

CASE = load_corpus().cases["parallel/three-tools"]
PATHS = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/mine:generateContent",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
}
STREAMS = PATHS | {"gemini": "/v1beta/models/mine:streamGenerateContent?alt=sse"}
SENT = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/theirs:generateContent",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
}
KEYS = {
    "anthropic": {"x-api-key": "client's key"},
    "gemini": {"x-goog-api-key": "client's key"},
    "openai_chat": {"authorization": "Bearer client's key"},
    "openai_responses": {"authorization": "Bearer client's key"},
}
GIVEN = {
    "anthropic": ("x-api-key", "{}"),
    "gemini": ("x-goog-api-key", "{}"),
    "openai_chat": ("authorization", "Bearer {}"),
    "openai_responses": ("authorization", "Bearer {}"),
}
ROUTES = [(client, upstream) for client in formats.names() for upstream in formats.names()]
MODELS = {"models": {"mine": "theirs"}}


def client_request(client: str, **more: Any) -> dict[str, Any]:
    body = dict(CASE.exchanges(client)[0].request) | more
    return body | {"model": "mine"} if "model" in body else body


def reply_of(upstream: str) -> Any:
    return CASE.exchanges(upstream)[0].response


def stream_of(upstream: str) -> bytes:
    path = CASE.exchanges(upstream)[0].stream_path
    assert path is not None
    return path.read_bytes()


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, 30))


def ask_once(
    client: str,
    answer: Answer,
    upstream: str,
    settings: Mapping[str, Any] = MODELS,
    body: Any = None,
    *,
    stream: bool = False,
    headers: Mapping[str, str] | None = None,
) -> tuple[tuple[int, Any, Mapping[str, str]], RunningGateway]:
    """What comes back for one request, and the gateway with what its provider was asked."""

    async def work() -> Any:
        async with run_gateway(answer, upstream, settings) as gateway:
            request = client_request(client, **({"stream": True} if stream and client != "gemini" else {}))
            path = (STREAMS if stream else PATHS)[client]
            return await gateway.ask(
                path, request if body is None else body, {**KEYS[client], **(headers or {})}
            ), gateway

    result: tuple[tuple[int, Any, Mapping[str, str]], RunningGateway] = run(work())
    return result


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_the_provider_is_asked_with_its_own_key(client: str, upstream: str) -> None:
    table = {**MODELS, "key_env": "PROVIDER_KEY", "headers": {"X-Mine": "yes"}}
    (status, _, _), gateway = ask_once(client, reply_with(reply_of(upstream)), upstream, table)
    assert status == 200
    assert gateway.provider.paths == [SENT[upstream]]
    [headers] = gateway.provider.headers
    name, form = GIVEN[upstream]
    assert headers[name] == form.format("provider's key")
    assert headers["x-mine"] == "yes"
    assert ("anthropic-version" in headers) is (upstream == "anthropic")
    assert "client's key" not in str(headers)


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_without_a_key_none_is_sent(client: str, upstream: str) -> None:
    _, gateway = ask_once(client, reply_with(reply_of(upstream)), upstream)
    assert GIVEN[upstream][0] not in gateway.provider.headers[0]
    assert "client's key" not in str(gateway.provider.headers)


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_the_client_s_key_goes_on_where_it_is_to(client: str, upstream: str) -> None:
    table = {**MODELS, "forward_client_key": True}
    more = {"openai-organization": "org-mine"}
    _, gateway = ask_once(client, reply_with(reply_of(upstream)), upstream, table, headers=more)
    [headers] = gateway.provider.headers
    name, form = GIVEN[upstream]
    assert headers[name] == form.format("client's key")
    assert ("openai-organization" in headers) is upstream.startswith("openai")


def test_a_key_in_the_query_goes_on_in_a_header() -> None:
    async def work() -> Any:
        async with run_gateway(reply_with(reply_of("gemini")), "gemini", {"forward_client_key": True}) as gateway:
            await gateway.ask("/v1beta/models/mine:generateContent?key=client's%20key", client_request("gemini"))
            return gateway.provider

    provider = run(work())
    assert provider.paths == ["/v1beta/models/mine:generateContent"]
    assert provider.headers[0]["x-goog-api-key"] == "client's key"


def test_headers_of_one_api_go_to_no_other() -> None:
    more = {"anthropic-beta": "interleaved-thinking-2025-05-14", "cookie": "a=b"}
    _, same = ask_once("anthropic", reply_with(reply_of("anthropic")), "anthropic", headers=more)
    _, other = ask_once("anthropic", reply_with(reply_of("openai_chat")), "openai_chat", headers=more)
    assert same.provider.headers[0]["anthropic-beta"] == "interleaved-thinking-2025-05-14"
    assert "anthropic-beta" not in other.provider.headers[0]
    assert "cookie" not in {*same.provider.headers[0], *other.provider.headers[0]}


def test_headers_of_a_reply_that_concern_a_client() -> None:
    headers = {"request-id": "req_1", "anthropic-ratelimit-requests-remaining": "9", "set-cookie": "a=b", "server": "x"}
    (_, _, same), _ = ask_once("anthropic", reply_with(reply_of("anthropic"), headers=headers), "anthropic")
    (_, _, other), _ = ask_once("openai_chat", reply_with(reply_of("anthropic"), headers=headers), "anthropic")
    assert same["request-id"] == other["x-request-id"] == "req_1"
    assert same["anthropic-ratelimit-requests-remaining"] == "9"
    assert "anthropic-ratelimit-requests-remaining" not in other
    assert "set-cookie" not in {name.lower() for name in (*same, *other)}


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_errors_come_in_the_client_s_form(client: str, upstream: str) -> None:
    error = load_corpus().cases["errors/upstream-rate-limit"].exchanges(upstream)[0].error
    assert error is not None
    (status, body, headers), _ = ask_once(
        client, reply_with(error["body"], 429, headers={"retry-after": "7"}), upstream
    )
    expected = load_corpus().cases["errors/upstream-rate-limit"].exchanges(client)[0].error
    assert expected is not None
    assert status == 429
    assert body["error"].keys() >= {"message"}
    assert body.keys() == expected["body"].keys() or client == upstream or body.keys() <= expected["body"].keys()
    assert headers["retry-after"] == "7"


@pytest.mark.parametrize("client", formats.names())
def test_a_page_of_a_proxy_becomes_an_error(client: str) -> None:
    page = reply_with(b"<html>Bad\n gateway</html>", 502, "text/html")
    for upstream in formats.names():
        (status, body, _), _ = ask_once(client, page, upstream)
        assert status >= 500
        assert body["error"]["message"] == "<html>Bad gateway</html>"


async def read_stream(gateway: RunningGateway, path: str, body: Any) -> tuple[str, bytes]:
    async with gateway.http.post(gateway.url + path, json=body) as reply:
        assert reply.status == 200
        return reply.content_type, await reply.read()


@pytest.mark.parametrize("upstream", formats.names())
def test_a_stream_without_events_is_an_array(upstream: str) -> None:
    """As google-genai's REST users and many hand-written clients ask: no ``alt=sse``."""

    async def work() -> Any:
        async with run_gateway(stream_with(stream_of(upstream)), upstream) as gateway:
            path = "/v1beta/models/mine:streamGenerateContent"
            array = await read_stream(gateway, path, client_request("gemini"))
            events = await read_stream(gateway, f"{path}?alt=sse", client_request("gemini"))
            return array, events, gateway.provider.paths

    (kind, array), (other, events), paths = run(work())
    assert (kind, other) == ("application/json", "text/event-stream")
    lines = [line.removeprefix(b"data: ") for line in events.split(b"\r\n") if line.startswith(b"data: ")]
    assert json.loads(array) == [json.loads(line) for line in lines]
    if upstream == "gemini":
        assert paths == ["/v1beta/models/mine:streamGenerateContent?alt=sse"] * 2


@pytest.mark.parametrize("version", ["v1", "v1beta", "v1alpha"])
@pytest.mark.parametrize("model", ["gemini/theirs", "gemini%2Ftheirs"])
def test_models_in_paths(version: str, model: str) -> None:
    async def work() -> Any:
        async with run_gateway(reply_with(reply_of("gemini")), "gemini") as gateway:
            status, *_ = await gateway.ask(f"/{version}/models/{model}:generateContent", client_request("gemini"))
            return status, gateway.provider.paths

    assert run(work()) == (200, ["/v1beta/models/theirs:generateContent"])


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("key", "status"), [("client's key", 200), ("another's key", 400)])
def test_only_the_owner_continues_from_a_stored_reply(key: str, status: int, streamed: bool) -> None:
    answer = stream_with(stream_of("anthropic")) if streamed else reply_with(reply_of("anthropic"))

    async def work() -> Any:
        async with run_gateway(answer, "anthropic", {}) as gateway:
            headers = {"authorization": "Bearer client's key"}
            body = client_request("openai_responses", stream=streamed)
            _, reply, _ = await gateway.ask("/v1/responses", body, headers)
            if streamed:
                last = [line for line in reply.splitlines() if line.startswith("data: ")][-1]
                reply = json.loads(last.removeprefix("data: "))["response"]
            calls = [item["call_id"] for item in reply["output"] if item["type"] == "function_call"]
            results = [{"type": "function_call_output", "call_id": call, "output": "ok"} for call in calls]
            more = {"model": "mine", "previous_response_id": reply["id"], "input": results, "tools": body["tools"]}
            return await gateway.ask("/v1/responses", more, {"authorization": f"Bearer {key}"}), gateway.provider.bodies

    (got, reply, _), bodies = run(work())
    if status == 200:
        assert got in (200, 502) if streamed else got == 200  # the second request asks for no stream
        assert len(bodies[1]["messages"]) == 3
    else:
        assert (got, len(bodies)) == (400, 1)
        assert "is not kept here" in reply["error"]["message"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_line_reports_each_exchange_and_its_losses(capsys: pytest.CaptureFixture[str], stream: bool) -> None:
    answer = stream_with(stream_of("anthropic")) if stream else reply_with(reply_of("anthropic"))
    body = client_request("openai_chat", frequency_penalty=1, stream=stream)
    ask_once("openai_chat", answer, "anthropic", body=body)
    line = capsys.readouterr().err
    start = "POST /v1/chat/completions openai_chat → anthropic (anthropic), mine → theirs: 200 in "
    assert line.startswith(start)
    assert "lost: " in line
    assert "penalty" in line
    assert line.count("\n") == 1
