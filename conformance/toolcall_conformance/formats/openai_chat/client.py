"""An ideal client of Chat Completions: how it continues after a reply.

The reply's message goes back unchanged, and a tool message for each call follows
(https://platform.openai.com/docs/guides/function-calling).
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.reading import reverse_among
from toolcall_conformance.formats.known_keys import ByType, drop_unknown_keys, keys
from toolcall_conformance.formats.openai_chat.conversation import INSTRUCTION_ROLES

CONTAINER = "messages"

_FUNCTION_CALL = keys("id", "type", function=keys("name", "arguments"))
# The keys that the API's types have for an assistant's message.
KNOWN_KEYS = keys(
    "role",
    "refusal",
    "name",
    content=ByType({"text": keys("type", "text"), "refusal": keys("type", "refusal")}),
    audio=keys("id"),
    tool_calls=ByType(
        {"function": _FUNCTION_CALL, "custom": keys("id", "type", custom=keys("name", "input"))},
        untyped=_FUNCTION_CALL,  # some vendors leave the type out
    ),
    function_call=keys("name", "arguments"),
)


def entries(body: dict[str, Any]) -> list[Any]:
    """Return the messages of a request as a new list."""
    messages: Any = body.get("messages")
    return list(messages) if isinstance(messages, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """Return the message of the first choice; ``echo`` keeps keys that the client does not know.

    Nulls and the empty ``annotations`` of every reply go back, too: the SDK sends what it received.
    """
    choices: Any = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message: Any = deep_copy(first.get("message"))
    if not isinstance(message, dict):
        return []
    return [message if echo else drop_unknown_keys(message, KNOWN_KEYS)]


def relink(result: dict[str, Any], call: dict[str, Any]) -> bool:
    """Make a result message answer another call, in place: one of tool_calls by id, a function_call by name.

    The role follows the call, too: a translator may return a call in the other form than the client declared it.
    """
    content = result.get("content")
    if "name" in call:  # the deprecated function_call, whose results have the role function
        if result.get("role") == "tool":
            result.clear()
            result |= {"role": "function", "content": _as_text(content)}
        result["name"] = call["name"]
    else:
        if result.get("role") == "function":
            result.clear()
            result |= {"role": "tool", "content": "" if content is None else content}
        result["tool_call_id"] = call.get("id")
    return True


def _as_text(content: Any) -> Any:
    """Return content as a string, which is all that a message of the role function may have."""
    if not isinstance(content, list):
        return content
    return "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)


def reverse_results(tail: list[Any]) -> None:
    """Reverse the tool messages, in place; ids link them to their calls."""
    reverse_among(tail, lambda message: isinstance(message, dict) and message.get("role") == "tool")


def merge_results(tail: list[Any]) -> list[Any]:
    """Return the tool messages, and after them all others."""
    return sorted(tail, key=lambda message: not (isinstance(message, dict) and message.get("role") == "tool"))


def add_instruction(body: dict[str, Any], instruction: str) -> None:
    """Insert a system message after those at the beginning, in place."""
    messages = body.get("messages")
    if isinstance(messages, list):
        roles = [message.get("role") if isinstance(message, dict) else None for message in messages]
        position = next((place for place, role in enumerate(roles) if role not in INSTRUCTION_ROLES), len(roles))
        messages.insert(position, {"role": "system", "content": instruction})


def set_tool_choice_auto(body: dict[str, Any]) -> None:
    """Set ``tool_choice`` to auto, and remove ``function_call``, in place."""
    body.pop("function_call", None)
    body["tool_choice"] = "auto"
