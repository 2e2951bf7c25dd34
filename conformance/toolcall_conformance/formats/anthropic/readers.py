"""The readers of bodies: requests (``POST /v1/messages``), replies (a ``message`` object) and error replies.

Errors: https://platform.claude.com/docs/en/api/errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.reading import CacheMark, Finish, Node, Reading
from toolcall_conformance.basics.reading.failure import read_failure
from toolcall_conformance.formats.anthropic.conversation import AnthropicMessageReader, read_system
from toolcall_conformance.formats.anthropic.settings import read_settings
from toolcall_conformance.formats.anthropic.tools import read_choice, read_tools

_MARKABLE_LISTS = {"tool": "tools", "system": "system"}


def read_request(body: Any) -> Reading:
    """Read a request body. Never raises, whatever JSON it gets."""
    reading = Reading("anthropic", "request")
    root = Node(body)
    read_settings(root, reading)
    read_choice(root.child("tool_choice"), reading)
    read_tools(root.child("tools"), reading)
    read_system(root.child("system"), reading)
    conversation = AnthropicMessageReader(reading)
    for message in root.child("messages").each():
        conversation.read(message)
    reading.cache_marks.extend(_cache_marks(root))
    root.close(reading.residue)
    return reading


def _cache_marks(root: Node) -> Iterator[CacheMark]:
    """Yield the cache marks of the body, of tools, blocks, and blocks of results."""
    blocks = [("body", root)]
    blocks += [(kind, entry) for kind in ("tool", "system") for entry in root.child(_MARKABLE_LISTS[kind]).each()]
    for message in root.child("messages").each():
        for block in message.child("content").each():
            on = "result" if block.text("type") == "tool_result" else "message"
            blocks += [(on, block), *((on, inner) for inner in block.child("content").each())]
    for on, block in blocks:
        if block.get("cache_control") is not None:
            yield CacheMark(on, block.child("cache_control").pointer)


_NEUTRAL_REASONS = {
    "tool_use": "tools",
    "end_turn": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "stop_sequence": "stop_sequence",
    "refusal": "refusal",
    "pause_turn": "pause",
    "compaction": "pause",
}

#: The three disjoint counts of prompt tokens; other formats have their sum.
_INPUT_TOKEN_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def read_response(body: Any) -> Reading:
    """Read a reply that is not streamed. Never raises, whatever JSON it gets."""
    reading = Reading("anthropic", "response")
    root = Node(body)
    AnthropicMessageReader(reading).read_content(root.child("content"), "assistant")
    reason = root.child("stop_reason")
    if reason.value is not None:
        is_known = isinstance(reason.value, str) and reason.value in _NEUTRAL_REASONS
        reading.finish = Finish(
            _NEUTRAL_REASONS[reason.value] if is_known else "other", reason.value, reason.pointer, is_known=is_known
        )
    _read_usage(root.child("usage"), reading)
    root.ignore("id", "type", "role", "model", "stop_sequence", "stop_details")
    root.ignore("container", "context_management", "diagnostics", "input_transformations", "fallback")
    root.close(reading.residue)
    return reading


def _read_usage(usage: Node, reading: Reading) -> None:
    counts = [usage.count(key) for key in _INPUT_TOKEN_KEYS]
    if counts[0] is not None:
        reading.usage["input"] = sum(count for count in counts if count is not None)
    for name, count in (
        ("output", usage.count("output_tokens")),
        ("cached", usage.count("cache_read_input_tokens")),
        ("written", usage.count("cache_creation_input_tokens")),
        ("reasoning", usage.child("output_tokens_details").count("thinking_tokens")),
    ):
        if count is not None:
            reading.usage[name] = count
    usage.ignore("cache_creation", "service_tier", "inference_geo", "server_tool_use", "iterations", "speed")
    usage.close(reading.residue)


def read_error(reply: Any) -> Reading:
    """Read an error reply, ``{"status", "headers", "body"}``. Never raises."""
    return read_failure("anthropic", reply, Node(reply).child("body").child("error"))
