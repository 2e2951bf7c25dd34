"""Thinking and state: what providers and clients bear."""

from __future__ import annotations

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, need, warning
from doubles.draft import Draft


@warning(
    "thinking-told-to-another",
    rule="translation/reasoning-as-text",
    check="request",
    target=(CHAT, RESPONSES, GEMINI),
    sources=(ANTHROPIC,),
)
def thinking_told_to_another(draft: Draft) -> None:
    """The thinking of one provider's model is put into the mouth of another's."""
    said = [block for message in draft.source["messages"] for block in message["content"] if isinstance(block, dict)]
    thought = need([block["thinking"] for block in said if block["type"] == "thinking"])[0]
    call = need(draft.calls)[0]
    if draft.format == CHAT:
        assert call.message is not None
        need(not call.message.get("content"))
        call.message["content"] = thought
    elif draft.format == RESPONSES:
        call.holder.insert(call.place, {"role": "assistant", "content": thought})
    else:
        call.holder.insert(0, {"text": thought})


@warning("reasoning-counted-twice", rule="translation/usage", check="response", target=(CHAT, RESPONSES, GEMINI))
def reasoning_counted_twice(draft: Draft) -> None:
    """A reply says that more tokens were thinking than were."""
    if draft.format == GEMINI:
        usage = draft.body["usageMetadata"]
        thought = need(usage.get("thoughtsTokenCount"))
        need(usage.get("candidatesTokenCount", 0) >= thought)
        usage["thoughtsTokenCount"], usage["candidatesTokenCount"] = (
            2 * thought,
            usage["candidatesTokenCount"] - thought,
        )
        return
    usage = draft.body["usage"]
    details = usage["completion_tokens_details" if draft.format == CHAT else "output_tokens_details"]
    details["reasoning_tokens"] = min(2 * need(details.get("reasoning_tokens")), usage.get("output_tokens", 10**9))
