"""One conversation for each format whose first reply has all there is: thoughts, opaque state, text, two calls, an
unknown key. The corpus spreads these over its families; here a faulty client has everything to do wrong at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolcall_conformance.library import Exchange

VENDOR_KEY = "x_vendor"
NAMES = ("list_files", "read_file")
STATE = "EqQBCkYIBxgCKkDq/9b+Zx0T3mLrZ9uWbYc5HnPaKp7Q+Vd8Qw=="
VENDOR: dict[str, Any] = {VENDOR_KEY: {"of": "nobody"}}

ANTHROPIC_REPLY = {
    "id": "msg_01Spgf7TQsgChHXWZ9ScFNdM",
    "type": "message",
    "role": "assistant",
    "model": "model",
    "content": [
        {"type": "thinking", "thinking": "First the list.", "signature": STATE},
        {"type": "redacted_thinking", "data": STATE[::-1]},
        {"type": "text", "text": "I look."},
        *(
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {"path": "/"}, **VENDOR}
            for number, name in enumerate(NAMES)
        ),
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 10},
}

CHAT_REPLY: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1773600000,
    "model": "model",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {
                "role": "assistant",
                "content": "I look.",
                "reasoning_content": "First the list.",
                "refusal": None,
                "annotations": [],
                "tool_calls": [
                    {
                        "id": f"call_{number}",
                        "type": "function",
                        "function": {"name": name, "arguments": "{}"},
                        **VENDOR,
                    }
                    for number, name in enumerate(NAMES)
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
}

RESPONSES_REPLY: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1773600000,
    "status": "completed",
    "model": "model",
    "output": [
        {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": STATE},
        {
            "id": "msg_1",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I look.", "annotations": [], "logprobs": []}],
        },
        *(
            {
                "id": f"fc_{number}",
                "type": "function_call",
                "status": "completed",
                "call_id": f"call_{number}",
                "name": name,
                "arguments": "{}",
                **VENDOR,
            }
            for number, name in enumerate(NAMES)
        ),
    ],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}

GEMINI_REPLY: dict[str, Any] = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "First the list.", "thought": True},
                    {"text": "I look."},
                    *(
                        {
                            "functionCall": {"id": f"fc{number}", "name": name, "args": {"path": "/"}},
                            "thoughtSignature": STATE,
                            **VENDOR,
                        }
                        for number, name in enumerate(NAMES)
                    ),
                ],
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
    "modelVersion": "model",
}


def _conversation(container: str, request: dict[str, Any], reply: Any, messages: list[Any], answer: list[Any]) -> Any:
    """Two exchanges: ``messages`` is what of the reply is in the second request, ``answer`` what the user adds."""
    following = request | {container: [*request[container], *messages, *answer]}
    nowhere = Path("nowhere.json")
    return tuple(Exchange(number, body, reply, nowhere, nowhere) for number, body in enumerate((request, following), 1))


ASKED = {"role": "user", "content": "List the files and read the first."}

CONVERSATIONS: dict[str, tuple[Exchange, ...]] = {
    "anthropic": _conversation(
        "messages",
        {"model": "model", "max_tokens": 100, "messages": [ASKED]},
        ANTHROPIC_REPLY,
        [{"role": "assistant", "content": ANTHROPIC_REPLY["content"]}],
        [
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"from {name}"}
                    for number, name in enumerate(NAMES)
                ],
            }
        ],
    ),
    "openai_chat": _conversation(
        "messages",
        {"model": "model", "messages": [ASKED]},
        CHAT_REPLY,
        [CHAT_REPLY["choices"][0]["message"]],
        [
            {"role": "tool", "tool_call_id": f"call_{number}", "content": f"from {name}"}
            for number, name in enumerate(NAMES)
        ],
    ),
    "openai_responses": _conversation(
        "input",
        {"model": "model", "store": False, "include": ["reasoning.encrypted_content"], "input": [ASKED]},
        RESPONSES_REPLY,
        RESPONSES_REPLY["output"],
        [
            {"type": "function_call_output", "call_id": f"call_{number}", "output": f"from {name}"}
            for number, name in enumerate(NAMES)
        ],
    ),
    "gemini": _conversation(
        "contents",
        {"contents": [{"role": "user", "parts": [{"text": ASKED["content"]}]}]},
        GEMINI_REPLY,
        [GEMINI_REPLY["candidates"][0]["content"]],
        [
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": f"fc{number}", "name": name, "response": {"output": f"from {name}"}}}
                    for number, name in enumerate(NAMES)
                ],
            }
        ],
    ),
}
