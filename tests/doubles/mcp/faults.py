"""What bridges get wrong."""

from __future__ import annotations

from doubles.bridged import Seen, broken, need, warning


@broken("translation/error-mark", "result", ("anthropic", "gemini"))
def failures_unread(seen: Seen) -> None:
    """Nobody looks at isError, so the model takes the message for an answer."""
    need(seen.body.get("isError"))
    seen.body["isError"] = False


@warning("translation/error-mark", "result", ("openai_chat", "openai_responses"))
def failures_unsaid(seen: Seen) -> None:
    """Nobody looks at isError, and the message itself does not say that it is one."""
    need(seen.body.get("isError"))
    seen.body["isError"] = False
