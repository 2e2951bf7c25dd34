"""Calls without a partner: empty turns that are left of lost calls, and hosted steps that became invented calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse
from toolcall_conformance.basics.reading import Call, Hosted, Reading, Text
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.tools.similar_names import letters_and_digits


def steps_as_calls(pair: Pair) -> dict[int, Hosted]:
    """Return steps of the provider by the ordinals of the unaligned output calls that they became.

    An id decides. If the translator changed it, the name and the arguments of the step decide.
    """
    items = (item for turn in pair.source.turns for item in turn.items)
    steps = [item for item in items if isinstance(item, Hosted)] if pair.alignment.invented else []
    by_id: dict[str, Hosted] = {}
    for step in steps:
        for identity in _step_ids(step):
            by_id.setdefault(identity, step)
    calls = [pair.output.calls[ordinal] for ordinal in pair.alignment.invented]
    matches = {call.ordinal: by_id[call.id] for call in calls if call.id in by_id}
    ids = {id(step) for step in matches.values()}
    free = [step for step in steps if id(step) not in ids]
    for call in calls:
        if call.ordinal not in matches:
            same = next((step for step in free if _is_call_of_step(step, call)), None)
            if same is not None:
                matches[call.ordinal] = same
                free.remove(same)
    return matches


def _step_ids(step: Hosted) -> list[str]:
    """Return what links a step to its result, and its own id if that is another."""
    inner_id = step.value.get("id") if isinstance(step.value, dict) else None
    return [step_id for step_id in (step.id, inner_id) if isinstance(step_id, str) and step_id]


def _is_call_of_step(step: Hosted, call: Call) -> bool:
    """Whether a call has the name of a step, perhaps after that of its server, and its arguments."""
    name, other = letters_and_digits(step.name or step.type), letters_and_digits(call.name or "")
    if not name or not other.endswith(name) or not isinstance(step.value, dict):
        return False
    return any(
        equal(call.arguments, value) for value in map(_parse_objects, step.value.values()) if isinstance(value, dict)
    )


def _parse_objects(value: Any) -> Any:
    try:
        return parse(value) if isinstance(value, str) and value.startswith("{") else value
    except JSONError:
        return value


def empty_turns_of_lost_calls(pair: Pair) -> Mapping[str, str]:
    """Return the empty turn of the output that is left of each lost call, both by their pointers.

    Only if the source has no empty turn and the output has as many as calls are lost: then they match in order.
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
