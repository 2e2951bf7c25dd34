"""What a provider of each format answers: a text or calls, whole or as a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

USAGE = (40, 12)
"""Tokens of the request and of the reply, as the provider counts them."""


@dataclass(frozen=True)
class Wish:
    """A call that the model wants."""

    id: str
    name: str
    arguments: dict[str, Any]

    @property
    def text(self) -> str:
        """The arguments as JSON."""
        return json.dumps(self.arguments)


@dataclass(frozen=True)
class Answer:
    """A text, and the calls after it."""

    id: str
    text: str = ""
    wishes: tuple[Wish, ...] = ()


def _event(value: dict[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()


def _anthropic(answer: Answer, model: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {"type": "tool_use", "id": each.id, "name": each.name, "input": each.arguments} for each in answer.wishes
    ]
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if answer.wishes else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": USAGE[0], "output_tokens": USAGE[1]},
    }


def _anthropic_stream(answer: Answer, model: str) -> Iterator[bytes]:
    """https://platform.claude.com/docs/en/build-with-claude/streaming"""
    whole = _anthropic(answer, model)
    message = {**whole, "content": [], "stop_reason": None, "usage": {"input_tokens": USAGE[0], "output_tokens": 1}}
    yield _event({"type": "message_start", "message": message}, "message_start")
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            first, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            first, delta = (
                {**block, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        for kind, more in (
            ("content_block_start", {"content_block": first}),
            ("content_block_delta", {"delta": delta}),
            ("content_block_stop", {}),
        ):
            yield _event({"type": kind, "index": index, **more}, kind)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event({"type": "message_delta", "delta": ending, "usage": {"output_tokens": USAGE[1]}}, "message_delta")
    yield _event({"type": "message_stop"}, "message_stop")


_CHAT_USAGE = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}


def _chat_calls(answer: Answer) -> list[dict[str, Any]]:
    return [
        {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.text}}
        for each in answer.wishes
    ]


def _chat(answer: Answer, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.wishes:
        message["tool_calls"] = _chat_calls(answer)
    finish = "tool_calls" if answer.wishes else "stop"
    return {
        "id": f"chatcmpl-{answer.id}",
        "object": "chat.completion",
        "created": 1790000000,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": _CHAT_USAGE,
    }


def _chat_stream(answer: Answer, model: str) -> Iterator[bytes]:
    """https://platform.openai.com/docs/api-reference/chat-streaming"""
    base = {"id": f"chatcmpl-{answer.id}", "object": "chat.completion.chunk", "created": 1790000000, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event({**base, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": "" if answer.text else None})
    if answer.text:
        yield chunk({"content": answer.text})
    for index, call in enumerate(_chat_calls(answer)):
        function = call["function"]
        yield chunk({"tool_calls": [{"index": index, **call, "function": {**function, "arguments": ""}}]})
        yield chunk({"tool_calls": [{"index": index, "function": {"arguments": function["arguments"]}}]})
    yield chunk({}, "tool_calls" if answer.wishes else "stop")
    yield _event({**base, "choices": [], "usage": _CHAT_USAGE})
    yield b"data: [DONE]\n\n"


def _items(answer: Answer) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        items.append(
            {"type": "message", "id": f"msg_{answer.id}", "role": "assistant", "status": "completed", "content": [part]}
        )
    for each in answer.wishes:
        ids = {"id": f"fc_{each.id}", "call_id": each.id}
        items.append({"type": "function_call", **ids, "name": each.name, "arguments": each.text, "status": "completed"})
    return items


def _responses(answer: Answer, model: str) -> dict[str, Any]:
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": 1760000000,  # replies of 2026 repeat more of their request
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": _items(answer),
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": USAGE[0],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": USAGE[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sum(USAGE),
        },
    }


def _responses_stream(answer: Answer, model: str) -> Iterator[bytes]:
    """https://platform.openai.com/docs/api-reference/responses-streaming"""
    whole = _responses(answer, model)
    response = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response},
        {"type": "response.in_progress", "response": response},
    ]
    for index, item in enumerate(whole["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        is_message = item["type"] == "message"
        first = {**item, "status": "in_progress", **({"content": []} if is_message else {"arguments": ""})}
        events.append({"type": "response.output_item.added", "output_index": index, "item": first})
        if is_message:
            (part,) = item["content"]
            inside = {**at, "content_index": 0}
            events += [
                {"type": "response.content_part.added", **inside, "part": {**part, "text": ""}},
                {"type": "response.output_text.delta", **inside, "delta": part["text"], "logprobs": []},
                {"type": "response.output_text.done", **inside, "text": part["text"], "logprobs": []},
                {"type": "response.content_part.done", **inside, "part": part},
            ]
        else:
            kind = "response.function_call_arguments"
            events += [
                {"type": f"{kind}.delta", **at, "delta": item["arguments"]},
                {"type": f"{kind}.done", **at, "name": item["name"], "arguments": item["arguments"]},
            ]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": whole})
    for number, event in enumerate(events):
        yield _event({**event, "sequence_number": number}, event["type"])


def _parts(answer: Answer) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": answer.text}] if answer.text else []
    calls = [{"functionCall": {"id": each.id, "name": each.name, "args": each.arguments}} for each in answer.wishes]
    return parts + calls


def _gemini_chunk(answer: Answer, model: str, parts: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if last:
        candidate["finishReason"] = "STOP"
    counts = {"promptTokenCount": USAGE[0], "candidatesTokenCount": USAGE[1], "totalTokenCount": sum(USAGE)}
    return {"candidates": [candidate], "usageMetadata": counts, "modelVersion": model, "responseId": answer.id}


def _gemini(answer: Answer, model: str) -> dict[str, Any]:
    return _gemini_chunk(answer, model, _parts(answer), last=True)


def _gemini_stream(answer: Answer, model: str) -> Iterator[bytes]:
    """https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent"""
    parts = _parts(answer)
    for number, part in enumerate(parts, 1):
        yield _event(_gemini_chunk(answer, model, [part], last=number == len(parts)))


WHOLE: dict[str, Callable[[Answer, str], dict[str, Any]]] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai_chat": _chat,
    "openai_responses": _responses,
}
STREAMED: dict[str, Callable[[Answer, str], Iterator[bytes]]] = {
    "anthropic": _anthropic_stream,
    "gemini": _gemini_stream,
    "openai_chat": _chat_stream,
    "openai_responses": _responses_stream,
}
