"""What the arguments of a call must be in the output, as its format writes them."""

from __future__ import annotations

import json
from typing import Any

from toolcall_conformance.basics.findings import Words
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.judge.translation.calls.odd_arguments import stands_as
from toolcall_conformance.judge.translation.pair import Pair


def arguments_wanted(pair: Pair, left: Call, right: Call) -> Any:
    """The arguments of the source's call where the output's stand: an object, the JSON text of one, or free text.

    Words, where the output's call is of a kind that takes no such arguments.
    """
    arguments = _of_kind(left, right)
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, dict):
        return Words(json.dumps(left.arguments, ensure_ascii=False))
    has_text = "$text" in json.dumps(pair.words["call"]) and isinstance(pair.stands(right.arguments_pointer), str)
    is_text = has_text and isinstance(stands_as(pair, right), str)
    return json.dumps(arguments, ensure_ascii=False) if is_text else arguments


def _of_kind(left: Call, right: Call) -> Any:
    """The arguments of a call as one of another kind has them: a function for free text has a key for it."""
    if left.kind == right.kind:
        return left.arguments
    if right.kind != "function":
        return None
    if left.kind == "custom" and isinstance(left.arguments, str):
        keys = [*right.arguments] if isinstance(right.arguments, dict) else []
        return {keys[0] if len(keys) == 1 else "input": left.arguments}
    return left.arguments if isinstance(left.arguments, dict) else None
