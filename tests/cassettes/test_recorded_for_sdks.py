"""What was recorded is replayed to the official SDKs: the network is blocked, and the calls are there."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cassettes.loopback_provider import Provider, Record, provider, replies
from toolcall_conformance import formats
from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.files import read
from toolcall_conformance.recording.cassettes.interactions import RecordedExchange, identify
from witnesses.anthropic_user import AnthropicUser
from witnesses.google_user import GoogleUser
from witnesses.method_arguments import arguments_by_signature
from witnesses.openai_users import ChatUser, ResponsesUser
from witnesses.wire import Wire

CASES = ("parallel/seed", "read_file/two-rounds")
WAYS = pytest.mark.parametrize("streamed", [False, True], ids=["unary", "stream"])
USERS: dict[str, Callable[[Any], Any]] = {
    "anthropic": AnthropicUser,
    "openai_chat": ChatUser,
    "openai_responses": ResponsesUser,
    "gemini": GoogleUser,
}


@contextmanager
def replay_client(path: Path, match: str = "body") -> Iterator[Any]:
    """An HTTP client of the SDKs that gets what the cassette has and nothing else, as vcrpy is usually set up."""
    vcr = pytest.importorskip("vcr", reason="vcrpy is not installed (extra `cassettes`)")
    httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed (extra `cassettes`)")
    recorder = vcr.VCR(serializer="json", record_mode="none", match_on=("method", "path", "query", match))
    recorder.register_matcher("said", assert_same_json)
    with pytest.MonkeyPatch.context() as patch, recorder.use_cassette(str(path)) as cassette, httpx2.Client() as client:
        patch.setattr(socket.socket, "connect", refuse_network)
        patch.setattr(socket, "getaddrinfo", refuse_network)
        yield client
        assert cassette.all_played


def refuse_network(*_: Any, **__: Any) -> None:
    raise AssertionError("the network was asked")


def assert_same_json(first: Any, other: Any) -> None:
    """Bodies that say the same in JSON; google-genai writes some keys and types in its own spelling."""
    left, right = (camel_case_keys(jsonvalue.parse(request.body)) for request in (first, other))
    assert jsonvalue.equal(left, right), (left, right)


def camel_case_keys(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        named = {re.sub("_([a-z])", lambda match: match[1].upper(), name): entry for name, entry in value.items()}
        return {
            name: camel_case_keys(entry, name)
            for name, entry in named.items()
            if (name, entry) != ("generationConfig", {})
        }
    if isinstance(value, list):
        return [camel_case_keys(entry) for entry in value]
    return value.lower() if key == "type" and isinstance(value, str) else value


def record_case(
    corpus: Corpus, name: str, case: str, streamed: bool, tmp_path: Path
) -> tuple[Path, list[RecordedExchange]]:
    path = tmp_path / "kept" / name / f"{case}{'.stream' if streamed else ''}.json"
    recordings = [identify(path, interaction, corpus) for interaction in read(path)]
    assert recordings
    assert all(isinstance(recording, RecordedExchange) for recording in recordings)
    return path, recordings  # type: ignore[return-value]


@WAYS
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", USERS)
def test_the_official_sdk_gets_the_recorded_calls(
    name: str, case: str, streamed: bool, corpus: Corpus, upstream: Provider, record: Record, tmp_path: Path
) -> None:
    upstream.answers = replies(corpus.cases[case], name, streamed=streamed)
    assert record(name, "--case", case, "--stream" if streamed else "--unary").code == 0
    path, exchanges = record_case(corpus, name, case, streamed, tmp_path)
    count = len(upstream.asked)
    calls = 0
    with replay_client(path, "said" if name == "gemini" else "body") as client:
        wire = Wire()
        wire.client = client
        user = USERS[name](wire)
        for recording in exchanges:
            reply = (
                recording.response if recording.stream is None else formats.assemble(name, parse(recording.stream)).body
            )
            expected = formats.read(name, "response", reply).calls
            body = {key: value for key, value in recording.request.items() if key not in ("stream", "stream_options")}
            sdk_calls = (STREAMED[name] if streamed else whole_calls)(user, client, body)
            assert [call_fields(call) for call in sdk_calls] == [
                (call.name, call.id if name != "gemini" else call.id or None, call.arguments) for call in expected
            ]
            calls += len(expected)
    assert calls
    assert len(upstream.asked) == count


def whole_calls(user: Any, _client: Any, body: dict[str, Any]) -> list[Any]:
    return list(user.calls(user.ask(body, user.first_history(body), "model-1")))


def call_fields(call: Any) -> tuple[Any, Any, Any]:
    """An SDK's call as name, id and arguments."""
    if isinstance(call, Call):
        return call.name, call.id, call.arguments
    function = getattr(call, "function", call)
    arguments = next(
        getattr(function, key) for key in ("arguments", "input", "args") if getattr(function, key, None) is not None
    )
    value = jsonvalue.parse(arguments) if isinstance(arguments, str) else arguments
    return function.name, getattr(call, "call_id", None) or call.id, value


