"""What a chunk of a stream brings, in a word: chunks do not say of what type they are."""

from __future__ import annotations

from typing import Any

_BROUGHT = ("role", "content", "tool_calls", "refusal")


def kind_of(data: dict[str, Any]) -> str:
    """``delta.content``, ``delta.tool_calls``, ``finish`` …, several joined by ``+``; ``no choice`` without any."""
    choices = data.get("choices")
    kinds = set()
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            delta = choice.get("delta")
            if isinstance(delta, dict):
                kinds |= {f"delta.{key}" for key in _BROUGHT if delta.get(key) is not None}
            kinds |= {"finish"} if choice.get("finish_reason") else set()
    return "+".join(sorted(kinds)) or "no choice"
