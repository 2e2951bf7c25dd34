"""Requests: settings, tools and the conversation so far."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.formats.openai_chat.conversation import ChatMessageReader
from toolcall_conformance.formats.openai_chat.settings import read_settings
from toolcall_conformance.formats.openai_chat.tools import read_tools
from toolcall_conformance.reading import Node, Reading


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
        for part in message.child("content").each():
            if part.get("prompt_cache_breakpoint") is not None:
                reading.cache_marks.append(part.child("prompt_cache_breakpoint").pointer)
    root.close(reading.residue)
    return reading
