"""The official SDKs' types accept what the reference writes."""

from __future__ import annotations

from typing import Any

import pytest

from reference.reference_bodies import FORMATS, REPLIES, REQUESTS, ask, reply

CROSSING = [(client, upstream) for client in FORMATS for upstream in FORMATS if client != upstream]


def check_request(name: str, body: dict[str, Any]) -> None:
    if name == "anthropic":
        params: Any = pytest.importorskip("anthropic").types.message_create_params.MessageCreateParamsNonStreaming
    elif name == "openai_chat":
        params = pytest.importorskip("openai").types.chat.completion_create_params.CompletionCreateParamsNonStreaming
    elif name == "openai_responses":
        params = pytest.importorskip("openai").types.responses.response_create_params.ResponseCreateParamsNonStreaming
    else:
        types = pytest.importorskip("google.genai").types
        for content in body["contents"]:
            types.Content.model_validate(content)
        for tool in body.get("tools", []):
            types.Tool.model_validate(tool)
        types.ToolConfig.model_validate(body.get("toolConfig", {}))
        types.GenerationConfig.model_validate(body.get("generationConfig", {}))
        return
    pytest.importorskip("pydantic").TypeAdapter(params).validate_python(body)


def check_reply(name: str, body: dict[str, Any]) -> None:
    if name == "anthropic":
        pytest.importorskip("anthropic").types.Message.model_validate(body)
    elif name == "openai_chat":
        pytest.importorskip("openai").types.chat.ChatCompletion.model_validate(body)
    elif name == "openai_responses":
        # Newer SDKs demand a detail that recorded replies do not have.
        details = {"cache_write_tokens": 0, **body["usage"]["input_tokens_details"]}
        body = {**body, "usage": {**body["usage"], "input_tokens_details": details}}
        pytest.importorskip("openai").types.responses.Response.model_validate(body)
    else:
        pytest.importorskip("google.genai").types.GenerateContentResponse.model_validate(body)


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_requests(client: str, upstream: str) -> None:
    check_request(upstream, ask(client, upstream, REQUESTS[client]))


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_replies(client: str, upstream: str) -> None:
    check_reply(client, reply(client, upstream, REPLIES[upstream]))
