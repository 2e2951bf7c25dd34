"""A user of the anthropic SDK, as its documentation shows one.

The reply's content goes back as the assistant's turn, each tool's result in a block with the id of its call
(https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls).
"""

from __future__ import annotations

from typing import Any

import pytest

from witnesses.calls import Unanswered
from witnesses.differences import Own
from witnesses.method_arguments import arguments_by_signature
from witnesses.wire import Wire

# The corpus's bodies are of this version (corpus/formats/anthropic/transport.json); the SDK by itself asks for the
# newest of its day, which takes fewer parameters (https://platform.claude.com/docs/en/api/versioning).
API_VERSION = "2023-06-01"


class AnthropicUser:
    """One conversation after another; ``wire`` has what was sent."""

    echoes = True
    own: tuple[Own, ...] = ()

    def __init__(self, wire: Wire) -> None:
        anthropic = pytest.importorskip("anthropic", reason="the SDK is not installed (extra `dev`)")
        client = anthropic.Anthropic(
            api_key="key", http_client=wire.client, max_retries=0, default_headers={"anthropic-version": API_VERSION}
        )
        self._create = client.messages.create

    def first_history(self, body: dict[str, Any]) -> list[Any]:
        return list(body["messages"])

    def ask(self, body: dict[str, Any], messages: list[Any], model: str) -> Any:
        del model  # it stands in the body
        return self._create(**arguments_by_signature(self._create, body | {"messages": messages}))

    def history_of_reply(self, reply: Any) -> list[Any]:
        return [{"role": "assistant", "content": reply.content}]

    def calls(self, reply: Any) -> list[Any]:
        return [block for block in reply.content if block.type == "tool_use"]

    def is_the_models(self, entry: Any) -> bool:
        return bool(entry["role"] == "assistant")

    def answers(self, tail: list[Any], calls: Unanswered) -> list[Any]:
        return [
            {"role": message["role"], "content": message["content"]}
            if isinstance(message["content"], str)
            else message | {"content": [_answer(block, calls) for block in message["content"]]}
            for message in tail
        ]


def _answer(block: dict[str, Any], calls: Unanswered) -> dict[str, Any]:
    if block["type"] != "tool_result":
        return block
    call = calls.take(block["tool_use_id"], lambda call: call.id == block["tool_use_id"])
    return block | {"tool_use_id": call.id}
