"""Extended thinking: turned on only if Anthropic accepts the rest of the request with it.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking
"""

from __future__ import annotations

from toolcall_reference.basics.numbers import as_number
from toolcall_reference.conversation.intermediate import Body, Hosted, Opaque, Turn, UniversalToolResult
from toolcall_reference.conversation.reasoning import LEAST_BUDGET
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.anthropic.api import NAME

_BUDGET_BY_MODEL = -1


def encode_thinking(body: Body, target: Target, turns: list[Turn], requested_budget: int | None) -> None:
    """Write ``thinking`` into a complete ``body``, or record as a loss why Anthropic would refuse it.

    ``turns`` are the conversation of the body; a budget of -1 leaves the budget to this encoder.
    """
    if requested_budget is None or requested_budget == 0:
        return
    limit = as_number(body["max_tokens"], "max_tokens")
    # Leave half of the limit for the answer if the requested budget would use it up.
    budget = (
        limit // 2
        if requested_budget == _BUDGET_BY_MODEL or (requested_budget >= limit and not target.exact)
        else requested_budget
    )
    against = "" if target.exact else _reason_against(body, turns, budget)
    if against:
        target.losses.add("setting", f"no thinking: {against}", "reasoning")
    else:
        body["thinking"] = {"type": "enabled", "budget_tokens": max(budget, LEAST_BUDGET)}


def _reason_against(body: Body, turns: list[Turn], budget: int) -> str:
    """Why Anthropic would refuse this request with thinking; empty if it would not."""
    if budget < LEAST_BUDGET:
        return f"max_tokens leaves no room for the {LEAST_BUDGET} tokens that it takes at least"
    if body.get("tool_choice", {}).get("type") in ("any", "tool"):
        return "it cannot be had with a forced call"
    if body.get("temperature", 1) != 1 or "top_k" in body:
        return "it cannot be had with temperature or top_k"
    if not _answered_turn_begins_with_thought(turns):
        return "the calls that are being answered were made without it"
    return ""


def _answered_turn_begins_with_thought(turns: list[Turn]) -> bool:
    """Whether the assistant's turn whose calls are answered now begins with its thoughts; True if there is none.

    The steps of that turn are separated by results only.
    """
    place = len(turns)
    while place >= 2 and turns[place - 1].items and _holds_results(turns[place - 1]) and turns[place - 2].calls:
        place -= 2
    if place == len(turns):
        return True
    items = [item for item in turns[place].items if not isinstance(item, (Opaque, Hosted)) or item.origin == NAME]
    return bool(items) and isinstance(items[0], Opaque)


def _holds_results(turn: Turn) -> bool:
    return turn.side == "user" and any(isinstance(item, UniversalToolResult) for item in turn.items)
