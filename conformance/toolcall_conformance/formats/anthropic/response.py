"""Replies (a ``message`` object), read: content, stop reason, usage."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Finish, Node, Reading
from toolcall_conformance.formats.anthropic.conversation import AnthropicMessageReader

REASONS = {
    "tool_use": "tools",
    "end_turn": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "stop_sequence": "stop_sequence",
    "refusal": "refusal",
    "pause_turn": "pause",
    "compaction": "pause",
}

#: Prompt tokens come in three disjoint counts; other formats give their sum.
INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def read_response(body: Any) -> Reading:
    """The reading of a unary reply; never raises, whatever JSON it gets."""
    reading = Reading("anthropic", "response")
    root = Node(body)
    AnthropicMessageReader(reading).read_content(root.child("content"), "assistant")
    reason = root.child("stop_reason")
    if reason.value is not None:
        is_known = isinstance(reason.value, str) and reason.value in REASONS
        reading.finish = Finish(
            REASONS[reason.value] if is_known else "other", reason.value, reason.pointer, known=is_known
        )
    _read_usage(root.child("usage"), reading)
    root.ignore("id", "type", "role", "model", "stop_sequence", "stop_details")
    root.ignore("container", "context_management", "diagnostics", "input_transformations", "fallback")
    root.close(reading.residue)
    return reading


def _read_usage(usage: Node, reading: Reading) -> None:
    counts = [usage.count(key) for key in INPUT]
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
