"""Steps that a provider ran itself and that are calls of the client's in the output."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse
from toolcall_conformance.basics.reading import Call, Hosted
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.tools.similar_names import letters


def steps_as_calls(pair: Pair) -> dict[int, Hosted]:
    """The steps by the ordinals of the calls that they became, among the calls that have no partner.

    An id decides. Where a translator gave the call another one, its name and its arguments are those of the step.
    """
    items = (item for turn in pair.source.turns for item in turn.items)
    steps = [item for item in items if isinstance(item, Hosted)] if pair.alignment.invented else []
    by_id: dict[str, Hosted] = {}
    for step in steps:
        for identity in _ids(step):
            by_id.setdefault(identity, step)
    calls = [pair.output.calls[ordinal] for ordinal in pair.alignment.invented]
    matches = {call.ordinal: by_id[call.id] for call in calls if call.id in by_id}
    ids = {id(step) for step in matches.values()}
    free = [step for step in steps if id(step) not in ids]
    for call in calls:
        if call.ordinal not in matches:
            same = next((step for step in free if _says_the_same(step, call)), None)
            if same is not None:
                matches[call.ordinal] = same
                free.remove(same)
    return matches


def _ids(step: Hosted) -> list[str]:
    """What links a step to its result, and its own id where that is another."""
    own = step.value.get("id") if isinstance(step.value, dict) else None
    return [each for each in (step.id, own) if isinstance(each, str) and each]


def _says_the_same(step: Hosted, call: Call) -> bool:
    """Whether a call has the name of a step, perhaps behind that of its server, and its arguments."""
    name, other = letters(step.name or step.type), letters(call.name or "")
    if not name or not other.endswith(name) or not isinstance(step.value, dict):
        return False
    return any(equal(call.arguments, value) for value in map(_parsed, step.value.values()) if isinstance(value, dict))


def _parsed(value: Any) -> Any:
    try:
        return parse(value) if isinstance(value, str) and value.startswith("{") else value
    except JSONError:
        return value
