"""An ideal client of Responses: how it goes on after a reply.

The reply's output items are appended to the input as they came, then an output item for each call
(https://platform.openai.com/docs/guides/function-calling).
"""

from __future__ import annotations

import copy
from typing import Any

from toolcall_conformance.reading import reverse_among

CONTAINER = "input"

DOCUMENTED = {
    "message": ("type", "id", "role", "status", "content", "phase"),
    "function_call": ("type", "id", "call_id", "name", "arguments", "status", "namespace"),
    "custom_tool_call": ("type", "id", "call_id", "name", "input", "status", "namespace"),
    "reasoning": ("type", "id", "summary", "content", "encrypted_content", "status"),
}


def entries(body: dict[str, Any]) -> list[Any]:
    """The conversation of a request, as a list that may be changed; a plain string becomes the message it means."""
    found: Any = body.get("input")
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    return list(found) if isinstance(found, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """A reply as the entries that its client sends back; ``echo`` keeps keys that the client does not know."""
    output: Any = reply.get("output")
    return [copy.deepcopy(item if echo else _known(item)) for item in output] if isinstance(output, list) else []


def _known(item: Any) -> Any:
    if not isinstance(item, dict) or item.get("type") not in DOCUMENTED:
        return item
    return {key: item[key] for key in DOCUMENTED[item["type"]] if key in item}


def relink(result: dict[str, Any], call_id: str | None, name: str | None) -> None:
    """Make an output item answer another call, in place."""
    del name
    result["call_id"] = call_id


def swap(tail: list[Any]) -> None:
    """Give the results in the reverse order, in place; they are linked by id."""
    reverse_among(tail, lambda item: isinstance(item, dict) and str(item.get("type")).endswith("_call_output"))
