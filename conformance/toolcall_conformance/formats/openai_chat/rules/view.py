"""A view of a request's history for rules: unanswered calls, and the place of each tool message."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.jsonvalue import join


@dataclass(slots=True)
class HistoryCall:
    """A call in the history. ``pointer`` is that of its id, ``message_pointer`` that of its message."""

    id: str
    name: str
    pointer: str
    message_pointer: str
    answered: bool = False


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """A tool message. ``pointer`` is that of its ``tool_call_id``, ``call_pointer`` that of the message with its call.

    ``placement`` is ``right`` (after its call), ``again`` (its call was answered before), ``late`` (after some other
    message or batch) or ``orphan`` (no earlier call has its id).
    """

    id: str
    pointer: str
    placement: str
    call_pointer: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The calls without a tool message, and all tool messages."""

    unanswered: tuple[HistoryCall, ...]
    answers: tuple[ToolMessage, ...]


def read_history(body: Any) -> History:
    """Return the history of a request; the schema reports ids that are missing or no strings."""
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
    """The calls read so far; the calls of one message are a batch."""

    def __init__(self) -> None:
        self.calls: list[HistoryCall] = []
        # By id, the unanswered calls in batches, and the message of the latest batch that has the id.
        self._waiting: dict[str, list[tuple[str, deque[HistoryCall]]]] = {}
        self._latest: dict[str, str] = {}
        self._message = ""

    def add_calls(self, calls: list[HistoryCall]) -> bool:
        """Add the calls of a message. Return whether there are any."""
        self.calls += calls
        for call in calls:
            self._message = self._latest[call.id] = call.message_pointer
            batches = self._waiting.setdefault(call.id, [])
            if not batches or batches[-1][0] != call.message_pointer:
                batches.append((call.message_pointer, deque()))
            batches[-1][1].append(call)
        return bool(calls)

    def answer_call(self, call_id: str, in_run: bool) -> tuple[str, str]:
        """Answer a call. Return the placement of the tool message, and the pointer of the message with the call."""
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