def anthropic(_user: Any, client: Any, body: dict[str, Any]) -> list[Any]:
    import anthropic as sdk

    client_sdk = sdk.Anthropic(api_key="key", http_client=client, max_retries=0)
    with client_sdk.messages.stream(**arguments_by_signature(client_sdk.messages.stream, body)) as events:
        return [block for block in events.get_final_message().content if block.type == "tool_use"]


def openai_chat(_user: Any, client: Any, body: dict[str, Any]) -> list[Any]:
    import openai
    from openai.lib.streaming.chat import ChatCompletionStreamState

    client_sdk = openai.OpenAI(api_key="key", http_client=client, max_retries=0)
    request = {**body, "stream": True, "stream_options": {"include_usage": True}}
    state = ChatCompletionStreamState()
    for chunk in client_sdk.chat.completions.create(
        **arguments_by_signature(client_sdk.chat.completions.create, request)
    ):
        state.handle_chunk(chunk)
    return list(state.get_final_completion().choices[0].message.tool_calls or [])


def openai_responses(_user: Any, client: Any, body: dict[str, Any]) -> list[Any]:
    import openai

    client_sdk = openai.OpenAI(api_key="key", http_client=client, max_retries=0)
    events = list(
        client_sdk.responses.create(**arguments_by_signature(client_sdk.responses.create, {**body, "stream": True}))
    )
    (last,) = (event.response for event in events if event.type == "response.completed")
    return [item for item in last.output if item.type == "function_call"]


def gemini(user: Any, _client: Any, body: dict[str, Any]) -> list[Any]:
    types, models = user._types, user._client.models
    config = {key: value for key, value in body.items() if key not in ("contents", "generationConfig")}
    chunks = models.generate_content_stream(
        model="model-1",
        contents=user.first_history(body),
        config=types.GenerateContentConfig.model_validate(config | body.get("generationConfig", {})),
    )
    return [call for chunk in chunks for call in chunk.function_calls or []]


STREAMED: dict[str, Callable[[Any, Any, dict[str, Any]], list[Any]]] = {
    "anthropic": anthropic,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "gemini": gemini,
}


def test_a_request_that_was_not_recorded_finds_nothing(
    corpus: Corpus, upstream: Provider, record: Record, tmp_path: Path
) -> None:
    """So the test above does see what it says: a cassette is matched by the body."""
    from vcr.errors import CannotOverwriteExistingCassetteException

    upstream.answers = replies(corpus.cases["shell/realistic"], "openai_chat", streamed=False)
    assert record("openai_chat", "--case", "shell/realistic", "--unary").code == 0
    path, exchanges = record_case(corpus, "openai_chat", "shell/realistic", False, tmp_path)
    other = {**exchanges[0].request, "temperature": 0.9}

    def ask() -> None:
        wire = Wire()
        with replay_client(path) as wire.client:
            user = ChatUser(wire)
            user.ask(other, user.first_history(other), "model-1")

    with pytest.raises(CannotOverwriteExistingCassetteException, match="body"):
        ask()


def test_two_recordings_of_the_same_replies_are_the_same_file(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    files = []
    for _ in range(2):
        upstream.answers = replies(corpus.cases["shell/realistic"], "gemini", streamed=True)
        assert record("gemini", "--case", "shell/realistic", "--stream").code == 0
        (path,) = (path for path in (tmp_path / "kept").rglob("*") if path.is_file())
        files.append(path.read_bytes())
    assert files[0] == files[1]
    assert files[0].isascii()


def test_the_provider_is_needed_for_recording_alone(corpus: Corpus, record: Record, tmp_path: Path) -> None:
    """The cassette of a provider that has stopped is read by vcrpy itself."""
    with provider() as gone:
        gone.answers = replies(corpus.cases["shell/realistic"], "anthropic", streamed=False)
        assert record("anthropic", "--case", "shell/realistic", "--unary", url=gone.url).code == 0
    path, exchanges = record_case(corpus, "anthropic", "shell/realistic", False, tmp_path)
    with replay_client(path) as client:
        for recording in exchanges:
            answer = client.post(f"{gone.url}/v1/messages", json=recording.request)
            assert jsonvalue.equal(answer.json(), recording.response)


def test_the_plugin_replays_what_was_recorded(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path, pytester: pytest.Pytester
) -> None:
    for name in ("openai_chat", "gemini"):
        case = corpus.cases["shell/realistic"]
        upstream.answers = [*replies(case, name, streamed=False), *replies(case, name, streamed=True)]
        assert record(name, "--case", "shell/realistic").code == 0
    result = pytester.runpytest_subprocess("--toolcall-cassettes", str(tmp_path / "kept"), "toolcall::recorded")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*8 recorded exchanges in 4 cassettes*"])
