"""Arguments in pieces, as Vertex streams them: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc

A piece names its place by a JSONPath and holds a value, or the next stretch of a string.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object
from toolcall_reference.conversation.intermediate import Body

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")
_LIMIT = 10_000
"""How far an index may leap; nobody's arguments are that long."""


class Arguments:
    """One call's arguments being put together."""

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}

    def add(self, call: Body) -> None:
        """Take in the ``partialArgs`` of a piece, and ``args`` where it has any."""
        self.value |= as_object(call.get("args"), "args")
        for piece in as_list(call.get("partialArgs"), "partialArgs"):
            self._put(as_object(piece, "a partial argument"))

    def _put(self, piece: Body) -> None:
        key = next((key for key in _VALUES if key in piece), None)
        steps = _steps(str(piece.get("jsonPath")))
        if key is None:
            return
        value = None if key == "nullValue" else piece[key]
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value = int(value)
        holder: Any = self.value
        for step, following in itertools.pairwise(steps):
            holder = _child(holder, step, [] if isinstance(following, int) else {})
        before = _get(holder, steps[-1])
        _set(holder, steps[-1], before + value if isinstance(before, str) and isinstance(value, str) else value)


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    place = 1
    while place < len(path) and path.startswith("$"):
        step = _STEP.match(path, place)
        if step is None:
            break
        name = next(text for text in (step[1], step[3], step[4], "") if text is not None)
        steps.append(int(step[2]) if step[2] is not None else re.sub(r"\\(.)", r"\1", name))
        place = step.end()
    if place != len(path) or not steps or any(isinstance(step, int) and step > _LIMIT for step in steps):
        raise Refused(f"a partial argument stands at {path!r}, which is no place in arguments")
    return steps


def _get(holder: Any, step: str | int) -> Any:
    if isinstance(holder, list) and isinstance(step, int):
        return holder[step] if step < len(holder) else None
    return holder.get(step) if isinstance(holder, dict) else None


def _set(holder: Any, step: str | int, value: Any) -> None:
    if isinstance(holder, list) and isinstance(step, int):
        holder += [None] * (step + 1 - len(holder))
        holder[step] = value
    elif isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
    else:
        raise Refused(f"a partial argument stands at {step!r} of {type(holder).__name__}")


def _child(holder: Any, step: str | int, empty: Any) -> Any:
    child = _get(holder, step)
    if child is None:
        child = empty
        _set(holder, step, child)
    return child
