"""Arguments that are streamed in pieces, each with its path.

Vertex AI streams them so if ``streamFunctionCallArguments`` is set (PartialArg in
https://github.com/googleapis/python-genai/blob/main/google/genai/types.py): a piece is ``{"jsonPath": "$.city",
"stringValue": "Lis", "willContinue": true}``, and the pieces of one text are joined.
"""

from __future__ import annotations

import re
from typing import Any

from toolcall_conformance.basics.findings import Form
from toolcall_conformance.basics.jsonvalue import append_text

_STEP_PATTERN = re.compile(r"""\.([^.\[\]]+)|\[([0-9]{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")

PIECE_FORM = Form(
    {"type": "object", "required": ["jsonPath"], "properties": {"jsonPath": {"type": "string", "pattern": r"^\$"}}}
)
"""A piece with a path that begins at the arguments."""

VALUE_KEYS = ("stringValue", "numberValue", "boolValue", "nullValue")


class PartialArgs:
    """The arguments of one call so far; ``args`` is changed in place."""

    def __init__(self, args: dict[str, Any]) -> None:
        self.args = args
        self._open: set[str] = set()

    def add(self, piece: Any) -> bool:
        """Set the value of a piece at its path. Return False if it has no path, or an impossible one."""
        path = piece.get("jsonPath") if isinstance(piece, dict) else None
        if not isinstance(path, str):
            return False
        steps = _path_steps(path)
        if not steps:
            return False
        key = next((name for name in VALUE_KEYS if name in piece), None)
        done = True
        if key is not None:
            value = None if key == "nullValue" else piece[key]
            done = _set_value(self.args, steps, value, further=path in self._open)
        self._open.discard(path)
        if piece.get("willContinue") is True:
            self._open.add(path)
        return done


def _path_steps(path: str) -> list[str | int] | None:
    """Return the keys and indexes of a path; None if it is no such path."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        match = _STEP_PATTERN.match(path, at)
        if match is None:
            return None
        plain, place, single, double = match.groups()
        quoted = single if single is not None else double
        steps.append(int(place) if place else plain or re.sub(r"\\(.)", r"\1", quoted or ""))
        at = match.end()
    return steps


def _set_value(holder: Any, steps: list[str | int], value: Any, *, further: bool) -> bool:
    """Set the value at ``steps``, or append to the text there if ``further``; create objects and lists on the way."""
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        fresh: Any = value if last else [] if isinstance(steps[number + 1], int) else {}
        if isinstance(holder, list) and isinstance(step, int) and step <= len(holder):
            if step == len(holder):
                holder.append(fresh)
            elif last:
                holder[step] = _append_or_replace(holder[step], value, further)
        elif isinstance(holder, dict) and isinstance(step, str):
            if step not in holder:
                holder[step] = fresh
            elif last:
                holder[step] = _append_or_replace(holder[step], value, further)
        else:
            return False
        holder = holder[step]
    return True


def _append_or_replace(before: Any, value: Any, further: bool) -> Any:
    return append_text(before, value) if further and isinstance(before, str) and isinstance(value, str) else value
