"""An ideal client of Chat Completions: how it goes on after a reply.

The reply's message goes back as it came, a tool message for each call follows
(https://platform.openai.com/docs/guides/function-calling).
"""

from __future__ import annotations

import copy
from typing import Any

from toolcall_conformance.reading import reverse_among

CONTAINER = "messages"

DOCUMENTED = ("role", "content", "refusal", "name", "audio", "tool_calls", "function_call")
DOCUMENTED_CALL = ("id", "type", "function", "custom")


def entries(body: dict[str, Any]) -> list[Any]:
    """The conversation of a request, as a list that may be changed."""
    found: Any = body.get("messages")
    return list(found) if isinstance(found, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """A reply as the entries that its client sends back; ``echo`` keeps keys that the client does not know.

    ``annotations`` and nulls come with every reply; SDKs leave them out when a message is sent back.
    """
    choices: Any = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message: Any = copy.deepcopy(first.get("message"))
    if not isinstance(message, dict):
        return []
    kept = {
        key: value
        for key, value in message.items()
        if (value is not None or key == "content") and key != "annotations" and (echo or key in DOCUMENTED)
    }
    if not echo and isinstance(kept.get("tool_calls"), list):
        kept["tool_calls"] = [_known(call) for call in kept["tool_calls"]]
    return [kept]


def _known(call: Any) -> Any:
    return {key: call[key] for key in DOCUMENTED_CALL if key in call} if isinstance(call, dict) else call


def relink(result: dict[str, Any], call_id: str | None, name: str | None) -> None:
    """Make a tool message answer another call, in place."""
    del name
    result["tool_call_id"] = call_id


def swap(tail: list[Any]) -> None:
    """Give the results in the reverse order, in place; they are linked by id."""
    reverse_among(tail, lambda message: isinstance(message, dict) and message.get("role") == "tool")
