"""What a compatible vendor's own API sends in forms of its own: calls, text and the reason of the end arrive."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import assemble, client_view, frame_events

HEAD: dict[str, Any] = {"id": "b1", "created": 1769088854, "model": "mistral-small-latest"}
CALLS = [
    {"id": f"k4Wn8Qz2{number}", "function": {"name": "tide_times", "arguments": json.dumps({"port": port})}}
    for number, port in enumerate(("Brest", "Cork"))
]
ASKED = [("tide_times", {"port": "Brest"}), ("tide_times", {"port": "Cork"})]
USAGE = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}
OTHERS = [name for name in FORMATS if name != "openai_chat"]
LENGTH = {"anthropic": "max_tokens", "gemini": "MAX_TOKENS", "openai_responses": "incomplete"}


def thinking_block(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}


def unary(client: str, message: dict[str, Any], finish: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    body = {**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}
    return client_view(client, open_way(client, "openai_chat").response(body))


def vendor_stream(client: str, *deltas: dict[str, Any], finish: str) -> dict[str, Any]:
    """Without ``object``, as some servers send their chunks."""
    ends = [*((delta, None) for delta in ({"role": "assistant", "content": ""}, *deltas[:-1])), (deltas[-1], finish)]
    chunks: list[Any] = [
        {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in ends
    ]
    data = frame_events("openai_chat", [*chunks[:-1], chunks[-1] | {"usage": USAGE}, "[DONE]"])
    return client_view(client, assemble(client, b"".join(open_way(client, "openai_chat", stream=True).stream([data]))))


def text(reply: dict[str, Any]) -> str:
    return reply["text"] if isinstance(reply["text"], str) else "".join(reply["text"])


@pytest.mark.parametrize("client", OTHERS)
def test_parts_of_thinking_next_to_untyped_calls(client: str) -> None:
    parts = [thinking_block("The tide turns."), {"type": "text", "text": "I look."}]
    whole = unary(client, {"content": parts, "tool_calls": CALLS}, "tool_calls")
    events = vendor_stream(
        client,
        {"content": [thinking_block("The tide ")]},
        {"content": [thinking_block("turns.")]},
        {"content": "I "},
        {"content": [{"type": "text", "text": "look."}]},
        {"content": "", "tool_calls": CALLS},
        finish="tool_calls",
    )
    for reply in (whole, events):
        assert [call[1:] for call in reply["calls"]] == ASKED
        assert text(reply) == "I look."


@pytest.mark.parametrize("client", OTHERS)
def test_the_length_of_the_model_was_reached(client: str) -> None:
    for reply in (
        unary(client, {"content": "High water"}, "model_length"),
        vendor_stream(client, {"content": "High water"}, {"content": ""}, finish="model_length"),
    ):
        assert LENGTH[client] in reply["finish"]
        assert text(reply) == "High water"
