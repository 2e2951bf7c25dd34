"""The order of a history: every batch of calls, then all its results, then other content.

Formats differ in where results may be (Responses: anywhere later). Anthropic, Chat and Gemini want them directly after
their calls, so turns are arranged before they are encoded for these.
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
    """Raise Refused if only the client's provider has a part of the conversation."""
    if conversation.missing_part is not None:
        raise conversation.missing_part


def check_pairing(conversation: Conversation) -> None:
    """Raise Refused if a call has no result or several, or a result has no call.

    Nothing is invented, and nothing dropped silently.
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
            problem = "has no result" if count == 0 else f"has {count} results"
            raise Refused(f"the call {call.given_id or call.id} of {call.name} {problem} in the history")


def move_media_to_user(turns: list[Turn]) -> list[Turn]:
    """Move the model's media into the user's next turn, after its results: few formats take them elsewhere.

    Media of the last turn become a new turn of the user.
    """
    if not _has_assistant_media(turns):
        return turns
    user_turns: list[Turn] = []
    media_items: list[Item] = []
    for turn in turns:
        if turn.side == "assistant":
            media_items += [item for item in turn.items if isinstance(item, Media)]
            turn = Turn(turn.side, [item for item in turn.items if not isinstance(item, Media)], turn.name)
        elif turn.side == "user" and media_items:
            rest = [item for item in turn.items if not isinstance(item, UniversalToolResult)]
            turn, media_items = Turn(turn.side, [*turn.results, *media_items, *rest], turn.name), []
        user_turns.append(turn)
    return [*user_turns, Turn("user", media_items)] if media_items else user_turns


def _has_assistant_media(turns: list[Turn]) -> bool:
    for turn in turns:
        if turn.side == "assistant":
            for item in turn.items:
                if isinstance(item, Media):
                    return True
    return False


def arrange(turns: list[Turn], results: Sequence[UniversalToolResult], *, keeps_neighbours: bool = False) -> list[Turn]:
    """Merge neighbouring assistant turns, and place ``results`` directly after their calls.

    Blank texts and turns that hold nothing else are dropped. ``keeps_neighbours``: neighbouring turns are not merged.
    The given turns are not changed; those that need no change are returned themselves.
    """
    answers = _ResultsByCall(results)
    arranged_turns: list[Turn] = []
    last: Turn | None = None  # the assistant's turn that the next one may be merged into
    joined: Turn | None = None  # the last turn created here, which may be extended in place
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
        elif items or results_too:  # assistant text after results stays after them
            if open_calls:
                answers.put(arranged_turns, open_calls, turn)
            open_calls, last = calls, None
            if items:
                turn = turn if len(items) == len(turn.items) else Turn(turn.side, items, turn.name)
                arranged_turns.append(turn)
                last = turn if of_assistant and not keeps_neighbours else None
    answers.put(arranged_turns, open_calls, None)
    return arranged_turns


class _ResultsByCall:
    """The results of a conversation, to be placed after their calls."""

    def __init__(self, results: Sequence[UniversalToolResult]) -> None:
        self._of_call = {result.tool_call_id: result for result in results}

    @cached_property
    def _order(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self._of_call)}

    def put(self, turns: list[Turn], calls: list[UniversalToolCall], following: Turn | None) -> None:
        """Append the results of the last turn's ``calls``, as the source turn ``following`` if it holds just these."""
        if len(calls) > 1 and turns[-1].side == "assistant" and any(call.batch != calls[0].batch for call in calls):
            for turn, batch in _split_batches(turns.pop()):
                turns.append(turn)
                self._put(turns, batch, None)
        else:
            self._put(turns, calls, following)

    def _put(self, turns: list[Turn], calls: list[UniversalToolCall], following: Turn | None) -> None:
        """Append the results of ``calls`` in their source order, as ``following`` if it holds just these."""
        answered: list[Any] = []
        for call in calls:
            result = self._of_call.get(call.id)
            if result is not None:
                answered.append(result)
        if len(answered) > 1:
            answered.sort(key=lambda result: self._order[result.tool_call_id])
        if answered:
            turns.append(following if _is_just_results(following, answered) else Turn("user", answered))


def _is_just_results(turn: Turn | None, answers: list[Any]) -> TypeGuard[Turn]:
    """Whether a turn is the user's and holds just these results."""
    return turn is not None and turn.items == answers and turn.side == "user" and turn.name is None


def _split_batches(turn: Turn) -> list[tuple[Turn, list[UniversalToolCall]]]:
    """Split an assistant's turn into its batches of calls, each with its calls."""
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


def merge(turns: list[Turn], *, keeps_neighbours: bool = False, demoted: bool = False) -> list[Turn]:
    """Merge neighbouring arranged turns of one side, results first.

    ``keeps_neighbours``: only turns next to results are merged. ``demoted``: system turns become user turns.
    """
    merged_turns: list[Turn] = []
    joined: Turn | None = None
    side = ""  # of the last turn
    for turn in turns:
        if demoted and turn.side == "system":
            turn = Turn("user", turn.items)
        if turn.side == side and (not keeps_neighbours or merged_turns[-1].results):
            if merged_turns[-1] is not joined:
                joined = merged_turns[-1] = Turn(side, [*merged_turns[-1].items], merged_turns[-1].name)
            joined.items += turn.items
            if side == "user":
                joined.items.sort(key=lambda item: not isinstance(item, UniversalToolResult))
        else:
            side = turn.side
            merged_turns.append(turn)
    return merged_turns


class TextJoiner:
    """Joins the texts of an assistant's turn, piece by piece.

    Neighbouring texts are joined directly, others by a blank line: a provider splits one sentence into several
    neighbouring blocks for citations, while the texts before and after a call are paragraphs of their own.
    """

    def __init__(self) -> None:
        self._has_text = self._has_gap = False

    def join(self, piece: str) -> str:
        """The piece, preceded by a blank line if another item is between it and the text before."""
        if not piece:
            return ""
        between = "\n\n" if self._has_gap and self._has_text else ""
        self._has_text, self._has_gap = True, False
        return between + piece

    def mark_gap(self) -> str:
        """Note an item that is not text. Returns an empty text."""
        self._has_gap = True
        return ""
