"""Where in the output something should stand that is not there: the place nearest to it."""

from __future__ import annotations

from toolcall_conformance.reading import Call, Reading, Turn
from toolcall_conformance.translation.pair import Pair, Sides


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
    turn = pair.source.turns[number]
    beside = [item.ordinal for item in turn.items if isinstance(item, Call) and item.ordinal in pair.calls]
    if beside:
        return pair.output.calls[pair.calls[beside[-1]]].pointer
    return _same_turn(pair, number) or _before(pair, number) or container(pair)


def _turn_of(reading: Reading, pointer: str) -> int | None:
    found = (
        number for number, turn in enumerate(reading.turns) if any(_at(item.pointer, pointer) for item in turn.items)
    )
    return next(found, None)


def _at(place: str, pointer: str) -> bool:
    return f"{pointer}/".startswith(f"{place}/")


def _same_turn(pair: Pair, number: int) -> str:
    """The turn of the same side and number, where both conversations have as many of that side."""
    side = pair.source.turns[number].side
    ours, theirs = (_of_side(reading, side) for reading in (pair.source, pair.output))
    if len(ours) != len(theirs):
        return ""
    return next(turn.pointer for own, turn in zip(ours, theirs, strict=True) if own is pair.source.turns[number])


def _of_side(reading: Reading, side: str) -> list[Turn]:
    return [turn for turn in reading.turns if turn.side == side]


def _before(pair: Pair, number: int) -> str:
    """The last call before a turn."""
    made = (item.ordinal for turn in pair.source.turns[:number] for item in turn.items if isinstance(item, Call))
    known = [pair.calls[ordinal] for ordinal in made if ordinal in pair.calls]
    return pair.output.calls[known[-1]].pointer if known else ""
