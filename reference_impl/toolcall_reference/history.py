"""The order of a history: every batch of calls, then all its results, then what else was said.

Formats differ in where results may stand (Responses: anywhere later). Anthropic, Chat and Gemini want them directly
after their calls, so the turns are arranged before they are encoded there.
"""

from __future__ import annotations

from collections.abc import Sequence

from .errors import Refused
from .intermediate import Conversation, Item, Media, Text, Turn, UniversalToolCall, UniversalToolResult


def check_pairing(conversation: Conversation, calls: Sequence[UniversalToolCall]) -> None:
    """Raise Refused for one of ``calls`` without a result or with several, and for a result without its call.

    Nothing is invented, nothing dropped in silence.
    """
    answers = {call.id: 0 for call in calls}
    for result in conversation.results:
        if result.tool_call_id not in answers:
            raise Refused(f"a result answers the call {result.tool_call_id!r}, which is not in the history")
        answers[result.tool_call_id] += 1
    for call in calls:
        count = answers[call.id]
        if count != 1:
            what = "has no result" if count == 0 else f"has {count} results"
            raise Refused(f"the call {call.given_id or call.id} of {call.name} {what} in the history")


def shown_by_user(turns: list[Turn]) -> list[Turn]:
    """The turns with what the model drew in the user's next turn, behind its results: elsewhere few formats take it.

    What the model drew last, before any other word of the user, becomes a turn of the user's.
    """
    if not any(isinstance(item, Media) for turn in turns if turn.side == "assistant" for item in turn.items):
        return turns
    found: list[Turn] = []
    drawn: list[Item] = []
    for turn in turns:
        if turn.side == "assistant":
            drawn += [item for item in turn.items if isinstance(item, Media)]
            turn = Turn(turn.side, [item for item in turn.items if not isinstance(item, Media)], turn.name)
        elif turn.side == "user" and drawn:
            rest = [item for item in turn.items if not isinstance(item, UniversalToolResult)]
            turn, drawn = Turn(turn.side, [*turn.results, *drawn, *rest], turn.name), []
        found.append(turn)
    return [*found, Turn("user", drawn)] if drawn else found


def arrange(turns: list[Turn], *, apart: bool = False) -> list[Turn]:
    """Turns in which assistant turns are merged while nothing stands between, and results follow their calls.

    Blank text is no text, and a turn of nothing else is no turn. ``apart``: neighbours stay as they are.
    The turns given stay as they are, and are among those returned where nothing about them changes.
    """
    waiting: dict[str, UniversalToolResult] = {}
    found: list[Turn] = []
    joined_to: Turn | None = None
    for turn in turns:
        items = _told(turn, waiting)
        if turn.side == "assistant" and items and not apart and found and found[-1].side == "assistant":
            joined_to = _join(found, items, joined_to)
        elif len(items) == len(turn.items):
            found += [turn] if items else ()
        elif items:
            found.append(Turn(turn.side, items, turn.name))
        elif any(isinstance(item, UniversalToolResult) for item in turn.items):
            found.append(_RESULTS)
    return _with_results(found, waiting)


_RESULTS = Turn("user")
"""Stands where there were results alone: what the assistant said after them stays after them."""


def _told(turn: Turn, waiting: dict[str, UniversalToolResult]) -> list[Item]:
    """What a turn says but for blank texts; its results wait for their place, if it is not the model's."""
    found: list[Item] = []
    for item in turn.items:
        if isinstance(item, Text):
            if item.text.strip() or item.raw_context:
                found.append(item)
        elif not isinstance(item, UniversalToolResult):
            found.append(item)
        else:
            waiting[item.tool_call_id] = item
            if turn.side == "assistant":
                found.append(item)
    return found


def _join(turns: list[Turn], items: list[Item], joined_to: Turn | None) -> Turn:
    """Let items join the last turn, which becomes another one unless it was ``joined_to`` already; that turn."""
    last = turns[-1]
    if last is not joined_to:
        last = turns[-1] = Turn(last.side, list(last.items), last.name)
    last.items.extend(items)
    return last


def _with_results(turns: list[Turn], waiting: dict[str, UniversalToolResult]) -> list[Turn]:
    found: list[Turn] = []
    order = {key: place for place, key in enumerate(waiting)}
    for turn in turns:
        calls = [item for item in turn.items if isinstance(item, UniversalToolCall)]
        if not calls:
            if turn.items:
                found.append(turn)
            continue
        # Calls of one assistant turn may be several batches where their results stood between them.
        for part in _batches(turn, calls):
            if part.items:
                found.append(part)
            results = [waiting[call.id] for call in (calls if part is turn else part.calls) if call.id in waiting]
            if results:
                results.sort(key=lambda result: order[result.tool_call_id])
                found.append(Turn("user", [*results]))
    return found


def _batches(turn: Turn, calls: list[UniversalToolCall]) -> list[Turn]:
    if turn.side != "assistant" or all(call.batch == calls[0].batch for call in calls):
        return [turn]
    parts = [Turn("assistant")]
    batch: int | None = None
    for item in turn.items:
        if isinstance(item, UniversalToolCall):
            if batch is not None and item.batch != batch:
                parts.append(Turn("assistant"))
            batch = item.batch
        parts[-1].items.append(item)
    return parts


def merge(turns: list[Turn], *, apart: bool = False) -> list[Turn]:
    """Arranged turns, neighbours of one side as one, results first.

    ``apart``: only what stood beside results joins them.
    """
    found: list[Turn] = []
    joined_to: Turn | None = None
    for turn in turns:
        if found and found[-1].side == turn.side and (not apart or found[-1].results):
            joined_to = _join(found, turn.items, joined_to)
            if turn.side == "user":
                joined_to.items.sort(key=lambda item: not isinstance(item, UniversalToolResult))
        else:
            found.append(turn)
    return found


def demote_system(turns: list[Turn]) -> list[Turn]:
    """Instructions in the middle of a conversation as user text at their place."""
    return [Turn("user", turn.items) if turn.side == "system" else turn for turn in turns]


def joined(items: Sequence[object]) -> tuple[str, list[str]]:
    """All text of an assistant turn as one string, and its refusals.

    Neighbours follow each other directly, with a blank line where something lay between: a provider splits one sentence
    into several neighbouring blocks (citations), while text before and after a call are paragraphs of their own.
    """
    content, between = "", ""
    refusals: list[str] = []
    for item in items:
        if not isinstance(item, Text):
            between = "\n\n"
        elif item.refusal:
            refusals.append(item.text)
        elif item.text:
            content += between + item.text if content else item.text
            between = ""
    return content, refusals


class Joiner:
    """Joins what is said, piece by piece."""

    def __init__(self) -> None:
        self._begun = self._gap = False

    def text(self, piece: str) -> str:
        """The piece, behind a blank line where something lay between it and what was said before."""
        if not piece:
            return ""
        between = "\n\n" if self._gap and self._begun else ""
        self._begun, self._gap = True, False
        return between + piece

    def other(self) -> str:
        """Something that is no text: it is not said, but lies between."""
        self._gap = True
        return ""
