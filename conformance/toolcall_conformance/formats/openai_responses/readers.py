"""The readers of bodies: requests, replies and error replies.

Errors: https://platform.openai.com/docs/guides/error-codes.
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import CacheMark, Finish, Node, Reading, Text
from toolcall_conformance.basics.reading.failure import read_failure
from toolcall_conformance.formats.openai_responses.conversation import ItemReader
from toolcall_conformance.formats.openai_responses.settings import read_settings
from toolcall_conformance.formats.openai_responses.tools import read_tools


def read_request(body: Any, /) -> Reading:
    """Read a request body; what is no object reads as an empty one. Never raises."""
    reading = Reading("openai_responses", "request")
    root = Node(body)
    instructions = root.child("instructions")
    if isinstance(instructions.value, str) and instructions.value.strip():
        reading.system.append(Text(instructions.value, instructions.pointer))

    reading.tools.extend(read_tools(root.child("tools"), reading.residue))

    conversation = ItemReader(reading)
    entries = root.child("input")
    if isinstance(entries.value, str):
        if entries.value.strip():
            conversation.add_item("user", Text(entries.value, entries.pointer))
    else:
        conversation.read(entries)
        reading.cache_marks.extend(
            CacheMark(_marked_element(entry), part.child("prompt_cache_breakpoint").pointer)
            for entry in entries.each()
            for part in (*entry.child("content").each(), *entry.child("output").each())
            if part.get("prompt_cache_breakpoint") is not None
        )

    read_settings(root, reading)
    root.close(reading.residue)
    return reading


def _marked_element(entry: Node) -> str:
    if entry.get("output") is not None:
        return "result"
    return "system" if entry.text("role") in ("system", "developer") else "message"


#: What the API reports about itself or repeats from the request; repeated tools are no declarations.
_IGNORED_KEYS = (
    *("id", "object", "created_at", "completed_at", "model", "error", "metadata", "billing", "instructions", "tools"),
    *("tool_choice", "parallel_tool_calls", "temperature", "top_p", "top_logprobs", "max_output_tokens"),
    *("max_tool_calls", "text", "reasoning", "truncation", "service_tier", "store", "background", "user", "prompt"),
    *("safety_identifier", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "moderation"),
    *("previous_response_id", "conversation", "frequency_penalty", "presence_penalty", "content_filters"),
    *("tool_usage", "access_programs", "context_management", "output_text", "billing_info", "image"),
)

_INCOMPLETE_REASONS = {
    "max_output_tokens": "length",
    "content_filter": "filter",
    "max_messages": "other",
    "steered": "other",
}
_STATUS_REASONS = {"failed": "error", "cancelled": "other", "queued": "other", "in_progress": "other"}


def read_response(body: Any, /) -> Reading:
    """Read a reply that is not streamed; what is no object reads as an empty one. Never raises."""
    reading = Reading("openai_responses", "response")
    root = Node(body)
    root.ignore(*_IGNORED_KEYS)
    ItemReader(reading).read(root.child("output"))
    reading.finish = _read_finish(root, reading)
    _read_usage(root.child("usage"), reading)
    root.close(reading.residue)
    return reading


def _read_finish(root: Node, reading: Reading) -> Finish | None:
    """Return the finish reason, which the format has not as such: status, incomplete_details and output decide it."""
    status = root.child("status")
    reason = root.child("incomplete_details").child("reason")
    if not isinstance(status.value, str):
        return None
    if status.value == "incomplete":
        kind = _INCOMPLETE_REASONS.get(reason.value, "other") if isinstance(reason.value, str) else "other"
        named = reason.value is not None
        raw, pointer = (reason.value, reason.pointer) if named else (status.value, status.pointer)
        return Finish(kind, raw, pointer)
    if status.value != "completed":
        return Finish(
            _STATUS_REASONS.get(status.value, "other"),
            status.value,
            status.pointer,
            is_known=status.value in _STATUS_REASONS,
        )
    if reading.calls:
        return Finish("tools", status.value, status.pointer)
    return Finish("refusal" if _has_refusal(root) else "end", status.value, status.pointer)


def _has_refusal(root: Node) -> bool:
    return any(
        part.text("type") == "refusal" for item in root.child("output").each() for part in item.child("content").each()
    )


def _read_usage(node: Node, reading: Reading) -> None:
    counts = {
        "input": node.count("input_tokens"),
        "output": node.count("output_tokens"),
        "total": node.count("total_tokens"),
        "cached": node.child("input_tokens_details").count("cached_tokens"),
        "written": node.child("input_tokens_details").count("cache_write_tokens"),
        "reasoning": node.child("output_tokens_details").count("reasoning_tokens"),
    }
    for name, count in counts.items():
        if count is not None:
            reading.usage[name] = count


def read_error(reply: Any) -> Reading:
    """Read an error reply, ``{"status", "headers", "body"}``. Never raises."""
    return read_failure("openai_responses", reply, Node(reply).child("body").child("error"))
