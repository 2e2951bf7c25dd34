"""The surroundings of a place in a body, as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from toolcall_conformance.basics.jsonvalue import unescape

_MAX_LINE = 70
_MAX_TEXT = 28


def surrounding_text(body: Any, pointer: str) -> str:
    """Return the object or array that holds ``pointer``, as a line in which deeper values are abbreviated.

    If it does not exist, its deepest existing holder is used. Empty if the body is no object or array.
    """
    steps = [unescape(token) for token in pointer.split("/")[1:]]
    holder: Any = body
    for step in steps[:-1]:
        below = _child(holder, step)
        if not isinstance(below, (dict, list)):
            break
        holder = below
    if not isinstance(holder, (dict, list)):
        return ""
    last = steps[-1] if steps else ""
    return _outline(holder, last)


def _child(holder: Any, step: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(step)
    if isinstance(holder, list) and step.isdecimal() and int(step) < len(holder):
        return holder[int(step)]
    return None


def _outline(holder: Any, last: str) -> str:
    """Return the members of an object or array around ``last``, as many as fit into a line."""
    if isinstance(holder, dict):
        keys = list(holder)
        middle = keys.index(last) if last in holder else len(keys)
        window = _window(
            len(keys),
            middle,
            lambda at: f"{_short_json(keys[at])}: {_hint(holder[keys[at]], shows_members=at == middle)}",
        )
        return f"{{{window}}}"
    middle = int(last) if last.isdecimal() else 0
    return f"[{_window(len(holder), middle, lambda at: _hint(holder[at], shows_members=at == middle))}]"


def _window(count: int, middle: int, member: Callable[[int], str]) -> str:
    """Return the member at ``middle`` and those after and before it that fit, with an ellipsis for the rest.

    Only these members are rendered: a body may have thousands, each with a finding.
    """
    if not count:
        return ""
    first = last = min(middle, count - 1)
    members = [member(first)]
    left = _MAX_LINE - 8 - len(members[0])
    while last + 1 < count and (left := left - len(more := f", {member(last + 1)}")) >= 0:
        last += 1
        members.append(more)
    left = _MAX_LINE - 8 - len("".join(members))
    while first > 0 and (left := left - len(more := f"{member(first - 1)}, ")) >= 0:
        first -= 1
        members.insert(0, more)
    return f"{'…, ' if first > 0 else ''}{''.join(members)}{', …' if last < count - 1 else ''}"


def _hint(value: Any, *, shows_members: bool) -> str:
    if isinstance(value, dict):
        if not shows_members or not value:
            return "{…}" if value else "{}"
        members = (f"{_short_json(key)}: {_hint(member, shows_members=False)}" for key, member in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[… {len(value)}]" if value else "[]"
    return _short_json(value)


def _short_json(value: Any) -> str:
    """Return a value as JSON, cut at ``_MAX_TEXT`` characters."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return "…"
    return (
        text
        if len(text) <= _MAX_TEXT
        else f'{text[: _MAX_TEXT - 2]}…"'
        if isinstance(value, str)
        else f"{text[:_MAX_TEXT]}…"
    )
