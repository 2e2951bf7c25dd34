"""State of one provider that is sent to another, and thinking that is asked for where it cannot be."""

from __future__ import annotations

from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft

STRANGER = "translation/state-to-stranger"


def sealed(draft: Draft) -> list[str]:
    """The encrypted reasoning of a Responses request."""
    return [item["encrypted_content"] for item in draft.source["input"] if "encrypted_content" in item]


def thoughts(draft: Draft) -> list[str]:
    """The signatures of thinking in an Anthropic request."""
    blocks = [block for message in draft.source["messages"] for block in message["content"] if isinstance(block, dict)]
    return [block["signature"] for block in blocks if "signature" in block]


@broken("encrypted-reasoning-to-stranger", rule=STRANGER, check="request", target=ANTHROPIC, sources=(RESPONSES,))
def encrypted_reasoning_to_anthropic(draft: Draft) -> None:
    """Encrypted reasoning of OpenAI is sent to Anthropic as redacted thinking."""
    block = {"type": "redacted_thinking", "data": need(sealed(draft))[0]}
    need(draft.calls)[0].holder.insert(0, block)


@broken("encrypted-reasoning-as-signature", rule=STRANGER, check="request", target=GEMINI, sources=(RESPONSES,))
def encrypted_reasoning_to_gemini(draft: Draft) -> None:
    """Encrypted reasoning of OpenAI is sent to Gemini as the signature of a call."""
    # Gemini's alphabet is its own; OpenAI's is that of the web, which it takes, too.
    need(draft.calls)[0].entry["thoughtSignature"] = need(sealed(draft))[0]


@broken("thinking-as-reasoning-item", rule=STRANGER, check="request", target=RESPONSES, sources=(ANTHROPIC,))
def thinking_to_responses(draft: Draft) -> None:
    """A signature of Anthropic is sent to OpenAI as a reasoning item with an id that nobody gave."""
    signature = need(thoughts(draft))[0]
    call = need(draft.calls)[0]
    item = {"type": "reasoning", "id": "rs_" + "0" * 48, "summary": [], "encrypted_content": signature}
    call.holder.insert(call.place, item)


@broken("thinking-without-thoughts", rule="anthropic/thinking-first", check="request", target=ANTHROPIC)
def thinking_without_thoughts(draft: Draft) -> None:
    """Thinking is turned on over a history whose calls were made without it."""
    need("thinking" not in draft.body)
    last = draft.body["messages"][-1]
    need(isinstance(last["content"], list) and last["content"][0]["type"] == "tool_result")
    draft.body["max_tokens"] = 4096
    draft.body["thinking"] = {"type": "enabled", "budget_tokens": 1024}


@broken(
    "effort-dropped",
    rule="translation/setting-lost",
    check="request",
    target=(CHAT, RESPONSES),
    sources=(CHAT, RESPONSES),
)
def effort_dropped(draft: Draft) -> Any:
    """How much the model is to think is not said to a provider that has the very same word for it."""
    need(draft.body.pop("reasoning_effort", None) or draft.body.pop("reasoning", None))


@broken("thinking-beside-a-forced-call", rule="anthropic/thinking-forced-choice", check="request", target=ANTHROPIC)
def thinking_beside_a_forced_call(draft: Draft) -> None:
    """Thinking is turned on although the request forces a call."""
    need(draft.body.get("tool_choice", {}).get("type") in ("any", "tool"))
    draft.body["max_tokens"] = 4096
    draft.body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
