"""The order of a history: every batch of calls, then all its results, then what else was said.

Formats differ in where results may stand (Responses: anywhere later). Anthropic, Chat and Gemini want them directly
after their calls, so the turns are arranged before they are encoded there.
"""

from __future__ import annotations

from collections.abc import Sequence

from .errors import Refused
from .intermediate import Conversation, Item, Media, Text, Turn, UniversalToolCall, UniversalToolResult


def check_pairing(conversation: Conversation) -> None:
    """Raise Refused for a call without a result or with several, and for a result without its call.

    Nothing is invented, nothing dropped in silence.
    """
    known = {call.id for call in conversation.calls}
    answers: dict[str, int] = {}
    for turn in conversation.turns:
        for result in turn.results:
            if result.tool_call_id not in known:
                raise Refused(f"a result answers the call {result.tool_call_id!r}, which is not in the history")
            answers[result.tool_call_id] = answers.get(result.tool_call_id, 0) + 1
    for call in conversation.calls:
        count = answers.get(call.id, 0)
        if count != 1:
            what = "has no result" if count == 0 else f"has {count} results"
            raise Refused(f"the call {call.given_id or call.id} of {call.name} {what} in the history")


def shown_by_user(turns: list[Turn]) -> list[Turn]:
    """The turns with what the model drew in the user's next turn, behind its results: elsewhere few formats take it.

    What the model drew last, before any other word of the user, becomes a turn of the user's.
    """
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
    """
    turns = [Turn(turn.side, [item for item in turn.items if not _blank(item)], turn.name) for turn in turns]
    turns = [turn for turn in turns if turn.items]
    waiting: dict[str, UniversalToolResult] = {result.tool_call_id: result for turn in turns for result in turn.results}
    order = {key: place for place, key in enumerate(waiting)}
    found: list[Turn] = []
    for turn in turns:
        if turn.side != "assistant":
            rest: list[Item] = [item for item in turn.items if not isinstance(item, UniversalToolResult)]
            # A turn of results alone is kept, empty: what the assistant said after it stays after it.
            found.append(Turn(turn.side, rest, turn.name))
            continue
        if found and found[-1].side == "assistant" and not apart:
            found[-1].items.extend(turn.items)
        else:
            found.append(Turn("assistant", list(turn.items), turn.name))
    return _with_results(found, waiting, order)


def _blank(item: Item) -> bool:
    return isinstance(item, Text) and not item.text.strip() and not item.raw_context


def _with_results(turns: list[Turn], waiting: dict[str, UniversalToolResult], order: dict[str, int]) -> list[Turn]:
    found: list[Turn] = []
    for turn in turns:
        # Calls of one assistant turn may be several batches where their results stood between them.
        for part in _batches(turn):
            if part.items:
                found.append(part)
            results = [waiting[call.id] for call in part.calls if call.id in waiting]
            results.sort(key=lambda result: order[result.tool_call_id])
            if results:
                found.append(Turn("user", [*results]))
    return found


def _batches(turn: Turn) -> list[Turn]:
    if turn.side != "assistant" or len({call.batch for call in turn.calls}) < 2:
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
    """Neighbouring turns of one side as one, results first. ``apart``: only what stood beside results joins them."""
    found: list[Turn] = []
    for turn in turns:
        if found and found[-1].side == turn.side and (not apart or found[-1].results):
            found[-1].items.extend(turn.items)
        else:
            found.append(Turn(turn.side, list(turn.items)))
    for turn in found:
        if turn.side == "user":
            turn.items.sort(key=lambda item: not isinstance(item, UniversalToolResult))
    return found


def demote_system(turns: list[Turn]) -> list[Turn]:
    """Instructions in the middle of a conversation as user text at their place."""
    return [Turn("user" if turn.side == "system" else turn.side, turn.items) for turn in turns]


def joined(turn_items: Sequence[object]) -> str:
    """All text of an assistant turn as one string: neighbours directly, with a blank line where something lay between.

    A provider splits one sentence into several neighbouring blocks (citations), while text before and after a call are
    paragraphs of their own.
    """
    joiner = Joiner()
    return "".join(joiner.text(item.text) if isinstance(item, Text) else joiner.other() for item in turn_items)


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
