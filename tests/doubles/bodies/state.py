"""State of one provider that is sent to another, and thinking that is asked for where it cannot be."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

STRANGER = "translation/state-to-stranger"


def sealed(draft: Draft) -> list[str]:
    """The encrypted reasoning of a Responses request."""
    return [item["encrypted_content"] for item in draft.source["input"] if "encrypted_content" in item]


def thoughts(draft: Draft) -> list[str]:
    """The signatures of thinking in an Anthropic request."""
    blocks = [block for message in draft.source["messages"] for block in message["content"] if isinstance(block, dict)]
    return [block["signature"] for block in blocks if "signature" in block]


@broken(STRANGER, target=ANTHROPIC, sources=(RESPONSES,))
def encrypted_reasoning_to_stranger(draft: Draft) -> None:
    """Encrypted reasoning of OpenAI is sent to Anthropic as redacted thinking."""
    block = {"type": "redacted_thinking", "data": need(sealed(draft))[0]}
    need(draft.calls)[0].holder.insert(0, block)


@broken(STRANGER, target=GEMINI, sources=(RESPONSES,))
def encrypted_reasoning_as_signature(draft: Draft) -> None:
    """Encrypted reasoning of OpenAI is sent to Gemini as the signature of a call."""
    # Gemini's alphabet is its own; OpenAI's is that of the web, which it takes, too.
    need(draft.calls)[0].entry["thoughtSignature"] = need(sealed(draft))[0]


@broken(STRANGER, target=RESPONSES, sources=(ANTHROPIC,))
def thinking_as_reasoning_item(draft: Draft) -> None:
    """A signature of Anthropic is sent to OpenAI as a reasoning item with an id that nobody gave."""
    signature = need(thoughts(draft))[0]
    call = need(draft.calls)[0]
    item = {"type": "reasoning", "id": "rs_" + "0" * 48, "summary": [], "encrypted_content": signature}
    call.holder.insert(call.place, item)


@broken("anthropic/thinking-first")
def thinking_without_thoughts(draft: Draft) -> None:
    """Thinking is turned on over a history whose calls were made without it."""
    need("thinking" not in draft.body)
    last = draft.body["messages"][-1]
    need(isinstance(last["content"], list) and last["content"][0]["type"] == "tool_result")
    draft.body["max_tokens"] = 4096
    draft.body["thinking"] = {"type": "enabled", "budget_tokens": 1024}


@broken("translation/setting-lost", target=(CHAT, RESPONSES), sources=(CHAT, RESPONSES))
def effort_dropped(draft: Draft) -> Any:
    """How much the model is to think is not said to a provider that has the very same word for it."""
    effort = need(draft.body.pop("reasoning_effort", None) or draft.body.pop("reasoning", None))
    need("none" not in (effort, effort.get("effort") if isinstance(effort, dict) else None))  # another rule's


@broken("translation/setting-lost", target=ANTHROPIC, sources=SAME, cases=["reasoning/adaptive"])
def effort_in_words_dropped(draft: Draft) -> None:
    """On A→A the effort of thinking goes, and with it how long the model may think."""
    need(draft.body.pop("output_config", None))


@broken("anthropic/thinking-temperature", target=ANTHROPIC, sources=SAME, cases=["reasoning/adaptive"])
def adaptive_beside_a_temperature(draft: Draft) -> None:
    """A temperature of the gateway's own is put beside thinking that the model may leave out."""
    draft.body["temperature"] = 0.2


@harmless(target=ANTHROPIC, sources=(CHAT, RESPONSES), cases=["reasoning/adaptive"])
def effort_as_adaptive_thinking(draft: Draft) -> None:
    """An effort in words goes to Anthropic as such, with thinking for as long as the model likes."""
    effort = draft.source.get("reasoning_effort") or draft.source.get("reasoning", {}).get("effort")
    draft.body["output_config"] = {"effort": need(effort)}
    draft.body["thinking"] = {"type": "adaptive"}


@broken("anthropic/thinking-forced-choice")
def thinking_beside_a_forced_call(draft: Draft) -> None:
    """Thinking is turned on although the request forces a call."""
    need(draft.body.get("tool_choice", {}).get("type") in ("any", "tool"))
    draft.body["max_tokens"] = 4096
    draft.body["thinking"] = {"type": "enabled", "budget_tokens": 1024}


