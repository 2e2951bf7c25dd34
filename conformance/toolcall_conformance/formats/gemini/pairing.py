"""Which functionResponse answers which functionCall.

With ids Gemini pairs by id; without them a response belongs to the call of the same name in the model turn before it,
in order, and what no name decides goes by position. Ids need to be unique within one model turn only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from toolcall_conformance.reading import Call, Result, Turn


def pair(turns: list[Turn]) -> None:
    """Set ``call`` of every result in ``turns``, in place."""
    earlier: list[Call] = []
    batch: list[Call] = []
    for turn in turns:
        calls = [item for item in turn.items if isinstance(item, Call)]
        if turn.side == "assistant" or calls:
            batch = calls
            earlier.extend(calls)
        results = [item for item in turn.items if isinstance(item, Result)]
        if results:
            answered = _answers(results, batch, earlier)
            turn.items = [
                replace(item, call=answered.get(item.pointer)) if isinstance(item, Result) else item
                for item in turn.items
            ]


def _answers(results: list[Result], batch: list[Call], earlier: list[Call]) -> dict[str, int]:
    """The ordinal of the answered call by the pointer of the result."""
    found: dict[str, int] = {}
    for result in results:
        if result.id is not None:
            call = _by_id(result.id, batch, found) or _by_id(result.id, earlier[::-1], found)
            if call is not None:
                found[result.pointer] = call.ordinal
    # A result with an id can only mean a call that has none, if no call has that id.
    open_to_ids = [call for call in batch if call.id is None]
    for result in results:
        if result.pointer not in found and result.name:
            calls = batch if result.id is None else open_to_ids
            call = _first(calls, found, lambda call, name=result.name: call.name == name)  # type: ignore[misc]
            if call is not None:
                found[result.pointer] = call.ordinal
    for position, result in enumerate(results):
        if result.pointer not in found:
            calls = batch if result.id is None else open_to_ids
            same = [call for call in batch[position : position + 1] if call in calls]
            call = _first(same, found) or _first(calls, found)
            if call is not None:
                found[result.pointer] = call.ordinal
    return found


def _by_id(call_id: str, calls: list[Call], taken: dict[str, int]) -> Call | None:
    """The call with this id: an unanswered one first, else one that has been answered already."""
    same = [call for call in calls if call.id == call_id]
    return _first(same, taken) or (same[0] if same else None)


def _first(calls: list[Call], taken: dict[str, int], fits: Callable[[Call], bool] = lambda _: True) -> Call | None:
    """The first call that fits and that no result has taken yet."""
    ordinals = set(taken.values())
    return next((call for call in calls if call.ordinal not in ordinals and fits(call)), None)
