"""An ideal client of Responses: how it continues after a reply.

The reply's output items are appended to the input as they came, then an output item for each call
(https://platform.openai.com/docs/guides/function-calling).
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.formats.known_keys import ByType, keys, known
from toolcall_conformance.jsonvalue import copied
from toolcall_conformance.reading import reverse_among

CONTAINER = "input"

_CALL = keys("type", "id", "call_id", "name", "namespace", "async", caller=keys("type", "caller_id"))
# What the API's types say a client may send back of a reply's output.
KNOWN = ByType(
    {
        "message": keys(
            "type",
            "id",
            "role",
            "status",
            "phase",
            content=ByType(
                {"output_text": keys("type", "text", "annotations", "logprobs"), "refusal": keys("type", "refusal")}
            ),
        ),
        "function_call": _CALL | keys("arguments", "status"),
        "custom_tool_call": _CALL | keys("input"),
        "reasoning": keys(
            "type", "id", "encrypted_content", "status", summary=keys("type", "text"), content=keys("type", "text")
        ),
    }
)


def entries(body: dict[str, Any]) -> list[Any]:
    """The conversation of a request, as a list that may be changed; a plain string becomes the message it means."""
    found: Any = body.get("input")
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    return list(found) if isinstance(found, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """A reply as the entries that its client sends back; ``echo`` keeps keys that the client does not know."""
    output: Any = copied(reply.get("output"))
    if not isinstance(output, list):
        return []
    return output if echo else [known(item, KNOWN) for item in output]


def relink(result: dict[str, Any], call: dict[str, Any]) -> None:
    """Make an output item answer another call, in place."""
    result["call_id"] = call.get("call_id")


def swap(tail: list[Any]) -> None:
    """Give the results in the reverse order, in place; they are linked by id."""
    reverse_among(tail, lambda item: isinstance(item, dict) and str(item.get("type")).endswith("_call_output"))
