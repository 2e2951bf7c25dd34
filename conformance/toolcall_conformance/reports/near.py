"""What stands around a place of a body, in a few words of JSON."""

from __future__ import annotations

import json
from typing import Any

from toolcall_conformance.jsonvalue import unescaped

_LONGEST = 150
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
    return _cut(_outline(holder, last))


def _below(holder: Any, step: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(step)
    if isinstance(holder, list) and step.isdecimal() and int(step) < len(holder):
        return holder[int(step)]
    return None


def _outline(holder: Any, shown: str) -> str:
    """The members of an object or array, the one called ``shown`` with what it holds."""
    if isinstance(holder, dict):
        return f"{{{', '.join(f'{_text(key)}: {_hint(value, key == shown)}' for key, value in holder.items())}}}"
    around = [number for number in range(len(holder)) if not shown.isdecimal() or abs(number - int(shown)) <= 1]
    members = [_hint(holder[number], str(number) == shown) for number in around[:3]]
    before, after = around[:1] > [0], around[-1:] < [len(holder) - 1] or len(around) > len(members)
    return f"[{', '.join([*['…'][: int(before)], *members, *['…'][: int(after)]])}]"


def _hint(value: Any, shown: bool) -> str:
    if isinstance(value, dict):
        if not shown or not value:
            return "{…}" if value else "{}"
        return f"{{{', '.join(f'{_text(key)}: {_hint(member, False)}' for key, member in value.items())}}}"
    if isinstance(value, list):
        return f"[… {len(value)}]" if value else "[]"
    return _text(value)


def _text(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return "…"
    return text if len(text) <= _TEXT else f'{text[: _TEXT - 2]}…"' if isinstance(value, str) else f"{text[:_TEXT]}…"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]} …"
