"""The readers of bodies: requests, replies and error replies.

Errors: https://platform.openai.com/docs/guides/error-codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.reading import CacheMark, Finish, Node, Reading
from toolcall_conformance.basics.reading.failure import read_failure
from toolcall_conformance.formats.openai_chat.conversation import ChatMessageReader
from toolcall_conformance.formats.openai_chat.settings import read_settings
from toolcall_conformance.formats.openai_chat.tools import read_tools


def read_request(body: Any) -> Reading:
    """Read a request body. Never raises.

    https://platform.openai.com/docs/api-reference/chat/create
    """
    reading = Reading("openai_chat", "request")
    root = Node(body)
    read_settings(root, reading)
    read_tools(root, reading)
    conversation = ChatMessageReader(reading)
    for message in root.child("messages").each():
        conversation.read(message)
        reading.cache_marks.extend(_cache_marks(message))
    for tool in root.child("tools").each():
        reading.cache_marks.extend(_node_marks("tool", tool))
    root.close(reading.residue)
    return reading


def _cache_marks(message: Node) -> Iterator[CacheMark]:
    """Yield the cache marks of a message and its parts: the API's own, and Anthropic's, which gateways accept."""
    on = {"system": "system", "developer": "system", "tool": "result"}.get(message.text("role") or "", "message")
    yield from _node_marks(on, message)
    for part in message.child("content").each():
        yield from _node_marks(on, part)


def _node_marks(on: str, node: Node) -> Iterator[CacheMark]:
    for key in ("prompt_cache_breakpoint", "cache_control"):
        if node.get(key) is not None:
            yield CacheMark(on, f"{node.pointer}/{key}")


_NEUTRAL_REASONS = {
    "stop": "end",
    "length": "length",
    "model_length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
    "content_filter": "filter",
    "error": "error",
}


def read_response(body: Any) -> Reading:
    """Read a reply that is not streamed. Never raises.

    Of several choices (``n`` above 1) only the first is read: no other format has more than one.
    https://platform.openai.com/docs/api-reference/chat/object
    """
    reading = Reading("openai_chat", "response")
    root = Node(body)
    root.ignore("id", "object", "created", "model", "system_fingerprint", "service_tier", "metadata", "moderation")
    root.ignore("prompt_filter_results")
    first = next(root.child("choices").each(), None)
    if first is not None:
        _read_choice(first, reading)
    _read_usage(root.child("usage"), reading)
    root.close(reading.residue)
    return reading


def _read_choice(choice: Node, reading: Reading) -> None:
    choice.ignore("index", "logprobs", "content_filter_results")
    message = choice.child("message")
    if message.is_object:
        ChatMessageReader(reading).read_assistant(message)
        message.close(reading.residue)
    if "finish_reason" in choice:
        finish_reason = choice.child("finish_reason")
        refused = bool((message.text("refusal") or "").strip())
        is_known = isinstance(finish_reason.value, str) and finish_reason.value in _NEUTRAL_REASONS
        reason = _neutral_reason(finish_reason.value, bool(reading.calls), refused)
        reading.finish = Finish(reason, finish_reason.value, finish_reason.pointer, is_known=is_known)
    choice.close(reading.residue)


def _neutral_reason(raw: Any, has_calls: bool, refused: bool) -> str:
    """Return the neutral finish reason. ``stop`` occurs with calls, too: always if a function was forced.

    Some vendors always send a blank reason.
    """
    reason = _NEUTRAL_REASONS.get(raw or "stop", "other") if isinstance(raw, str) else "other"
    if reason == "end" and has_calls:
        return "tools"
    if reason == "end" and refused:
        return "refusal"
    return reason


def _read_usage(usage: Node, reading: Reading) -> None:
    if not usage.is_object:
        return
    prompt_details, cost = usage.child("prompt_tokens_details"), usage.child("completion_tokens_details")
    counts = {
        "input": usage.count("prompt_tokens"),
        "output": usage.count("completion_tokens"),
        "total": usage.count("total_tokens"),
        "cached": prompt_details.count("cached_tokens"),
        "written": prompt_details.count("cache_write_tokens"),
        "reasoning": cost.count("reasoning_tokens"),
    }
    for name, count in counts.items():
        if count is not None:
            reading.usage[name] = count


def read_error(reply: Any) -> Reading:
    """Read an error reply, ``{"status", "headers", "body"}``. Never raises."""
    return read_failure("openai_chat", reply, Node(reply).child("body").child("error"))