@warning("translation/reasoning-as-text", target=(CHAT, RESPONSES, GEMINI), sources=(ANTHROPIC,))
def thinking_told_to_another(draft: Draft) -> None:
    """The thinking of one provider's model is put into the mouth of another's."""
    blocks = [block for message in draft.source["messages"] for block in message["content"] if isinstance(block, dict)]
    thought = need([block["thinking"] for block in blocks if block["type"] == "thinking" and block["thinking"]])[0]
    call = need(draft.calls)[0]
    if draft.format == CHAT:
        assert call.message is not None
        need(not call.message.get("content"))
        call.message["content"] = thought
    elif draft.format == RESPONSES:
        call.holder.insert(call.place, {"role": "assistant", "content": thought})
    else:
        call.holder.insert(0, {"text": thought})


@warning("translation/usage", target=(CHAT, RESPONSES, GEMINI), check="response")
def reasoning_counted_twice(draft: Draft) -> None:
    """A reply says that more tokens were thinking than were."""
    if draft.format == GEMINI:
        usage = need(draft.body.get("usageMetadata"))
        thought = need(usage.get("thoughtsTokenCount"))
        need(usage.get("candidatesTokenCount", 0) >= thought)
        usage["thoughtsTokenCount"], usage["candidatesTokenCount"] = (
            2 * thought,
            usage["candidatesTokenCount"] - thought,
        )
        return
    usage = need(draft.body.get("usage"))
    details = need(usage.get("completion_tokens_details" if draft.format == CHAT else "output_tokens_details"))
    details["reasoning_tokens"] = min(2 * need(details.get("reasoning_tokens")), usage.get("output_tokens", 10**9))


@warning("translation/state-lost", target=GEMINI)
def state_dropped(draft: Draft) -> None:
    """A signature that the client brought back does not reach the provider that made it."""
    hit = False
    need(not str(draft.source.get("model")).startswith("gemini-3"))  # which demands it: there this is a graver fault
    for call in draft.calls:
        hit = call.entry.pop("thoughtSignature", None) is not None or hit
    need(hit and draft.source_format == CHAT and "thought_signature" in str(draft.source))


@warning("translation/reasoning-as-text", target=(CHAT, RESPONSES, GEMINI), check="response")
def thinking_as_text(draft: Draft) -> None:
    """What the model thought is given out as its answer."""
    thought = need(_thoughts(draft.source))[0]
    if draft.format == CHAT:
        message = draft.messages[0]
        message["content"] = "\n\n".join(filter(None, [thought, message["content"]]))
    elif draft.format == GEMINI:
        draft.messages[0].setdefault("parts", []).insert(0, {"text": thought})
    else:
        part = {"type": "output_text", "text": thought, "annotations": [], "logprobs": []}
        item = {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": [part]}
        draft.body["output"].insert(0, item)


def _thoughts(value: Any) -> list[str]:
    """What may be read of the model's thinking: of thinking that is not shown, which has an empty text, nothing."""
    if isinstance(value, dict):
        own = [value["thinking"]] if value.get("thinking") and isinstance(value["thinking"], str) else []
        thought = value.get("thought") is True or value.get("type") == "summary_text"
        own += [value["text"]] if thought and value.get("text") and isinstance(value["text"], str) else []
        return own + [thought for entry in value.values() for thought in _thoughts(entry)]
    return [thought for entry in value for thought in _thoughts(entry)] if isinstance(value, list) else []


@broken("anthropic/thinking-signed", sources=(CHAT, RESPONSES, GEMINI))
def thinking_of_a_stranger(draft: Draft) -> None:
    """What another model thought is sent to Anthropic as thinking, which nobody signed."""
    thought = need(_thoughts(draft.source))[0]
    need(draft.calls)[0].holder.insert(0, {"type": "thinking", "thinking": thought})


@warning("anthropic/thinking-signed", sources=(CHAT, RESPONSES, GEMINI), check="response")
def unsigned_thinking_for_the_user(draft: Draft) -> None:
    """What another model thought comes as thinking without a signature, which it has none of."""
    _thinking(draft).pop("signature", None)


@harmless(target=ANTHROPIC, sources=(CHAT, RESPONSES, GEMINI), check="response", beside="anthropic/thinking-signed")
def thinking_with_a_blank_signature(draft: Draft) -> None:
    """What another model thought comes as thinking whose signature is blank."""
    _thinking(draft)["signature"] = ""


def _thinking(draft: Draft) -> dict[str, Any]:
    """A block of thinking in a reply, put in from the source if the reply has none."""
    own: list[dict[str, Any]] = [block for block in draft.body["content"] if block["type"] == "thinking"]
    if own:
        return own[0]
    block = {"type": "thinking", "thinking": need(_thoughts(draft.source))[0]}
    draft.body["content"].insert(0, block)
    return block
