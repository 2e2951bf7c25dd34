"""The official SDKs as clients of the gateway, over HTTP: an agent's whole loop before every provider, and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gateway.gateway_runs import Answer, answer_in_turn, reply_with, serve_gateway, stream_with
from gateway.sdk_agents import AGENTS
from toolcall_conformance import formats as judged
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Text
from toolcall_conformance.library import load_corpus
from toolcall_reference import Policy, ReferenceTranslator
from toolcall_reference import formats as reference
from turns import share
from witnesses.conversation import QUIET

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]
ROUTES = [(client, upstream) for client in AGENTS for upstream in AGENTS]
AGENTS_IN_ORDER = [*AGENTS]
MODELS = {"models": {"*": "theirs"}}
pytestmark = [*QUIET, pytest.mark.usefixtures("certificates_read_once")]


def scripted_answers(upstream: str, *, stream: bool) -> Iterator[Answer]:
    """The provider's replies of the case, one for each exchange."""
    for exchange in CASE.exchanges(upstream):
        if stream:
            assert exchange.stream_path is not None
            blank = b"\r\n\r\n" if upstream == "gemini" else b"\n\n"
            yield stream_with(*(event + blank for event in exchange.stream_path.read_bytes().split(blank) if event))
        else:
            yield reply_with(exchange.response)


def ways_today(client: str, upstream: str, turn: int) -> list[bool]:
    """Whether a route streams: of a day, in one of two tests; in the other it does not."""
    return share((False, True), 2, AGENTS_IN_ORDER.index(client) + AGENTS_IN_ORDER.index(upstream) + turn)


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_an_agent_s_loop(client: str, upstream: str) -> None:
    for stream in ways_today(client, upstream, 0):
        play_loop(client, upstream, stream=stream)


def play_loop(client: str, upstream: str, *, stream: bool) -> None:
    ran: list[tuple[str, Any]] = []

    def run(name: str, arguments: Any) -> str:
        ran.append((name, json.loads(arguments) if isinstance(arguments, str) else dict(arguments)))
        return f"the result of {name}"

    first = CASE.exchanges(client)[0].request
    with serve_gateway(answer_in_turn(*scripted_answers(upstream, stream=stream)), upstream, MODELS) as gateway:
        answer = AGENTS[client](gateway.url, first, run, stream=stream)
        sent = gateway.provider.bodies
    expected = judged.read(upstream, "request", CASE.exchanges(upstream)[1].request)
    assert ran == [(call.name, call.arguments) for call in expected.calls]
    reply = judged.read(upstream, "response", CASE.exchanges(upstream)[1].response)
    spoken = "".join(item.text for turn in reply.turns for item in turn.items if isinstance(item, Text))
    assert "".join(answer.split()) == "".join(spoken.split())
    # What the provider was asked in the end: its own calls with their ids, and to each its result.
    request = judged.read(upstream, "request", sent[1])
    assert [(call.id, call.name) for call in request.calls] == [(call.id, call.name) for call in expected.calls]
    assert [result.id for result in request.results] == [call.id for call in expected.calls]
    for call, result in zip(request.calls, request.results, strict=True):
        assert f"the result of {call.name}" in str(list(result.parts))
    assert len(sent) == 2


POLICY = Policy(
    filter=frozenset({"apply_patch", "update_plan"}),
    guidance={"apply_patch": "There is no apply_patch."},
    rename={"cat": "read_file", "search_files": "find_files"},
    parameters={"cat": {"path": "absolute_path"}},
)


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_an_agent_s_loop_under_a_policy(client: str, upstream: str) -> None:
    """Each side knows its own names: the provider those of the policy, the SDK's user those that it declared."""
    for stream in ways_today(client, upstream, 1):
        play_policy(client, upstream, stream=stream)


def play_policy(client: str, upstream: str, *, stream: bool) -> None:
    case = CORPUS.cases["policy/renamed"]
    ran: list[tuple[str, Any]] = []

    def run(name: str, arguments: Any) -> str:
        ran.append((name, json.loads(arguments) if isinstance(arguments, str) else dict(arguments)))
        return f"the result of {name}"

    def provided(body: Any) -> Any:
        text = json.dumps(body)
        for old, new in (("cat", "read_file"), ("search_files", "find_files")):
            text = text.replace(f'"name": "{old}"', f'"name": "{new}"')
        return json.loads(text)

    replies = [provided(exchange.response) for exchange in case.exchanges(upstream)]
    for reply in replies:
        for call in judged.read(upstream, "response", reply).calls:
            if call.name == "read_file" and call.arguments_pointer is not None:
                holder, _, key = call.arguments_pointer.rpartition("/")
                place = resolve(reply, holder)
                place[key] = json.loads(json.dumps(place[key]).replace("path", "absolute_path"))
    if stream:
        blank = b"\r\n\r\n" if upstream == "gemini" else b"\n\n"
        streams = [reference.get(upstream).provider.render_stream(reply, "seed") for reply in replies]
        answers = [stream_with(*(event + blank for event in stream.split(blank) if event)) for stream in streams]
    else:
        answers = [reply_with(reply) for reply in replies]
    with serve_gateway(answer_in_turn(*answers), upstream, MODELS, translator=ReferenceTranslator(POLICY)) as gateway:
        AGENTS[client](gateway.url, case.exchanges(client)[0].request, run, stream=stream)
        sent = gateway.provider.bodies
    expected = judged.read(client, "request", case.exchanges(client)[2].request)
    assert ran == [(call.name, call.arguments) for call in expected.calls]
    for body in sent:
        request = judged.read(upstream, "request", body)
        assert {tool.name for tool in request.tools} == {"read_file", "find_files"}
        assert {call.name for call in request.calls} <= {"read_file", "find_files"}
    assert [list(call.arguments) for call in judged.read(upstream, "request", sent[-1]).calls][-1] == [
        "numbered",
        "absolute_path",
    ]


def sdk_exception(client: str, url: str, *, stream: bool) -> Any:
    """What the SDK's user sees of a failure; no tool may be run before it."""
    with pytest.raises(Exception) as raised:
        AGENTS[client](url, CASE.exchanges(client)[0].request, _never_run, stream=stream)
    return raised.value


def _never_run(name: str, arguments: Any) -> str:
    pytest.fail(f"{name} was run with {arguments}")


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_a_rate_limit_is_the_sdk_s_own_exception(client: str, upstream: str) -> None:
    error = CORPUS.cases["errors/upstream-rate-limit"].exchanges(upstream)[0].error
    assert error is not None
    with serve_gateway(reply_with(error["body"], 429, headers={"retry-after": "7"}), upstream, MODELS) as gateway:
        raised = sdk_exception(client, gateway.url, stream=True)
    assert type(raised).__name__ == ("ClientError" if client == "gemini" else "RateLimitError")
    assert getattr(raised, "code" if client == "gemini" else "status_code") == 429
    if client != "gemini":
        assert raised.response.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("client", "upstream"),
    [
        ("anthropic", "gemini"),
        ("gemini", "openai_chat"),
        ("openai_chat", "openai_responses"),
        ("openai_responses", "anthropic"),
    ],
)
def test_a_stream_that_is_cut_is_no_whole_reply(client: str, upstream: str) -> None:
    path = CASE.exchanges(upstream)[0].stream_path
    assert path is not None
    stream = path.read_bytes()
    with serve_gateway(stream_with(stream[: len(stream) // 2], cut=True), upstream, MODELS) as gateway:
        raised = sdk_exception(client, gateway.url, stream=True)
    assert "ended before its reply was complete" in str(raised)
