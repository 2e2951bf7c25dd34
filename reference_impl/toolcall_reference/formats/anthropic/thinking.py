"""Extended thinking in a request: turned on only where Anthropic would take the rest of the request with it.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking
"""

from __future__ import annotations

from toolcall_reference.basics.numbers import as_number
from toolcall_reference.conversation.intermediate import Body, Hosted, Opaque, Turn, UniversalToolResult
from toolcall_reference.conversation.reasoning import LEAST_BUDGET
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.anthropic.api import NAME

_NO_BUDGET = -1


def encode_thinking(body: Body, target: Target, turns: list[Turn], requested_budget: int | None) -> None:
    """Put ``thinking`` into a complete ``body`` whose conversation is ``turns``; what stands against it is noted."""
    if requested_budget is None or requested_budget == 0:
        return
    limit = as_number(body["max_tokens"], "max_tokens")
    # Half of the limit is left for the answer where the wish would eat it up.
    budget = (
        limit // 2
        if requested_budget == _NO_BUDGET or (requested_budget >= limit and not target.exact)
        else requested_budget
    )
    against = "" if target.exact else _against(body, turns, budget)
    if against:
        target.losses.add("setting", f"no thinking: {against}", "reasoning")
    else:
        body["thinking"] = {"type": "enabled", "budget_tokens": max(budget, LEAST_BUDGET)}


def _against(body: Body, turns: list[Turn], budget: int) -> str:
    """Why Anthropic would refuse this request with thinking, empty if it would not."""
    if budget < LEAST_BUDGET:
        return f"max_tokens leaves no room for the {LEAST_BUDGET} tokens that it takes at least"
    if body.get("tool_choice", {}).get("type") in ("any", "tool"):
        return "it cannot be had with a forced call"
    if body.get("temperature", 1) != 1 or "top_k" in body:
        return "it cannot be had with temperature or top_k"
    if not _begins_with_thought(turns):
        return "the calls that are being answered were made without it"
    return ""


def _begins_with_thought(turns: list[Turn]) -> bool:
    """Whether the assistant's last turn, if its calls are answered now, has kept its thoughts at its beginning.

    Results stand between the steps of that turn, and nothing else does.
    """
    place = len(turns)
    while place >= 2 and turns[place - 1].items and _only_answers(turns[place - 1]) and turns[place - 2].calls:
        place -= 2
    if place == len(turns):
        return True
    own = [item for item in turns[place].items if not isinstance(item, (Opaque, Hosted)) or item.origin == NAME]
    return bool(own) and isinstance(own[0], Opaque)


def _only_answers(turn: Turn) -> bool:
    return turn.side == "user" and any(isinstance(item, UniversalToolResult) for item in turn.items)
