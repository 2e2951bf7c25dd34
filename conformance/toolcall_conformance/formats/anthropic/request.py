"""Requests (``POST /v1/messages``), read: tools, settings, system prompt, conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.reading import CacheMark, Node, Reading
from toolcall_conformance.formats.anthropic.conversation import AnthropicMessageReader, read_system
from toolcall_conformance.formats.anthropic.settings import read_settings
from toolcall_conformance.formats.anthropic.tools import read_choice, read_tools

_LISTS = {"tool": "tools", "system": "system"}


def read_request(body: Any) -> Reading:
    """The reading of a request body; never raises, whatever JSON it gets."""
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
    """Where ``cache_control`` stands: on the body, a tool, a block, or a block of a result."""
    blocks = [("body", root)]
    blocks += [(kind, entry) for kind in ("tool", "system") for entry in root.child(_LISTS[kind]).each()]
    for message in root.child("messages").each():
        for block in message.child("content").each():
            on = "result" if block.text("type") == "tool_result" else "message"
            blocks += [(on, block), *((on, inner) for inner in block.child("content").each())]
    for on, block in blocks:
        if block.get("cache_control") is not None:
            yield CacheMark(on, block.child("cache_control").pointer)
