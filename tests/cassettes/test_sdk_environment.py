"""What ``transport.json`` says of the SDKs' environment variables is what the official SDKs do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from toolcall_conformance.library import Corpus
from witnesses.wire import Wire


def anthropic(wire: Wire) -> Any:
    sdk = pytest.importorskip("anthropic", reason="the SDK is not installed (extra `dev`)")
    client = sdk.Anthropic(http_client=wire.client, max_retries=0)
    return client.messages.create(model="m", max_tokens=5, messages=[{"role": "user", "content": "Hello"}])


def openai_chat(wire: Wire) -> Any:
    sdk = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    client = sdk.OpenAI(http_client=wire.client, max_retries=0)
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hello"}])


def openai_responses(wire: Wire) -> Any:
    sdk = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    return sdk.OpenAI(http_client=wire.client, max_retries=0).responses.create(model="m", input="Hello")


def gemini(wire: Wire) -> Any:
    pytest.importorskip("google.genai", reason="the SDK is not installed (extra `dev`)")
    from google import genai
    from google.genai import types

    options = types.HttpOptions(httpx_client=wire.client, api_version="v1beta")
    client = genai.Client(http_options=options)
    return client.models.generate_content(model="m", contents="Hello")


ASK: dict[str, Callable[[Wire], Any]] = {
    "anthropic": anthropic,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "gemini": gemini,
}


@pytest.fixture(autouse=True)
def _clean(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    for transport in corpus.transports.values():
        sdk = transport["sdk"]
        names = [sdk["base_url_variable"], *sdk.get("headers", {}).values(), *(key["variable"] for key in sdk["keys"])]
        for name in names:
            monkeypatch.delenv(name, raising=False)


def sdk_request(name: str, corpus: Corpus) -> Any:
    """The request that the SDK sends, given the corpus's first reply of the format."""
    wire = Wire()
    wire.reply = corpus.cases["shell/realistic"].exchanges(name)[0].response
    ASK[name](wire)
    return wire.request


@pytest.mark.parametrize("name", ASK)
def test_the_address_is_the_sdk_s_own(name: str, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = corpus.transports[name]
    sdk = transport["sdk"]
    monkeypatch.setenv(sdk["keys"][0]["variable"], "a-key")
    host = "https://" + urlsplit(sdk["base_url"]).netloc
    assert str(sdk_request(name, corpus).url) == host + transport["path"].replace("{model}", "m")
    monkeypatch.setenv(sdk["base_url_variable"], "https://gateway.example/here")
    below = transport["path"].removeprefix(urlsplit(sdk["base_url"]).path)
    assert str(sdk_request(name, corpus).url) == "https://gateway.example/here" + below.replace("{model}", "m")


@pytest.mark.parametrize("name", ASK)
def test_the_first_key_that_is_set_is_sent(name: str, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = corpus.transports[name]
    for number, key in reversed(list(enumerate(transport["sdk"]["keys"]))):
        monkeypatch.setenv(key["variable"], f"a-key-{number}")
        # Which of the API's headers takes it is the SDK's own affair: newer ones of Anthropic send a bearer token.
        names = {h for h, text in (transport["headers"] | key.get("headers", {})).items() if "{key}" in text}
        names |= {*transport.get("key_headers", ())}
        sent = {value for h, value in sdk_request(name, corpus).headers.items() if h in names}
        assert sent in ({f"a-key-{number}"}, {f"Bearer a-key-{number}"})


@pytest.mark.parametrize("name", ASK)
def test_further_headers_come_from_the_environment(name: str, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    sdk = corpus.transports[name]["sdk"]
    monkeypatch.setenv(sdk["keys"][0]["variable"], "a-key")
    further = sdk.get("headers", {})
    for variable in further.values():
        monkeypatch.setenv(variable, variable.lower())
    sent = sdk_request(name, corpus).headers
    assert {header: sent[header] for header in further} == {h: v.lower() for h, v in further.items()}
