"""Users of the openai SDK, as its documentation shows them, for Chat Completions and for Responses.

The reply's message is appended to the messages, or its output items to the input; then an output for each call
(https://platform.openai.com/docs/guides/function-calling).
"""

from __future__ import annotations

from typing import Any

import pytest

from witnesses.calls import Unanswered
from witnesses.differences import Own
from witnesses.method_arguments import arguments_by_signature
from witnesses.wire import Wire


def _client(wire: Wire) -> Any:
    openai = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    return openai.OpenAI(api_key="key", http_client=wire.client, max_retries=0)


class ChatUser:
    """One conversation after another; ``wire`` has what was sent."""

    echoes = True
    own: tuple[Own, ...] = ()

    def __init__(self, wire: Wire) -> None:
        self._create = _client(wire).chat.completions.create

    def first_history(self, body: dict[str, Any]) -> list[Any]:
        return list(body["messages"])

    def ask(self, body: dict[str, Any], messages: list[Any], model: str) -> Any:
        del model  # it stands in the body
        return self._create(**arguments_by_signature(self._create, body | {"messages": messages}))

    def history_of_reply(self, reply: Any) -> list[Any]:
        return [reply.choices[0].message]

    def calls(self, reply: Any) -> list[Any]:
        return list(reply.choices[0].message.tool_calls or [])

    def is_the_models(self, entry: Any) -> bool:
        return bool(entry["role"] == "assistant")

    def answers(self, tail: list[Any], calls: Unanswered) -> list[Any]:
        return [_tool_message(message, calls) if message["role"] == "tool" else message for message in tail]


def _tool_message(message: dict[str, Any], calls: Unanswered) -> dict[str, Any]:
    call_id = message["tool_call_id"]
    # Some vendors give no ids: then results come in the order of the calls.
    call = calls.take(call_id, lambda call: call.id == call_id, lambda call: not call.id)
    return message | {"tool_call_id": call.id}


class ResponsesUser:
    """One conversation after another; ``wire`` has what was sent."""

    echoes = True
    own: tuple[Own, ...] = ()

    def __init__(self, wire: Wire) -> None:
        self._create = _client(wire).responses.create

    def first_history(self, body: dict[str, Any]) -> list[Any]:
        prompt = body["input"]
        return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)

    def ask(self, body: dict[str, Any], messages: list[Any], model: str) -> Any:
        del model  # it stands in the body
        # A plain string goes out as it is, until there is something to add.
        prompt = body["input"] if isinstance(body["input"], str) and len(messages) == 1 else messages
        return self._create(**arguments_by_signature(self._create, body | {"input": prompt}))

    def history_of_reply(self, reply: Any) -> list[Any]:
        return list(reply.output)

    def calls(self, reply: Any) -> list[Any]:
        items = [item for item in reply.output if not item.type.endswith("_output")]
        return [item for item in items if getattr(item, "call_id", None) is not None]

    def is_the_models(self, entry: Any) -> bool:
        if entry.get("type", "message") == "message":
            return bool(entry["role"] == "assistant")
        return not entry["type"].endswith(("_output", "_approval_response", "_trigger"))

    def answers(self, tail: list[Any], calls: Unanswered) -> list[Any]:
        return [_output(item, calls) if "call_id" in item else item for item in tail]


def _output(item: dict[str, Any], calls: Unanswered) -> dict[str, Any]:
    call = calls.take(item["call_id"], lambda call: call.call_id == item["call_id"])
    return item | {"call_id": call.call_id}
