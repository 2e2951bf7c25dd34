"""Where in the output something should stand that is not there: the place nearest to it."""

from __future__ import annotations

from bisect import bisect_left

from toolcall_conformance.basics.jsonvalue import enclosing_pointers
from toolcall_conformance.basics.reading import Call, Reading
from toolcall_conformance.judge.translation.pair import Pair, Sides


def container(sides: Sides) -> str:
    """The list that the conversation of the output stands in; the whole body where it has none."""
    body = sides.output.body
    keys = sides.target["containers"].get(sides.output.direction, ())
    return next((f"/{key}" for key in keys if isinstance(body, dict) and key in body), "")


def near(pair: Pair, pointer: str) -> str:
    """The place in the output that is nearest to where something of the source, at ``pointer``, should stand.

    A call of the same turn, else the turn itself, else the call before it, else the list of the conversation.
    """
    number = _turn_of(pair.source, pointer)
    if number is None:
        return container(pair)
    nearest = pair.alignment.nearest
    if number not in nearest:
        nearest[number] = _near_turn(pair, number)
    return nearest[number]


def _near_turn(pair: Pair, number: int) -> str:
    turn = pair.source.turns[number]
    beside = [item.ordinal for item in turn.items if isinstance(item, Call) and item.ordinal in pair.calls]
    if beside:
        return pair.output.calls[pair.calls[beside[-1]]].pointer
    return _same_turn(pair, number) or _before(pair, number) or container(pair)


def _turn_of(reading: Reading, pointer: str) -> int | None:
    turns = reading.turn_by_pointer
    return min((turns[place] for place in enclosing_pointers(pointer) if place in turns), default=None)


def _same_turn(pair: Pair, number: int) -> str:
    """The turn of the same side and number, where both conversations have as many of that side."""
    side = pair.source.turns[number].side
    ours, theirs = (reading.turns_by_side.get(side, ()) for reading in (pair.source, pair.output))
    if len(ours) != len(theirs):
        return ""
    return pair.output.turns[theirs[bisect_left(ours, number)]].pointer


def _before(pair: Pair, number: int) -> str:
    """The last call before a turn."""
    call_count = bisect_left(pair.source.calls, number, key=lambda call: pair.source.turn_by_pointer[call.pointer])
    predecessor = next((ordinal for ordinal in range(call_count - 1, -1, -1) if ordinal in pair.calls), None)
    return "" if predecessor is None else pair.output.calls[pair.calls[predecessor]].pointer
