"""Contents, as turns. What calls and results have to do with each other is not known yet: see ``pairing``."""

from __future__ import annotations

from toolcall_conformance.basics.reading import Node, Reading, Text, Turn
from toolcall_conformance.formats.gemini.parts import Counts, read_part
from toolcall_conformance.formats.gemini.proto_json import entries

#: Legal are user and model only; the others are what translators leave behind, read for what they mean.
_SIDES = {"model": "assistant", "assistant": "assistant", "system": "system", "developer": "system"}


def read_system(node: Node, reading: Reading, counts: Counts) -> None:
    """The system instruction, also as the bare string that SDKs take."""
    if isinstance(node.value, str):
        if node.value.strip():
            reading.system.append(Text(node.value, node.pointer))
    elif node.is_object:
        for part in entries(node.child("parts")):
            reading.system.extend(item for item in read_part(part, counts) if isinstance(item, Text))
        node.ignore("role")
        node.close(counts.residue)


def read_content(node: Node, reading: Reading, counts: Counts, side: str | None = None) -> None:
    """One content, added to the turn that is under way if it is of the same side. ``side`` overrules the role."""
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
