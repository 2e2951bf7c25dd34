"""The deprecated ``functions`` of Chat: requests of clients that still declare them, for the renderer alone.

https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

from typing import Any

from toolcall_reference.conversation.intermediate import Body


def to_deprecated_request(body: Body) -> Body:
    """A request with its tools, calls and results as deprecated functions. Raises ValueError for parallel calls."""
    output = {_DEPRECATED_KEYS.get(key, key): value for key, value in body.items()}
    if "functions" in output:
        output["functions"] = [tool["function"] for tool in output["functions"]]
    choice = output.get("function_call")
    if isinstance(choice, dict):
        output["function_call"] = choice["function"]
    output["messages"] = to_function_calls(body["messages"])
    return output


_DEPRECATED_KEYS = {"tools": "functions", "tool_choice": "function_call"}


def to_function_calls(messages: list[Body]) -> list[Body]:
    """Messages with ``function_call`` in place of ``tool_calls``, and results under the names of their functions."""
    names: dict[str, str] = {}
    return [_to_deprecated_message(message, names) for message in messages]


def _to_deprecated_message(message: Body, names: dict[str, str]) -> Body:
    if message["role"] == "tool":
        return {"role": "function", "name": names[message["tool_call_id"]], "content": message["content"]}
    calls: list[Any] = message.get("tool_calls", [])
    if not calls:
        return message
    if len(calls) > 1:
        raise ValueError("the deprecated functions know one call at a time")
    names[calls[0]["id"]] = calls[0]["function"]["name"]
    rest = {key: value for key, value in message.items() if key != "tool_calls"}
    return {**rest, "function_call": calls[0]["function"]}
