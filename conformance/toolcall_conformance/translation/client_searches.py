"""Searches for tools that the client runs: a step of its API's own, which others may have as a call and a result.

Codex declares such a search and answers it by declarations, which hold for the rest of the conversation. A bridge may
offer the search as a function: then its calls and answers are in the history as those of a function. It may leave these
steps out as well, for what they brought is declared. So neither is compared; only what was brought must be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.reading import Call, Hosted, Opaque, Reading, Result, Waiver
from toolcall_conformance.reading.model import Item
from toolcall_conformance.translation.pair import Sides

SEARCH: Final = "tool_search_call"


def settle(sides: Sides) -> Sides:
    """The bodies without what the output has of searches that the client ran: calls of a function, and results."""
    searches = list(_searches(sides.source))
    if not searches or not sides.output.calls or sides.source.format == sides.output.format:
        return sides
    own = {call.id for call in sides.source.calls}
    there = [call for call in sides.output.calls if call.id not in own]
    gone: set[int] = set()
    for step in searches:
        call = next((one for one in there if one.ordinal not in gone and _is_of(step, one)), None)
        if call is not None:
            gone.add(call.ordinal)
    return replace(sides, output=_without(sides.output, gone)) if gone else sides


def _searches(reading: Reading) -> Iterator[Hosted]:
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, Hosted) and item.type == SEARCH and _member(item, "execution") == "client":
                yield item


def _is_of(step: Hosted, call: Call) -> bool:
    """Whether a call says what the step of a search said; its id may have been written anew."""
    return equal(call.arguments, _member(step, "arguments")) and (call.id == step.id or "search" in (call.name or ""))


def _member(step: Hosted, key: str) -> Any:
    return step.value.get(key) if isinstance(step.value, dict) else None


def _without(reading: Reading, gone: set[int]) -> Reading:
    """The reading without these calls and what answers them, the others counted anew."""
    left = [call for call in reading.calls if call.ordinal not in gone]
    batches = {batch: place for place, batch in enumerate(dict.fromkeys(call.batch for call in left))}
    ordinals = {call.ordinal: place for place, call in enumerate(left)}
    turns = [
        replace(turn, items=[_renumbered(item, ordinals, batches) for item in turn.items if not _is_gone(item, gone)])
        for turn in reading.turns
    ]
    return replace(reading, turns=[turn for turn in turns if turn.items])


def _is_gone(item: Item, gone: set[int]) -> bool:
    if isinstance(item, Call):
        return item.ordinal in gone
    return isinstance(item, (Result, Opaque, Waiver)) and item.call in gone


def _renumbered(item: Item, ordinals: Mapping[int, int], batches: Mapping[int, int]) -> Item:
    if isinstance(item, Call):
        return replace(item, ordinal=ordinals[item.ordinal], batch=batches[item.batch])
    if isinstance(item, (Result, Opaque, Waiver)) and item.call is not None:
        return replace(item, call=ordinals[item.call])
    return item
