"""Reads the settings of a request under their neutral names."""

from __future__ import annotations

from typing import Any, Final

from toolcall_conformance.basics.reading import Node, Reading, Setting, Stored

#: Keys whose value is the neutral value, with the neutral name.
PLAIN_SETTINGS = {
    "model": "model",
    "stream": "stream",
    "max_tokens": "max_output_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop_sequences": "stop",
}

#: Documented keys that no other format has.
PRIVATE_SETTINGS = (
    *("thinking", "service_tier", "container", "mcp_servers", "context_management", "inference_geo", "speed"),
    *("cache_control", "diagnostics", "user_profile_id", "workspace_id", "billing_policy", "compaction", "thread"),
    *("fallbacks", "fallback_credit_token", "anthropic_version", "anthropic_beta"),
)


def read_settings(root: Node, reading: Reading) -> None:
    """Read every key but ``messages``, ``system``, ``tools`` and ``tool_choice``."""
    for key, name in PLAIN_SETTINGS.items():
        _add_setting(reading, name, root.child(key))
    for key in PRIVATE_SETTINGS:
        _add_setting(reading, f"private:{key}", root.child(key))
    _read_thread(root.child("thread"), reading)
    _read_reasoning(root.child("thinking"), root.child("output_config").child("effort"), reading)
    metadata = root.child("metadata")
    _add_setting(reading, "user_id", metadata.child("user_id"))
    metadata.close(reading.residue)
    config = root.child("output_config")
    _read_format(root.child("output_format"), reading)
    _read_format(config.child("format"), reading)
    for key in ("effort", "task_budget"):
        _add_setting(reading, f"private:output_config.{key}", config.child(key))
    config.close(reading.residue)


def _add_setting(reading: Reading, name: str, node: Node, value: Any = None) -> None:
    """Add a setting; null and an empty list (``stop_sequences: []``) count as absent."""
    if node.value is not None and node.value != []:
        reading.settings[name] = Setting(name, node.value if value is None else value, node.pointer)


def _read_thread(thread: Node, reading: Reading) -> None:
    """Add the earlier reply that a request continues from: its conversation is not in the request."""
    reply_id = thread.text("previous_message_id")
    if thread.text("type") == "continue" and reply_id:
        reading.stored.append(Stored("thread", reply_id, thread.child("previous_message_id").pointer))


_DISPLAYS: Final = {"summarized": True, "omitted": False}
"""Whether a reply shows thoughts, by ``display``; if that is absent, the model decides."""


def _read_reasoning(thinking: Node, effort: Node, reading: Reading) -> None:
    """Add the reasoning setting: a budget, an effort, or both. Disabled thinking is the default: it adds nothing."""
    wish: dict[str, Any] = {}
    if thinking.text("type") == "enabled" and isinstance(thinking.get("budget_tokens"), int):
        wish["budget"] = thinking.get("budget_tokens")
    if isinstance(effort.value, str):
        wish["effort"] = effort.value
    if wish:
        _add_setting(reading, "reasoning", thinking if "budget" in wish else effort, wish)
    if thinking.text("type") in ("enabled", "adaptive"):
        reading.thinks = Setting("thinks", thinking.text("type"), thinking.child("type").pointer)
    display = thinking.child("display")
    if isinstance(display.value, str) and display.value in _DISPLAYS:
        reading.thoughts = Setting("thoughts", _DISPLAYS[display.value], display.pointer)


def _read_format(node: Node, reading: Reading) -> None:
    kind, schema = node.get("type"), node.get("schema")
    if kind == "json_schema":
        _add_setting(reading, "response_format", node, {"type": "json_schema", "schema": schema})
    elif kind is not None:
        _add_setting(reading, "response_format", node, {"type": kind})
    node.ignore("name", "strict")
    node.close(reading.residue)
