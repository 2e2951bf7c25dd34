"""What a chunk of a stream brings, in a word: chunks do not say of what type they are."""

from __future__ import annotations

from typing import Any

_BROUGHT = ("text", "functionCall", "inlineData")


def kind_of(data: dict[str, Any]) -> str:
    """``part.text``, ``part.functionCall``, ``finish`` …, several joined by ``+``; ``no part`` for one of usage."""
    candidates = data.get("candidates")
    kinds = set()
    for candidate in candidates if isinstance(candidates, list) else []:
        if isinstance(candidate, dict):
            content = candidate.get("content")
            parts = content.get("parts") if isinstance(content, dict) else None
            for part in parts if isinstance(parts, list) else []:
                kinds |= {f"part.{key}" for key in _BROUGHT if isinstance(part, dict) and key in part}
            kinds |= {"finish"} if candidate.get("finishReason") else set()
    return "+".join(sorted(kinds)) or "no part"
