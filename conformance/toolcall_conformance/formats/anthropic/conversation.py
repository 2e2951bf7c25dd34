"""Reads messages into turns. Neighbouring messages of one role are one turn, as the API joins them."""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_conformance.basics.reading import Node, Reading, Text, Turn
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.formats.anthropic.pairing import AnthropicPairing
from toolcall_conformance.formats.anthropic.parts import IGNORED_KEYS, read_block, text_items

_SIDES = {"assistant": "assistant", "system": "system", "developer": "system"}


class AnthropicMessageReader:
    """Reads messages one by one into a reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._pairing = AnthropicPairing(reading.turns)

    def read(self, message: Node) -> None:
        """Read a request's message of any role."""
        content = message.child("content")
        side = _SIDES.get(message.text("role") or "", "user")
        if side == "system" and not self.reading.turns:
            read_system(content, self.reading)
        else:
            self.read_content(content, side)
        message.ignore("clear_at", "output_config")
        message.close(self.reading.residue)

    def read_content(self, content: Node, side: str) -> None:
        """Read a message's content (a string or blocks) into the turn of ``side``."""
        if isinstance(content.value, str):
            self._append(side, text_items(content))
            return
        self._pairing.begin_message()
        for block in content.each():
            self._append(side, read_block(block, self._pairing, self.reading.residue))

    def _append(self, side: str, items: Iterable[Item]) -> None:
        """Add items to the current turn if it is of this side, else to a new one."""
        turns = self.reading.turns
        for item in items:
            if not turns or turns[-1].side != side:
                turns.append(Turn(side, item.pointer))
            turns[-1].items.append(item)


def read_system(content: Node, reading: Reading) -> None:
    """Read a system prompt: a string, or text blocks."""
    reading.system.extend(item for item in text_items(content) if isinstance(item, Text))
    for block in content.each():
        reading.system.extend(item for item in text_items(block.child("text")) if isinstance(item, Text))
        block.ignore(*IGNORED_KEYS)
        if block.text("type") == "text":
            block.close(reading.residue)
