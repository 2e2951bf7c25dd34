"""Arguments in pieces, as Vertex streams them: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc

A piece names its place by a JSONPath and holds a value or the next part of a string.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object
from toolcall_reference.conversation.intermediate import Body

_PATH_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_VALUE_KEYS = ("stringValue", "numberValue", "boolValue", "nullValue")
_MAX_INDEX = 10_000
"""The largest index in a path, against arrays that would fill the memory."""


class PartialArguments:
    """Assembles the arguments of one call."""

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}

    def add_piece(self, call: Body) -> None:
        """Add the ``partialArgs`` of a piece, and its ``args`` if it has any."""
        self.value |= as_object(call.get("args"), "args")
        for piece in as_list(call.get("partialArgs"), "partialArgs"):
            self._set_piece(as_object(piece, "a partial argument"))

    def _set_piece(self, piece: Body) -> None:
        """Set the value of a piece at its path; strings are appended to."""
        key = next((key for key in _VALUE_KEYS if key in piece), None)
        steps = _parse_path(str(piece.get("jsonPath")))
        if key is None:
            return
        value = None if key == "nullValue" else piece[key]
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value = int(value)
        holder: Any = self.value
        for step, following in itertools.pairwise(steps):
            holder = _get_or_add_member(holder, step, [] if isinstance(following, int) else {})
        before = _get_member(holder, steps[-1])
        _set_member(holder, steps[-1], before + value if isinstance(before, str) and isinstance(value, str) else value)


def _parse_path(path: str) -> list[str | int]:
    """The keys and indexes of a JSONPath. Raises Refused if it is not a path in arguments."""
    steps: list[str | int] = []
    place = 1
    while place < len(path) and path.startswith("$"):
        step = _PATH_STEP.match(path, place)
        if step is None:
            break
        name = next(text for text in (step[1], step[3], step[4], "") if text is not None)
        steps.append(int(step[2]) if step[2] is not None else re.sub(r"\\(.)", r"\1", name))
        place = step.end()
    if place != len(path) or not steps or any(isinstance(step, int) and step > _MAX_INDEX for step in steps):
        raise Refused(f"a partial argument stands at {path!r}, which is no place in arguments")
    return steps


def _get_member(holder: Any, step: str | int) -> Any:
    if isinstance(holder, list) and isinstance(step, int):
        return holder[step] if step < len(holder) else None
    return holder.get(step) if isinstance(holder, dict) else None


def _set_member(holder: Any, step: str | int, value: Any) -> None:
    if isinstance(holder, list) and isinstance(step, int):
        holder += [None] * (step + 1 - len(holder))
        holder[step] = value
    elif isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
    else:
        raise Refused(f"a partial argument stands at {step!r} of {type(holder).__name__}")


def _get_or_add_member(holder: Any, step: str | int, empty: Any) -> Any:
    child = _get_member(holder, step)
    if child is None:
        child = empty
        _set_member(holder, step, child)
    return child
