"""What stands around a place of a body, in a few words of JSON."""

from __future__ import annotations

import json
from typing import Any

from toolcall_conformance.jsonvalue import unescaped

_LONGEST = 70
_TEXT = 28


def near(body: Any, pointer: str) -> str:
    """The object or array that holds the place ``pointer``, in one line; what lies deeper is only hinted at.

    Of a place that does not exist it is the deepest one that does. Empty for a body that is no object or array.
    """
    steps = [unescaped(token) for token in pointer.split("/")[1:]]
    holder: Any = body
    for step in steps[:-1]:
        below = _below(holder, step)
        if not isinstance(below, (dict, list)):
            break
        holder = below
    if not isinstance(holder, (dict, list)):
        return ""
    last = steps[-1] if steps else ""
    return _outline(holder, last)


def _below(holder: Any, step: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(step)
    if isinstance(holder, list) and step.isdecimal() and int(step) < len(holder):
        return holder[int(step)]
    return None


def _outline(holder: Any, last: str) -> str:
    """The members of an object or array around the one called ``last``, as many as fit into a line."""
    if isinstance(holder, dict):
        keys = list(holder)
        members = [f"{_text(key)}: {_hint(value, shown=key == last)}" for key, value in holder.items()]
        middle = keys.index(last) if last in keys else len(keys)
        return f"{{{_window(members, middle)}}}"
    middle = int(last) if last.isdecimal() else 0
    return f"[{_window([_hint(value, shown=number == middle) for number, value in enumerate(holder)], middle)}]"


def _window(members: list[str], middle: int) -> str:
    """The member at ``middle`` and its neighbours, with an ellipsis for those that do not fit."""
    first = last = min(middle, max(len(members) - 1, 0))
    fits = True
    while fits:
        fits = False
        for before, behind in ((first - 1, last), (first, last + 1)):
            wider = ", ".join(members[max(before, 0) : behind + 1])
            if before >= 0 and behind < len(members) and len(wider) <= _LONGEST - 8:
                first, last, fits = before, behind, True
    more, rest = ["…"] if first > 0 else [], ["…"] if last < len(members) - 1 else []
    return ", ".join([*more, *members[first : last + 1], *rest])


def _hint(value: Any, *, shown: bool) -> str:
    if isinstance(value, dict):
        if not shown or not value:
            return "{…}" if value else "{}"
        return f"{{{', '.join(f'{_text(key)}: {_hint(member, shown=False)}' for key, member in value.items())}}}"
    if isinstance(value, list):
        return f"[… {len(value)}]" if value else "[]"
    return _text(value)


def _text(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return "…"
    return text if len(text) <= _TEXT else f'{text[: _TEXT - 2]}…"' if isinstance(value, str) else f"{text[:_TEXT]}…"
