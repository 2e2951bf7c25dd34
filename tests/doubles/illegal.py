"""Bodies that are illegal themselves, in one place, which causes no fault at another place of their translation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

ODD_ARGUMENTS: Final = "illegal/arguments-that-are-no-json"
"""The arguments of the second of two calls break off."""
ODD_NAME: Final = "illegal/tool-name-with-a-blank"
"""The name of the first of two tools has a blank."""

_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "The path."}},
    "required": ["path"],
}
_ARGUMENTS: Final = ('{"path": "setup.cfg"}', '{"path": "README')


def _request(first: str, arguments: tuple[str, str]) -> dict[str, Any]:
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": "read_file", "arguments": text}}
        for number, text in enumerate(arguments, 1)
    ]
    tools = [(first, "Search the files."), ("read_file", "Read a file.")]
    return {
        "model": "gpt-4.1-2025-04-14",
        "max_completion_tokens": 512,
        "messages": [
            {"role": "user", "content": "Read both files."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "call_1", "content": "[metadata]"},
            {"role": "tool", "tool_call_id": "call_2", "content": "no such file"},
        ],
        "tools": [
            {"type": "function", "function": {"name": name, "description": words, "parameters": _SCHEMA}}
            for name, words in tools
        ],
    }


def _reply(arguments: tuple[str, str]) -> dict[str, Any]:
    message = _request("search_files", arguments)["messages"][1]
    choice = {"index": 0, "message": message | {"refusal": None}, "logprobs": None, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}
    head = {"id": "chatcmpl-9", "object": "chat.completion", "created": 1760000000, "model": "gpt-4.1-2025-04-14"}
    return {**head, "choices": [choice], "usage": usage}


def _body_with_broken_arguments(check: str, name: str) -> dict[str, Any] | None:
    if name != "openai_chat" or check == "error":
        return None
    return _request("search_files", _ARGUMENTS) if check == "request" else _reply(_ARGUMENTS)


def _body_with_broken_name(check: str, name: str) -> dict[str, Any] | None:
    legal = (_ARGUMENTS[0], _ARGUMENTS[0])
    return _request("search files", legal) if name == "openai_chat" and check == "request" else None


ILLEGAL: Final[dict[str, Callable[[str, str], dict[str, Any] | None]]] = {
    ODD_ARGUMENTS: _body_with_broken_arguments,
    ODD_NAME: _body_with_broken_name,
}
"""By name, the body of a check in a format; None where it has none."""
