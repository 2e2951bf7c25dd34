"""Where a finding about something missing points: the place in the output nearest to where it should be."""

from __future__ import annotations

from bisect import bisect_left

from toolcall_conformance.basics.jsonvalue import enclosing_pointers
from toolcall_conformance.basics.reading import Call, Reading
from toolcall_conformance.judge.translation.pair import Pair, Sides


def conversation_pointer(sides: Sides) -> str:
    """Return the pointer of the list that holds the output's conversation; blank, the whole body, if there is none."""
    body = sides.output.body
    keys = sides.target["containers"].get(sides.output.direction, ())
    return next((f"/{key}" for key in keys if isinstance(body, dict) and key in body), "")


def nearest_place(pair: Pair, pointer: str) -> str:
    """Return the place in the output nearest to where the source's element at ``pointer`` should be.

    A call of the same turn, else the turn itself, else the call before it, else the list of the conversation.
    """
    number = _turn_number(pair.source, pointer)
    if number is None:
        return conversation_pointer(pair)
    nearest = pair.alignment.nearest_places
    if number not in nearest:
        nearest[number] = _nearest_to_turn(pair, number)
    return nearest[number]


def _nearest_to_turn(pair: Pair, number: int) -> str:
    turn = pair.source.turns[number]
    aligned_calls = [item.ordinal for item in turn.items if isinstance(item, Call) and item.ordinal in pair.call_pairs]
    if aligned_calls:
        return pair.output.calls[pair.call_pairs[aligned_calls[-1]]].pointer
    return _same_turn_pointer(pair, number) or _call_before_pointer(pair, number) or conversation_pointer(pair)


def _turn_number(reading: Reading, pointer: str) -> int | None:
    """Return the number of the turn that holds a place, or None."""
    turns = reading.turn_by_pointer
    return min((turns[place] for place in enclosing_pointers(pointer) if place in turns), default=None)


def _same_turn_pointer(pair: Pair, number: int) -> str:
    """Return the turn of the same side and number, if both conversations have as many of that side; else blank."""
    side = pair.source.turns[number].side
    ours, theirs = (reading.turns_by_side.get(side, ()) for reading in (pair.source, pair.output))
    if len(ours) != len(theirs):
        return ""
    return pair.output.turns[theirs[bisect_left(ours, number)]].pointer


def _call_before_pointer(pair: Pair, number: int) -> str:
    """Return the pointer of the last aligned call before a turn, or blank."""
    call_count = bisect_left(pair.source.calls, number, key=lambda call: pair.source.turn_by_pointer[call.pointer])
    predecessor = next((ordinal for ordinal in range(call_count - 1, -1, -1) if ordinal in pair.call_pairs), None)
    return "" if predecessor is None else pair.output.calls[pair.call_pairs[predecessor]].pointer
