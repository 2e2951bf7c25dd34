"""Requests: settings, tools and the conversation so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.reading import CacheMark, Node, Reading
from toolcall_conformance.formats.openai_chat.conversation import ChatMessageReader
from toolcall_conformance.formats.openai_chat.settings import read_settings
from toolcall_conformance.formats.openai_chat.tools import read_tools


def read_request(body: Any) -> Reading:
    """The reading of a request body; never raises.

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
        reading.cache_marks.extend(_marked("tool", tool))
    root.close(reading.residue)
    return reading


def _cache_marks(message: Node) -> Iterator[CacheMark]:
    """The marks of a message and its parts: the API's own, and the one that gateways take over from Anthropic."""
    on = {"system": "system", "developer": "system", "tool": "result"}.get(message.text("role") or "", "message")
    yield from _marked(on, message)
    for part in message.child("content").each():
        yield from _marked(on, part)


def _marked(on: str, node: Node) -> Iterator[CacheMark]:
    for key in ("prompt_cache_breakpoint", "cache_control"):
        if node.get(key) is not None:
            yield CacheMark(on, f"{node.pointer}/{key}")
