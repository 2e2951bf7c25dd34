"""One conversation in every format, and the routes between them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from toolcall_reference import ReferenceTranslator, Session

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
MODELS = {
    "anthropic": "claude-sonnet-4-5-20250929",
    "gemini": "gemini-2.5-flash",
    "openai_chat": "gpt-4.1-2025-04-14",
    "openai_responses": "gpt-4.1-mini-2025-04-14",
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Where"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
}


@dataclass(frozen=True)
class Way:
    client: str
    upstream: str
    client_model: str
    upstream_model: str
    stream: bool = False


def open_way(client: str, upstream: str, **more: Any) -> Session:
    way = Way(client, upstream, **{"client_model": MODELS[client], "upstream_model": MODELS[upstream], **more})
    return ReferenceTranslator().open(way)


def ask(client: str, upstream: str, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return open_way(client, upstream, **more).request(copy.deepcopy(body))


def reply(client: str, upstream: str, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return open_way(client, upstream, **more).response(copy.deepcopy(body))


REQUESTS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "mine",
        "max_tokens": 500,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Oslo and Rome?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "toolu_a", "name": "forecast", "input": {"city": "Oslo"}},
                    {"type": "tool_use", "id": "toolu_b", "name": "forecast", "input": {"city": "Rome", "days": 2}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_a", "content": "snow"},
                    {"type": "tool_result", "tool_use_id": "toolu_b", "content": "no data", "is_error": True},
                    {"type": "text", "text": "In one word."},
                ],
            },
        ],
        "tools": [{"name": "forecast", "description": "The weather.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    },
    "openai_chat": {
        "model": "mine",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Oslo and Rome?"},
            {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [
                    {
                        "id": "call_a",
                        "type": "function",
                        "function": {"name": "forecast", "arguments": '{"city": "Oslo"}'},
                    },
                    {
                        "id": "call_b",
                        "type": "function",
                        "function": {"name": "forecast", "arguments": '{"city":"Rome","days":2}'},
                    },
                ],
            },
            {"role": "tool", "tool_call_id": "call_a", "content": "snow"},
            {"role": "tool", "tool_call_id": "call_b", "content": "Error: no data"},
            {"role": "user", "content": "In one word."},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "forecast", "description": "The weather.", "parameters": SCHEMA},
            }
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "max_completion_tokens": 500,
    },
    "openai_responses": {
        "model": "mine",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "Oslo and Rome?"},
            {"role": "assistant", "content": "Let me look."},
            {"type": "function_call", "call_id": "call_a", "name": "forecast", "arguments": '{"city":"Oslo"}'},
            {"type": "function_call", "call_id": "call_b", "name": "forecast", "arguments": '{"city":"Rome","days":2}'},
            {"type": "function_call_output", "call_id": "call_a", "output": "snow"},
            {"type": "function_call_output", "call_id": "call_b", "output": "Error: no data"},
            {"role": "user", "content": "In one word."},
        ],
        "tools": [
            {
                "type": "function",
                "name": "forecast",
                "description": "The weather.",
                "parameters": SCHEMA,
                "strict": False,
            }
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "max_output_tokens": 500,
    },
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "Oslo and Rome?"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Let me look."},
                    {"functionCall": {"name": "forecast", "args": {"city": "Oslo"}}},
                    {"functionCall": {"name": "forecast", "args": {"city": "Rome", "days": 2}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "forecast", "response": {"output": "snow"}}},
                    {"functionResponse": {"name": "forecast", "response": {"error": "no data"}}},
                    {"text": "In one word."},
                ],
            },
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "forecast", "description": "The weather.", "parametersJsonSchema": SCHEMA}
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "generationConfig": {"maxOutputTokens": 500},
    },
}

REPLIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "theirs",
        "content": [
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "toolu_a", "name": "forecast", "input": {"city": "Oslo"}},
            {"type": "tool_use", "id": "toolu_b", "name": "forecast", "input": {"city": "Rome"}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7},
    },
    "openai_chat": {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "theirs",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Looking.",
                    "refusal": None,
                    "tool_calls": [
                        {
                            "id": "call_a",
                            "type": "function",
                            "function": {"name": "forecast", "arguments": '{"city":"Oslo"}'},
                        },
                        {
                            "id": "call_b",
                            "type": "function",
                            "function": {"name": "forecast", "arguments": '{"city":"Rome"}'},
                        },
                    ],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 15,
            "completion_tokens": 7,
            "total_tokens": 22,
            "prompt_tokens_details": {"cached_tokens": 5},
        },
    },
    "openai_responses": {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "status": "completed",
        "model": "theirs",
        "output": [
            {
                "id": "msg_1",
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Looking.", "annotations": []}],
            },
            {
                "id": "fc_1",
                "type": "function_call",
                "status": "completed",
                "call_id": "call_a",
                "name": "forecast",
                "arguments": '{"city":"Oslo"}',
            },
            {
                "id": "fc_2",
                "type": "function_call",
                "status": "completed",
                "call_id": "call_b",
                "name": "forecast",
                "arguments": '{"city":"Rome"}',
            },
        ],
        "usage": {
            "input_tokens": 15,
            "input_tokens_details": {"cached_tokens": 5},
            "output_tokens": 7,
            "total_tokens": 22,
        },
    },
    "gemini": {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "Looking."},
                        {"functionCall": {"name": "forecast", "args": {"city": "Oslo"}}},
                        {"functionCall": {"name": "forecast", "args": {"city": "Rome"}}},
                    ],
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 15,
            "cachedContentTokenCount": 5,
            "candidatesTokenCount": 7,
            "totalTokenCount": 22,
        },
        "modelVersion": "theirs",
        "responseId": "abc",
    },
}
