"""An ideal client of Anthropic Messages: how it continues after a reply.

The reply's content goes back as the assistant's turn, results follow in one user message
(https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls).
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.formats.known_keys import ByType, keys, known
from toolcall_conformance.jsonvalue import copied
from toolcall_conformance.reading import reverse_among

CONTAINER = "messages"

# What the API's types say a client may send back in an assistant's turn.
KNOWN = ByType(
    {
        "text": keys("type", "text", "citations", "cache_control"),
        "tool_use": keys(
            "type", "id", "name", "input", "cache_control", "toolset_name", caller=keys("type", "tool_id")
        ),
        "thinking": keys("type", "thinking", "signature"),
        "redacted_thinking": keys("type", "data"),
    }
)


def entries(body: dict[str, Any]) -> list[Any]:
    """The conversation of a request, as a list that may be changed."""
    found: Any = body.get("messages")
    return list(found) if isinstance(found, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """A reply as the entries that its client sends back; ``echo`` keeps keys that the client does not know."""
    content: Any = copied(reply.get("content"))
    return [{"role": "assistant", "content": content if echo else known(content, KNOWN)}]


def relink(result: dict[str, Any], call: dict[str, Any]) -> None:
    """Make a result block answer another call, in place."""
    result["tool_use_id"] = call.get("id")


def swap(tail: list[Any]) -> None:
    """Give the results of each message in the reverse order, in place; they are linked by id."""
    for message in tail:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            reverse_among(content, lambda block: isinstance(block, dict) and block.get("type") == "tool_result")
