"""Which calls of a request's history are answered, and how its tool messages stand to the calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.jsonvalue import join


@dataclass(slots=True)
class HistoryCall:
    """A call in the history. ``pointer`` is that of its id, ``message`` that of the message."""

    id: str
    name: str
    pointer: str
    message_pointer: str
    answered: bool = False


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """A tool message. ``pointer`` is that of its ``tool_call_id``, ``asked`` that of the message with its call.

    ``standing``: ``right`` after its call, ``again`` after another answer, ``late`` after some other message or batch,
    or an ``orphan`` that no earlier call asked for.
    """

    id: str
    pointer: str
    placement: str
    call_pointer: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """Calls without any answer, and all answers."""

    unanswered: tuple[HistoryCall, ...]
    answers: tuple[ToolMessage, ...]


def read_history(body: Any) -> History:
    """The history of a request; ids that are missing or are no strings are left to the schema."""
    batches = _CallBatches()
    answers: list[ToolMessage] = []
    in_run = False
    nameless = 0
    for index, message in enumerate(_list_member(body, "messages")):
        role = message.get("role") if isinstance(message, dict) else None
        if role == "assistant":
            in_run = batches.add_calls(list(_message_calls(message, join("/messages", index))))
        elif role == "tool":
            call_id = message.get("tool_call_id")
            if isinstance(call_id, str):
                placement, call_pointer = batches.answer_call(call_id, in_run)
                answers.append(ToolMessage(call_id, join("/messages", index, "tool_call_id"), placement, call_pointer))
            else:
                nameless += 1
        else:
            in_run = False
    unanswered = [call for call in batches.calls if not call.answered]
    # A result without any id answers some call: its missing id is one fault, not two.
    return History(tuple(unanswered[: max(0, len(unanswered) - nameless)]), tuple(answers))


def _message_calls(message: dict[str, Any], pointer: str) -> Iterator[HistoryCall]:
    for index, call in enumerate(_list_member(message, "tool_calls")):
        if not isinstance(call, dict) or not isinstance(call.get("id"), str):
            continue
        holder = call.get("custom") if call.get("type") == "custom" else call.get("function")
        name = holder.get("name") if isinstance(holder, dict) else None
        yield HistoryCall(call["id"], str(name), join(pointer, "tool_calls", index, "id"), pointer)


class _CallBatches:
    """The calls so far, one batch a message."""

    def __init__(self) -> None:
        self.calls: list[HistoryCall] = []
        # Of each id the calls that wait, batch by batch; and the message of the latest batch that has the id.
        self._waiting: dict[str, list[tuple[str, deque[HistoryCall]]]] = {}
        self._latest: dict[str, str] = {}
        self._message = ""

    def add_calls(self, calls: list[HistoryCall]) -> bool:
        """Add the calls of a message; whether there are any."""
        self.calls += calls
        for call in calls:
            self._message = self._latest[call.id] = call.message_pointer
            batches = self._waiting.setdefault(call.id, [])
            if not batches or batches[-1][0] != call.message_pointer:
                batches.append((call.message_pointer, deque()))
            batches[-1][1].append(call)
        return bool(calls)

    def answer_call(self, call_id: str, in_run: bool) -> tuple[str, str]:
        """How a tool message stands, and the message whose call it answers."""
        if call_id not in self._latest:
            return "orphan", ""
        batches = self._waiting[call_id]
        is_last = in_run and self._latest[call_id] == self._message
        if not batches or (is_last and batches[-1][0] != self._message):
            return "again", self._message if is_last else ""
        message, waiting = batches[-1]
        waiting.popleft().answered = True
        if not waiting:
            batches.pop()
        return ("right" if is_last else "late"), message


def _list_member(value: Any, key: str) -> list[Any]:
    entries = value.get(key) if isinstance(value, dict) else None
    return entries if isinstance(entries, list) else []
