"""Turns with nothing in them that stand where calls should: what is left of a call whose kind of item nobody read."""

from __future__ import annotations

from collections.abc import Mapping

from toolcall_conformance.basics.reading import Reading, Text
from toolcall_conformance.judge.translation.pair import Pair


def remains_of_calls(pair: Pair) -> Mapping[str, str]:
    """The empty turn of the output that is left of each lost call, both by their pointers.

    Only where the source has no empty turn and the output as many as calls are lost: then they are the same, in order.
    """
    lost = [pair.source.calls[left].pointer for left in pair.alignment.lost]
    left_empty = _empty_turns(pair.output)
    if len(lost) != len(left_empty) or _empty_turns(pair.source):
        return {}
    return dict(zip(lost, left_empty, strict=True))


def _empty_turns(reading: Reading) -> list[str]:
    return [
        turn.pointer
        for turn in reading.turns
        if all(isinstance(item, Text) and not item.text.strip() for item in turn.items)
    ]
