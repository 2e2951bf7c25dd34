"""Reading a request body."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import CacheMark, Node, Reading, Text
from toolcall_conformance.formats.openai_responses.conversation import ItemReader
from toolcall_conformance.formats.openai_responses.settings import read_settings
from toolcall_conformance.formats.openai_responses.tools import read_tools


def read_request(body: Any, /) -> Reading:
    """The reading of a request body; whatever is no object reads as an empty one."""
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
            conversation.say("user", Text(entries.value, entries.pointer))
    else:
        conversation.read(entries)
        reading.cache_marks.extend(
            CacheMark(_marked_side(entry), part.child("prompt_cache_breakpoint").pointer)
            for entry in entries.each()
            for part in (*entry.child("content").each(), *entry.child("output").each())
            if part.get("prompt_cache_breakpoint") is not None
        )

    read_settings(root, reading)
    root.close(reading.residue)
    return reading


def _marked_side(entry: Node) -> str:
    if entry.get("output") is not None:
        return "result"
    return "system" if entry.text("role") in ("system", "developer") else "message"
