"""Which calls of a request's history are answered, and how its tool messages stand to the calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.jsonvalue import join


@dataclass(slots=True)
class Asked:
    """A call in the history. ``pointer`` is that of its id, ``message`` that of the message."""

    id: str
    name: str
    pointer: str
    message: str
    answered: bool = False


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """A tool message. ``pointer`` is that of its ``tool_call_id``, ``asked`` that of the message with its call.

    ``standing``: ``right`` after its call, ``again`` after another answer, ``late`` after some other message or batch,
    or an ``orphan`` that no earlier call asked for.
    """

    id: str
    pointer: str
    standing: str
    asked: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """Calls without any answer, and all answers."""

    unanswered: tuple[Asked, ...]
    answers: tuple[ToolMessage, ...]


def walk(body: Any) -> History:
    """The history of a request; ids that are missing or are no strings are left to the schema."""
    batches: list[list[Asked]] = []
    answers: list[ToolMessage] = []
    unanswered: list[Asked] = []
    in_run = False
    nameless = 0
    for index, message in enumerate(_list(body, "messages")):
        role = message.get("role") if isinstance(message, dict) else None
        if role == "assistant":
            calls = list(_asked(message, join("/messages", index)))
            in_run = bool(calls)
            if calls:
                batches.append(calls)
        elif role == "tool":
            call_id = message.get("tool_call_id")
            if isinstance(call_id, str):
                standing, asked = _place(batches, call_id, in_run)
                answers.append(ToolMessage(call_id, join("/messages", index, "tool_call_id"), standing, asked))
            else:
                nameless += 1
        else:
            in_run = False
    unanswered = [call for batch in batches for call in batch if not call.answered]
    # A result without any id answers some call: its missing id is one fault, not two.
    return History(tuple(unanswered[: max(0, len(unanswered) - nameless)]), tuple(answers))


def _asked(message: dict[str, Any], pointer: str) -> Iterator[Asked]:
    for index, call in enumerate(_list(message, "tool_calls")):
        if not isinstance(call, dict) or not isinstance(call.get("id"), str):
            continue
        holder = call.get("custom") if call.get("type") == "custom" else call.get("function")
        name = holder.get("name") if isinstance(holder, dict) else None
        yield Asked(call["id"], str(name), join(pointer, "tool_calls", index, "id"), pointer)


def _place(batches: list[list[Asked]], call_id: str, in_run: bool) -> tuple[str, str]:
    """How a tool message stands, and the message whose call it answers."""
    known = False
    for back, batch in enumerate(reversed(batches)):
        fitting = [call for call in batch if call.id == call_id]
        waiting = next((call for call in fitting if not call.answered), None)
        if waiting is not None:
            waiting.answered = True
            return ("right" if in_run and back == 0 else "late"), waiting.message
        if fitting and back == 0 and in_run:
            return "again", fitting[0].message
        known = known or bool(fitting)
    return ("again" if known else "orphan"), ""


def _list(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
