"""Other legal spellings of a rendered request, asked for by a scenario's ``spell``.

Providers take several spellings of the same thing, and clients send all of them; a corpus that knew only one would not
notice a translator that knows only one. Each spelling is a small function that changes a request in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .intermediate import Body

Spelling = Callable[[Body], None]


def _blocks(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def _system_blocks(body: Body) -> None:
    if isinstance(body.get("system"), str):
        body["system"] = _blocks(body["system"])


def _content_blocks(body: Body) -> None:
    for message in body["messages"]:
        if isinstance(message["content"], str):
            message["content"] = _blocks(message["content"])


def _result_blocks(body: Body) -> None:
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_result" and isinstance(block.get("content"), str) and block["content"]:
                block["content"] = _blocks(block["content"])


def _developer(body: Body) -> None:
    for message in body["messages"]:
        if message["role"] == "system":
            message["role"] = "developer"


def _content_parts(body: Body) -> None:
    for message in body["messages"]:
        if message["role"] in ("system", "developer", "user") and isinstance(message["content"], str):
            message["content"] = _blocks(message["content"])


def _content_absent(body: Body) -> None:
    for message in body["messages"]:
        if message.get("tool_calls") and not message.get("content"):
            message.pop("content", None)


def _content_empty(body: Body) -> None:
    for message in body["messages"]:
        if message.get("tool_calls") and not message.get("content"):
            message["content"] = ""


def _as_item(role: str) -> Spelling:
    def spell(body: Body) -> None:
        if "instructions" in body:
            body["input"].insert(0, {"role": role, "content": body.pop("instructions")})

    return spell


def _text_parts(body: Body) -> None:
    for item in body["input"]:
        if item.get("role") in ("system", "developer", "user") and isinstance(item["content"], str):
            item["content"] = [{"type": "input_text", "text": item["content"]}]


def _typed_messages(body: Body) -> None:
    for place, item in enumerate(body["input"]):
        if "role" in item:
            body["input"][place] = {"type": "message", **item}


def _role_of_system(body: Body) -> None:
    if "systemInstruction" in body:
        body["systemInstruction"]["role"] = "user"


SPELLINGS: dict[str, dict[str, Spelling]] = {
    "anthropic": {
        "system-blocks": _system_blocks,
        "content-blocks": _content_blocks,
        "result-blocks": _result_blocks,
    },
    "openai_chat": {
        "developer": _developer,
        "content-parts": _content_parts,
        "content-absent": _content_absent,
        "content-empty": _content_empty,
    },
    "openai_responses": {
        "developer-item": _as_item("developer"),
        "system-item": _as_item("system"),
        "text-parts": _text_parts,
        "typed-messages": _typed_messages,
    },
    "gemini": {"system-role": _role_of_system},
}


def respell(format_name: str, body: Body, names: Iterable[str]) -> Body:
    """``body`` in the spellings named, in that order. Raises ValueError for a name that the format does not have."""
    known = SPELLINGS.get(format_name, {})
    for name in names:
        if name not in known:
            raise ValueError(f"unknown spelling {name!r} of {format_name}; known: {', '.join(sorted(known)) or 'none'}")
        known[name](body)
    return body
