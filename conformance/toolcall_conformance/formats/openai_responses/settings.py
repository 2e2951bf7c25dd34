"""Reads the settings of a request under their neutral names."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Node, Reading, Setting, Stored
from toolcall_conformance.formats.openai_responses.tools import read_choice

#: Keys whose value is the neutral value, with the neutral name.
_PLAIN_SETTINGS = {
    "model": "model",
    "stream": "stream",
    "max_output_tokens": "max_output_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "parallel_tool_calls": "parallel_calls",
    "metadata": "metadata",
    "service_tier": "service_tier",
    "store": "store",
    "prompt_cache_key": "cache_key",
}

#: Settings that only this API has.
_PRIVATE_SETTINGS = (
    *("previous_response_id", "conversation", "background", "background_options", "include", "reasoning"),
    *("truncation", "context_management", "max_tool_calls", "top_logprobs", "stream_options", "prompt"),
    *("prompt_cache_options", "prompt_cache_retention", "moderation", "image"),
    *("access_programs", "client_metadata"),
)


def read_settings(root: Node, reading: Reading) -> None:
    """Read every key but ``instructions``, ``tools`` and ``input``."""

    def add_setting(name: str, node: Node, value: Any) -> None:
        # Null means absent.
        if value is not None:
            reading.settings[name] = Setting(name, value, node.pointer)

    for key, name in _PLAIN_SETTINGS.items():
        node = root.child(key)
        add_setting(name, node, node.value)

    choice = root.child("tool_choice")
    neutral = read_choice(choice)
    if neutral is None:
        add_setting("private:tool_choice", choice, choice.value)
    add_setting("tool_choice", choice, neutral)

    effort = root.child("reasoning").child("effort")
    add_setting("reasoning", effort, None if effort.value is None else {"effort": effort.value})
    summary = root.child("reasoning").child("summary")
    if isinstance(summary.value, str):
        reading.thoughts = Setting("thoughts", True, summary.pointer)

    text = root.child("text")
    add_setting("response_format", text.child("format"), _response_format(text.child("format")))
    add_setting("verbosity", text.child("verbosity"), text.get("verbosity"))
    text.close(reading.residue)

    # ``user`` is the old name of ``safety_identifier``; a body may have both.
    identity = root.child("user")
    safety = root.child("safety_identifier")
    add_setting("user_id", safety, safety.value)
    add_setting("user_id", identity, identity.value)
    if identity.value is not None:
        add_setting("private:safety_identifier", safety, safety.value)

    for key, kind in (("previous_response_id", "reply"), ("conversation", "conversation")):
        node = root.child(key)
        name = node.get("id") if node.is_object else node.value
        if isinstance(name, str) and name:
            reading.stored.append(Stored(kind, name, node.pointer))

    for key in _PRIVATE_SETTINGS:
        node = root.child(key)
        add_setting(f"private:{key}", node, node.value)


def _response_format(node: Node) -> dict[str, Any] | None:
    kind = node.text("type")
    if kind != "json_schema":
        return None if kind is None else {"type": kind}
    inner = node.child("json_schema")
    holder = inner if inner.is_object else node
    strict = holder.get("strict") is True  # absent means false to the API
    return {"type": kind, "schema": holder.get("schema"), "name": holder.get("name"), "strict": strict}
