"""Reads contents into turns. Results are paired with their calls afterwards: see ``pairing``."""

from __future__ import annotations

from toolcall_conformance.basics.reading import Node, Reading, Text, Turn
from toolcall_conformance.formats.gemini.parts import Counts, read_part
from toolcall_conformance.formats.gemini.proto_json import entries

#: The API knows user and model only; the other roles are leftovers of translators, read as what they mean.
_SIDES = {"model": "assistant", "assistant": "assistant", "system": "system", "developer": "system"}


def read_system(node: Node, reading: Reading, counts: Counts) -> None:
    """Read the system instruction: a content, or the bare string that SDKs accept."""
    if isinstance(node.value, str):
        if node.value.strip():
            reading.system.append(Text(node.value, node.pointer))
    elif node.is_object:
        for part in entries(node.child("parts")):
            reading.system.extend(item for item in read_part(part, counts) if isinstance(item, Text))
        node.ignore("role")
        node.close(counts.residue)


def read_content(node: Node, reading: Reading, counts: Counts, side: str | None = None) -> None:
    """Read a content into the current turn if its side is the same, else a new one; ``side`` overrides the role."""
    role = node.get("role")
    if side is None:
        side = _SIDES.get(role, "user") if isinstance(role, str) else "user"
    if side == "system" and not reading.turns:
        read_system(node, reading, counts)
        return
    under_way = bool(reading.turns) and reading.turns[-1].side == side
    turn = reading.turns[-1] if under_way else Turn(side, node.pointer)
    parts = list(entries(node.child("parts")))
    if any("functionCall" in part for part in parts):
        counts.batch += 1
    if any("functionResponse" in part for part in parts):
        counts.group += 1
    for part in parts:
        turn.items.extend(read_part(part, counts))
    if turn.items and not under_way:
        reading.turns.append(turn)
    node.close(counts.residue)
