"""What the official SDKs' own accumulators make of a stream: the final reply, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from witnesses.wire import Wire


def anthropic(stream: bytes) -> Any:
    """``messages.stream`` and ``get_final_message`` of the anthropic SDK; the steps of a connector are the beta's."""
    client = _replying(_anthropic, stream)
    asked = client.beta.messages if b'"mcp_tool_use"' in stream else client.messages
    messages: list[Any] = [{"role": "user", "content": "Hello"}]
    with asked.stream(model="claude", max_tokens=100, messages=messages) as events:
        return events.get_final_message().to_dict(mode="json")


def openai_chat(stream: bytes) -> Any:
    """``chat.completions.stream`` and ``get_final_completion`` of the openai SDK."""
    client = _replying(_openai, stream)
    messages: list[Any] = [{"role": "user", "content": "Hello"}]
    with client.chat.completions.stream(model="gpt", messages=messages) as events:
        return events.get_final_completion().to_dict(mode="json")


def openai_responses(stream: bytes) -> Any:
    """``responses.stream`` and ``get_final_response`` of the openai SDK.

    That gives the reply as the last event says it; texts and arguments are here as the SDK has gathered them from the
    deltas (``snapshot``), where there were any.
    """
    gathered: dict[tuple[int, int | None], str] = {}
    with _replying(_openai, stream).responses.stream(model="gpt", input="Hello") as events:
        for event in events:
            if event.type == "response.output_text.delta":
                gathered[event.output_index, event.content_index] = event.snapshot
            elif event.type == "response.function_call_arguments.delta":
                gathered[event.output_index, None] = event.snapshot
        reply = events.get_final_response().to_dict(mode="json")
    for (item, part), text in gathered.items():
        if part is None:
            reply["output"][item]["arguments"] = text
        else:
            reply["output"][item]["content"][part]["text"] = text
    return reply


def gemini(stream: bytes) -> Any:
    """``generate_content_stream`` of google-genai; the SDK leaves it to its user to put the chunks together."""
    client = _replying(_google, stream)
    chunks = list(client.models.generate_content_stream(model="gemini", contents="Hello"))
    return _joined([chunk.model_dump(mode="json", by_alias=True, exclude_none=True) for chunk in chunks])


def _replying(client: Callable[[], tuple[Wire, Any]], stream: bytes) -> Any:
    wire, made = client()
    wire.reply = stream
    return made


@cache  # a client takes long to make
def _anthropic() -> tuple[Wire, Any]:
    sdk = pytest.importorskip("anthropic", reason="the SDK is not installed (extra `dev`)")
    wire = Wire()
    return wire, sdk.Anthropic(api_key="key", http_client=wire.client, max_retries=0)


@cache
def _openai() -> tuple[Wire, Any]:
    sdk = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    wire = Wire()
    return wire, sdk.OpenAI(api_key="key", http_client=wire.client, max_retries=0)


@cache
def _google() -> tuple[Wire, Any]:
    pytest.importorskip("google.genai", reason="the SDK is not installed (extra `dev`)")
    from google import genai
    from google.genai import types

    wire = Wire()
    return wire, genai.Client(api_key="key", http_options=types.HttpOptions(httpx_client=wire.client))


def _joined(chunks: list[Any]) -> Any:
    """Parts one after the other, neighbouring texts of one kind joined; all else as the last chunk says it."""
    whole: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    parts: list[Any] = []
    under_way: dict[str, Any] | None = None
    for chunk in chunks:
        whole |= {key: value for key, value in chunk.items() if key not in ("candidates", "sdkHttpResponse")}
        for one in chunk.get("candidates", ()):
            if one.get("index"):
                continue  # another reply to the same request
            candidate |= one
            for part in one.get("content", {}).get("parts") or ():
                if part.get("functionCall", {}).get("willContinue") or under_way is not None:
                    under_way = _partial_call(part, under_way, parts)
                elif parts and _is_text(parts[-1]) and _is_text(part) and _thought(parts[-1]) == _thought(part):
                    parts[-1] = {**parts[-1], **part, "text": parts[-1]["text"] + part["text"]}
                else:
                    parts.append(part)
    kept = [part for part in parts if part != {"text": ""}]
    if "content" in candidate:
        candidate["content"] = {**candidate["content"], "parts": kept}
    return whole | {"candidates": [candidate]}


def _partial_call(part: Any, under_way: dict[str, Any] | None, parts: list[Any]) -> dict[str, Any] | None:
    """Put a piece of a call's arguments where its path says; the call, while it goes on.

    ``$.key`` is the only path that streams of ours have:
    https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
    """
    call = part["functionCall"]
    if under_way is None:
        said = {key: value for key, value in call.items() if key not in ("partialArgs", "willContinue")}
        under_way = {"args": {}, **said}
        parts.append({**part, "functionCall": under_way})
    for piece in call.get("partialArgs", ()):
        root, key = piece["jsonPath"].split(".")
        assert root == "$"
        (value,) = (piece[kind] for kind in ("stringValue", "numberValue", "boolValue") if kind in piece)
        before = under_way["args"].get(key)
        under_way["args"][key] = before + value if isinstance(before, str) else value
    return under_way if call.get("willContinue") else None


def _is_text(part: Any) -> bool:
    return bool(part.keys() <= {"text", "thought", "thoughtSignature"})


def _thought(part: Any) -> bool:
    return bool(part.get("thought"))


ACCUMULATORS: dict[str, Callable[[bytes], Any]] = {
    "anthropic": anthropic,
    "gemini": gemini,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
}
