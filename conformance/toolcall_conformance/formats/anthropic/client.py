"""An ideal client of Anthropic Messages: how it goes on after a reply.

The reply's content goes back as the assistant's turn, results follow in one user message
(https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls).
"""

from __future__ import annotations

import copy
from typing import Any

from toolcall_conformance.reading import reverse_among

CONTAINER = "messages"

# What the documentation says a client may send back in an assistant's turn, by type of block.
DOCUMENTED = {
    "text": ("type", "text", "citations", "cache_control"),
    "tool_use": ("type", "id", "name", "input", "cache_control", "caller"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
}


def entries(body: dict[str, Any]) -> list[Any]:
    """The conversation of a request, as a list that may be changed."""
    found: Any = body.get("messages")
    return list(found) if isinstance(found, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """A reply as the entries that its client sends back; ``echo`` keeps keys that the client does not know."""
    blocks: Any = reply.get("content")
    content = [block if echo else _known(block) for block in blocks] if isinstance(blocks, list) else blocks
    return [{"role": "assistant", "content": copy.deepcopy(content)}]


def _known(block: Any) -> Any:
    if not isinstance(block, dict) or block.get("type") not in DOCUMENTED:
        return block
    return {key: block[key] for key in DOCUMENTED[block["type"]] if key in block}


def relink(result: dict[str, Any], call_id: str | None, name: str | None) -> None:
    """Make a result block answer another call, in place."""
    del name
    result["tool_use_id"] = call_id


def swap(tail: list[Any]) -> None:
    """Give the results of each message in the reverse order, in place; they are linked by id."""
    for message in tail:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            reverse_among(content, lambda block: isinstance(block, dict) and block.get("type") == "tool_result")
