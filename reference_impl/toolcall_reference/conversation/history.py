"""The order of a history: every batch of calls, then all its results, then what else was said.

Formats differ in where results may stand (Responses: anywhere later). Anthropic, Chat and Gemini want them directly
after their calls, so the turns are arranged before they are encoded there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeGuard

from toolcall_reference.basics.errors import Refused
from toolcall_reference.conversation.intermediate import (
    Conversation,
    Item,
    Media,
    Text,
    Turn,
    UniversalToolCall,
    UniversalToolResult,
)


def check_whole(conversation: Conversation) -> None:
    """Raise Refused for a conversation of which a part is missing."""
    if conversation.missing is not None:
        raise conversation.missing


def check_pairing(conversation: Conversation) -> None:
    """Raise Refused for a call without a result or with several, and for a result without its call.

    Nothing is invented, nothing dropped in silence.
    """
    answered = [result.tool_call_id for result in conversation.results]
    ids = {call.id for call in conversation.calls}
    if len(answered) == len(ids) and ids.issubset(answered):
        return
    answers = Counter(answered)
    for key in answers:
        if key not in ids:
            raise Refused(f"a result answers the call {key!r}, which is not in the history")
    for call in conversation.calls:
        count = answers[call.id]
        if count != 1:
            what = "has no result" if count == 0 else f"has {count} results"
            raise Refused(f"the call {call.given_id or call.id} of {call.name} {what} in the history")


def shown_by_user(turns: list[Turn]) -> list[Turn]:
    """The turns with what the model drew in the user's next turn, behind its results: elsewhere few formats take it.

    What the model drew last, before any other word of the user, becomes a turn of the user's.
    """
    if not _draws(turns):
        return turns
    user_turns: list[Turn] = []
    drawn: list[Item] = []
    for turn in turns:
        if turn.side == "assistant":
            drawn += [item for item in turn.items if isinstance(item, Media)]
            turn = Turn(turn.side, [item for item in turn.items if not isinstance(item, Media)], turn.name)
        elif turn.side == "user" and drawn:
            rest = [item for item in turn.items if not isinstance(item, UniversalToolResult)]
            turn, drawn = Turn(turn.side, [*turn.results, *drawn, *rest], turn.name), []
        user_turns.append(turn)
    return [*user_turns, Turn("user", drawn)] if drawn else user_turns


def _draws(turns: list[Turn]) -> bool:
    for turn in turns:
        if turn.side == "assistant":
            for item in turn.items:
                if isinstance(item, Media):
                    return True
    return False


def arrange(turns: list[Turn], results: Sequence[UniversalToolResult], *, apart: bool = False) -> list[Turn]:
    """Turns in which assistant turns are merged while nothing stands between, and ``results`` follow their calls.

    Blank text is no text, and a turn of nothing else is no turn. ``apart``: neighbours stay as they are.
    The turns given stay as they are, and are among those returned where nothing about them changes.
    """
    answers = _Answers(results)
    arranged_turns: list[Turn] = []
    last: Turn | None = None  # the assistant's, as long as another one may join it
    joined: Turn | None = None  # the last one that was made here, so that others may join it as it is
    open_calls: list[UniversalToolCall] = []  # of the last turn
    for turn in turns:
        items: list[Item] = []
        calls: list[UniversalToolCall] = []
        of_assistant, results_too = turn.side == "assistant", False
        for item in turn.items:
            if isinstance(item, Text):
                if item.text.strip() or item.raw_context:
                    items.append(item)
            elif isinstance(item, UniversalToolCall):
                items.append(item)
                calls.append(item)
            elif isinstance(item, UniversalToolResult) and not of_assistant:
                results_too = True
            else:
                items.append(item)
        if of_assistant and items and last is not None:
            if last is not joined:
                last = joined = arranged_turns[-1] = Turn("assistant", [*last.items], last.name)
            last.items += items
            open_calls += calls
        elif items or results_too:  # what the assistant says behind results stays behind them
            if open_calls:
                answers.put(arranged_turns, open_calls, turn)
            open_calls, last = calls, None
            if items:
                turn = turn if len(items) == len(turn.items) else Turn(turn.side, items, turn.name)
                arranged_turns.append(turn)
                last = turn if of_assistant and not apart else None
    answers.put(arranged_turns, open_calls, None)
    return arranged_turns


class _Answers:
    """The results of a conversation, to be put behind their calls."""

    def __init__(self, results: Sequence[UniversalToolResult]) -> None:
        self._of_call = {result.tool_call_id: result for result in results}

    @cached_property
    def _order(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self._of_call)}

    def put(self, turns: list[Turn], calls: list[UniversalToolCall], following: Turn | None) -> None:
        """Put those to the last turn's ``calls`` behind it, as the turn ``following`` in the source if that is they."""
        if len(calls) > 1 and turns[-1].side == "assistant" and any(call.batch != calls[0].batch for call in calls):
            for turn, batch in _batches(turns.pop()):
                turns.append(turn)
                self._put(turns, batch, None)
        else:
            self._put(turns, calls, following)

    def _put(self, turns: list[Turn], calls: list[UniversalToolCall], following: Turn | None) -> None:
        answered: list[Any] = []
        for call in calls:
            result = self._of_call.get(call.id)
            if result is not None:
                answered.append(result)
        if len(answered) > 1:
            answered.sort(key=lambda result: self._order[result.tool_call_id])
        if answered:
            turns.append(following if _holds(following, answered) else Turn("user", answered))


def _holds(turn: Turn | None, answers: list[Any]) -> TypeGuard[Turn]:
    """Whether a turn is the user's and just these answers."""
    return turn is not None and turn.items == answers and turn.side == "user" and turn.name is None


def _batches(turn: Turn) -> list[tuple[Turn, list[UniversalToolCall]]]:
    """A turn of the assistant between whose calls results stood, as several, each with its calls."""
    parts: list[tuple[Turn, list[UniversalToolCall]]] = [(Turn("assistant"), [])]
    batch: int | None = None
    for item in turn.items:
        if isinstance(item, UniversalToolCall):
            if batch is not None and item.batch != batch:
                parts.append((Turn("assistant"), []))
            batch = item.batch
            parts[-1][1].append(item)
        parts[-1][0].items.append(item)
    return parts


def merge(turns: list[Turn], *, apart: bool = False, demoted: bool = False) -> list[Turn]:
    """Arranged turns, neighbours of one side as one, results first.

    ``apart``: only what stood beside results joins them. ``demoted``: instructions in the middle are user text there.
    """
    merged_turns: list[Turn] = []
    joined: Turn | None = None
    side = ""  # of the last turn
    for turn in turns:
        if demoted and turn.side == "system":
            turn = Turn("user", turn.items)
        if turn.side == side and (not apart or merged_turns[-1].results):
            if merged_turns[-1] is not joined:
                joined = merged_turns[-1] = Turn(side, [*merged_turns[-1].items], merged_turns[-1].name)
            joined.items += turn.items
            if side == "user":
                joined.items.sort(key=lambda item: not isinstance(item, UniversalToolResult))
        else:
            side = turn.side
            merged_turns.append(turn)
    return merged_turns


class Joiner:
    """Joins the texts of an assistant's turn, piece by piece.

    Neighbours follow each other directly, with a blank line where something lay between: a provider splits one sentence
    into several neighbouring blocks (citations), while text before and after a call are paragraphs of their own.
    """

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
