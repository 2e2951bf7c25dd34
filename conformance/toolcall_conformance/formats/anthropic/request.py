"""Requests (``POST /v1/messages``), read: tools, settings, system prompt, conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.formats.anthropic.pairing import Conversation
from toolcall_conformance.formats.anthropic.parts import ASIDE, read_content, text_items
from toolcall_conformance.reading import Node, Reading, Setting, Text, Tool

#: Keys whose value is the neutral setting as it stands.
PLAIN = {
    "model": "model",
    "stream": "stream",
    "max_tokens": "max_output_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop_sequences": "stop",
}

#: Documented keys that no other format has.
PRIVATE = (
    *("thinking", "service_tier", "container", "mcp_servers", "context_management", "inference_geo", "speed"),
    *("cache_control", "diagnostics", "user_profile_id", "workspace_id", "billing_policy", "compaction", "thread"),
    *("fallbacks", "fallback_credit_token", "anthropic_version", "anthropic_beta"),
)

CHOICES = {"auto": "auto", "any": "required", "tool": "required", "none": "none"}

SIDES = {"assistant": "assistant", "system": "system", "developer": "system"}


def read_request(body: Any) -> Reading:
    """The reading of a request body; never raises, whatever JSON it gets."""
    reading = Reading("anthropic", "request")
    root = Node(body)
    _read_settings(root, reading)
    _read_tools(root.child("tools"), reading)
    _read_system(root.child("system"), reading)
    _read_messages(root.child("messages"), reading)
    reading.cache_marks.extend(_cache_marks(root))
    root.close(reading.residue)
    return reading


def _cache_marks(root: Node) -> Iterator[str]:
    """Where ``cache_control`` stands: on the body, a tool, a block, or a block of a result."""
    blocks = [root, *root.child("tools").each(), *root.child("system").each()]
    for message in root.child("messages").each():
        for block in message.child("content").each():
            blocks += [block, *block.child("content").each()]
    return (block.child("cache_control").pointer for block in blocks if block.get("cache_control") is not None)


def _read_settings(root: Node, reading: Reading) -> None:
    for key, name in PLAIN.items():
        _set(reading, name, root.child(key))
    for key in PRIVATE:
        _set(reading, f"private:{key}", root.child(key))
    _read_reasoning(root.child("thinking"), root.child("output_config").child("effort"), reading)
    _read_choice(root.child("tool_choice"), reading)
    metadata = root.child("metadata")
    _set(reading, "user_id", metadata.child("user_id"))
    metadata.close(reading.residue)
    config = root.child("output_config")
    _read_format(root.child("output_format"), reading)
    _read_format(config.child("format"), reading)
    for key in ("effort", "task_budget"):
        _set(reading, f"private:output_config.{key}", config.child(key))
    config.close(reading.residue)


def _set(reading: Reading, name: str, node: Node, value: Any = None) -> None:
    """Note a setting; null counts as absent."""
    if node.value is not None:
        reading.settings[name] = Setting(name, node.value if value is None else value, node.pointer)


def _read_reasoning(thinking: Node, effort: Node, reading: Reading) -> None:
    """How much to think: a budget, an effort, or both. Thinking that is disabled is what is the default anyway."""
    wish: dict[str, Any] = {}
    if thinking.text("type") == "enabled" and isinstance(thinking.get("budget_tokens"), int):
        wish["budget"] = thinking.get("budget_tokens")
    if isinstance(effort.value, str):
        wish["effort"] = effort.value
    if wish:
        _set(reading, "reasoning", thinking if "budget" in wish else effort, wish)


def _read_choice(choice: Node, reading: Reading) -> None:
    kind, name, alone = choice.text("type"), choice.text("name"), choice.child("disable_parallel_tool_use")
    if kind in CHOICES:
        neutral: dict[str, Any] = {"mode": CHOICES[kind]}
        if kind == "tool":
            neutral["names"] = [name]
        _set(reading, "tool_choice", choice, neutral)
    if isinstance(alone.value, bool):
        reading.settings["parallel_calls"] = Setting("parallel_calls", not alone.value, alone.pointer)
    choice.close(reading.residue)


def _read_format(node: Node, reading: Reading) -> None:
    kind, schema = node.get("type"), node.get("schema")
    if kind == "json_schema":
        _set(reading, "response_format", node, {"type": "json_schema", "schema": schema})
    elif kind is not None:
        _set(reading, "response_format", node, {"type": kind})
    node.ignore("name", "strict")
    node.close(reading.residue)


def _read_tools(tools: Node, reading: Reading) -> None:
    for tool in tools.each():
        name, description, schema = tool.child("name"), tool.child("description"), tool.child("input_schema")
        is_function = tool.get("type") in (None, "custom")
        reading.tools.append(
            Tool(
                name=name.value if isinstance(name.value, str) else None,
                description=description.value if isinstance(description.value, str) else None,
                schema=schema.value,
                pointer=tool.pointer,
                kind="function" if is_function else "hosted",
                strict=tool.flag("strict"),
                name_pointer=name.pointer if "name" in tool else None,
                description_pointer=description.pointer if "description" in tool else None,
                schema_pointer=schema.pointer if "input_schema" in tool else None,
            )
        )
        if is_function:
            tool.ignore("cache_control", "defer_loading", "allowed_callers", "eager_input_streaming", "input_examples")
            tool.close(reading.residue)


def _read_system(system: Node, reading: Reading) -> None:
    reading.system.extend(_system_texts(system, reading))


def _system_texts(content: Node, reading: Reading) -> list[Text]:
    """The texts of a system prompt: a string, or text blocks."""
    found = [item for item in text_items(content) if isinstance(item, Text)]
    for block in content.each():
        found.extend(item for item in text_items(block.child("text")) if isinstance(item, Text))
        block.ignore(*ASIDE)
        if block.text("type") == "text":
            block.close(reading.residue)
    return found


def _read_messages(messages: Node, reading: Reading) -> None:
    conversation = Conversation(reading)
    for message in messages.each():
        role = message.text("role") or ""
        content = message.child("content")
        side = SIDES.get(role, "user")
        if side == "system" and not reading.turns:
            reading.system.extend(_system_texts(content, reading))
        else:
            read_content(content, side, conversation, reading.residue)
        message.ignore("clear_at", "output_config")
        message.close(reading.residue)
