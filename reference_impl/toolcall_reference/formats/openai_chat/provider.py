"""OpenAI's own Chat Completions replies: ids, keys, and streams of chunks with noise, up to ``[DONE]``.

https://platform.openai.com/docs/api-reference/chat/streaming
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.basics.pseudorandom import letters, noise, pieces
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats import openai
from toolcall_reference.formats.format import Provider

_SHARED_KEYS = ("id", "created", "model", "service_tier", "system_fingerprint")


def render_stream(reply: Body, seed: str) -> bytes:
    """The stream of a whole Chat Completion with usage."""
    shared = {key: reply[key] for key in _SHARED_KEYS if key in reply}
    head = {"id": shared.pop("id"), "object": "chat.completion.chunk", **shared}
    written = []
    choices: list[list[Body]] = [[choice] for choice in _choice_chunks(reply, seed)]
    for number, listed in enumerate([*choices, []]):
        chunk: Body = {**head, "choices": listed, "usage": None if listed else reply["usage"]}
        chunk["obfuscation"] = noise(f"{seed}/{number}")
        written.append(f"data: {json.dumps(chunk, ensure_ascii=False, separators=(',', ':'))}\n\n")
    return "".join([*written, "data: [DONE]\n\n"]).encode()


def _choice_chunks(reply: Body, seed: str) -> Iterator[Body]:
    for choice in reply["choices"]:
        index = choice["index"]
        for delta in _message_deltas(choice["message"], f"{seed}/{index}"):
            yield {"index": index, "delta": delta, "logprobs": None, "finish_reason": None}
        yield {"index": index, "delta": {}, "logprobs": None, "finish_reason": choice["finish_reason"]}


def _message_deltas(message: Body, seed: str) -> Iterator[dict[str, Any]]:
    opening: dict[str, Any] = {"role": "assistant", "content": "" if message.get("content") is not None else None}
    deltas = list(_content_deltas(message, seed))
    if deltas and opening["content"] is None and "tool_calls" in deltas[0]:
        opening.update(deltas.pop(0))  # without text the first call is in the chunk with the role
    yield {**opening, "refusal": None}
    yield from deltas


def _content_deltas(message: Body, seed: str) -> Iterator[dict[str, Any]]:
    for key in ("content", "refusal"):
        for piece in pieces(message.get(key) or "", f"{seed}/{key}"):
            yield {key: piece}
    if message.get("annotations"):
        yield {"annotations": message["annotations"]}
    for index, call in enumerate(message.get("tool_calls") or ()):
        kind = call["type"]
        key = "input" if kind == "custom" else "arguments"
        named = {"name": call[kind]["name"], key: ""}
        yield {"tool_calls": [{"index": index, "id": call["id"], "type": kind, kind: named}]}
        for piece in pieces(call[kind][key], f"{seed}/{index}"):
            yield {"tool_calls": [{"index": index, kind: {key: piece}}]}
    if message.get("function_call"):
        called = message["function_call"]
        yield {"function_call": {"name": called["name"], "arguments": ""}}
        for piece in pieces(called["arguments"], f"{seed}/function"):
            yield {"function_call": {"arguments": piece}}


def dress_reply(body: Body, seed: str, request: Body) -> Body:
    """Add the ``chatcmpl-`` id, annotations and fingerprint; the finish reason of a forced function is ``stop``."""
    body["id"] = "chatcmpl-" + letters(29, seed)
    choice = body["choices"][0]
    choice["message"].setdefault("annotations", [])
    forced = request.get("tool_choice")
    if (
        isinstance(forced, dict)
        and forced.get("type") in ("function", "custom")
        and choice["finish_reason"] == "tool_calls"
    ):
        choice["finish_reason"] = "stop"
    tier = request.get("service_tier")
    body["service_tier"] = "default" if tier in (None, "auto") else tier
    body["system_fingerprint"] = "fp_" + digest("fingerprint", body["model"], length=10)
    return body


PROVIDER = Provider(
    default_model="gpt-4.1-2025-04-14",
    call_id=openai.call_id,
    dress_reply=dress_reply,
    dress_error=openai.dress_error,
    lent_signature=("gemini", "thoughtSignature"),
    render_stream=render_stream,
    file_vendor=openai.VENDOR,
)
