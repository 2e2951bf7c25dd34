"""How a reply ended: reasons that are lost, turned round or in another format's words."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need, warning
from doubles.draft import Draft

RULE = "translation/finish-reason"


def _holder(draft: Draft) -> tuple[dict[str, Any], str]:
    if draft.format == ANTHROPIC:
        return draft.body, "stop_reason"
    if draft.format == CHAT:
        return draft.body["choices"][0], "finish_reason"
    if draft.format == GEMINI:
        return draft.body["candidates"][0], "finishReason"
    return draft.body, "status"


def reason(draft: Draft) -> Any:
    holder, key = _holder(draft)
    return holder[key]


def say(draft: Draft, value: Any) -> None:
    holder, key = _holder(draft)
    holder[key] = value


@broken(RULE, target=ANTHROPIC, check="response")
def calls_end_turn(draft: Draft) -> None:
    """A reply with calls says that the turn is over."""
    need(draft.calls)
    say(draft, "end_turn")


@broken(RULE, target=CHAT, check="response")
def calls_stop(draft: Draft) -> None:
    """A reply with calls says stop, as Gemini does."""
    need(draft.calls and reason(draft) == "tool_calls")
    # Where one function was forced, the provider itself says stop.
    need(not isinstance(draft.asked.get("tool_choice"), dict))
    say(draft, "stop")


@broken(RULE, check="response")
def calls_length(draft: Draft) -> None:
    """A reply with calls says that it was cut off."""
    need(draft.calls)
    _cut(draft)


def _cut(draft: Draft) -> None:
    words = {ANTHROPIC: "max_tokens", CHAT: "length", GEMINI: "MAX_TOKENS", RESPONSES: "incomplete"}
    say(draft, words[draft.format])
    if draft.format == RESPONSES:
        draft.body["incomplete_details"] = {"reason": "max_output_tokens"}


@broken(RULE, target=(ANTHROPIC, CHAT), check="response")
def end_as_tool_use(draft: Draft) -> None:
    """A reply without calls says that it has some."""
    need(not draft.calls and reason(draft) in ("end_turn", "stop"))
    say(draft, "tool_use" if draft.format == ANTHROPIC else "tool_calls")


@broken(RULE, check="response", cases=("shell/length-cut",))
def cut_as_end(draft: Draft) -> None:
    """A reply that was cut off says that it is complete."""
    words = {ANTHROPIC: "end_turn", CHAT: "stop", GEMINI: "STOP", RESPONSES: "completed"}
    say(draft, words[draft.format])
    if draft.format == RESPONSES:
        draft.body["incomplete_details"] = None


@broken(RULE, target=(ANTHROPIC, CHAT), check="response", cases=("shell/length-cut",))
def cut_as_tool_use(draft: Draft) -> None:
    """A reply that was cut off says that it has calls."""
    say(draft, "tool_use" if draft.format == ANTHROPIC else "tool_calls")


@broken(RULE, check="response")
def end_as_cut(draft: Draft) -> None:
    """A complete reply says that it was cut off."""
    need(not draft.calls and reason(draft) in ("end_turn", "stop", "STOP", "completed"))
    _cut(draft)


@broken(
    {
        ANTHROPIC: "anthropic/finish-reason",
        CHAT: "openai_chat/finish-known",
        RESPONSES: "openai_responses/finish-status",
        GEMINI: "gemini/finish-reason",
    },
    check="response",
)
def finish_in_foreign_words(draft: Draft) -> None:
    """The reason why a reply ended is in another format's words."""
    words = {ANTHROPIC: "tool_calls", CHAT: "tool_use", GEMINI: "tool_calls", RESPONSES: "tool_calls"}
    ends = {ANTHROPIC: "STOP", CHAT: "end_turn", GEMINI: "end_turn", RESPONSES: "stop"}
    say(draft, (words if draft.calls else ends)[draft.format])


@broken(
    {
        ANTHROPIC: "anthropic/finish-reason",
        CHAT: ("openai_chat/finish-known", "openai_chat/reply-choice", "openai_chat/reply-envelope", RULE),
        RESPONSES: RULE,
        GEMINI: RULE,
    },
    check="response",
)
def finish_missing(draft: Draft) -> None:
    """A reply does not say why it ended."""
    holder, key = _holder(draft)
    del holder[key]


@broken({ANTHROPIC: ("anthropic/finish-reason", RULE), CHAT: ("openai_chat/finish-known", RULE)}, check="response")
def finish_null(draft: Draft) -> None:
    """The reason why a reply ended is null, which only a stream may say."""
    say(draft, None)


@warning("translation/usage", target=(CHAT, RESPONSES, GEMINI), check="response")
def usage_lost(draft: Draft) -> None:
    """The token counts are gone."""
    usage = draft.body.pop("usageMetadata" if draft.format == GEMINI else "usage")
    need(not _details(usage) and not _details(draft.source))


@warning("translation/usage", target=(ANTHROPIC, CHAT, RESPONSES), check="response")
def usage_exchanged(draft: Draft) -> None:
    """The counts of input and output are exchanged."""
    usage = draft.body["usage"]
    need(not _details(usage) and not _details(draft.source))
    one, two = ("prompt_tokens", "completion_tokens") if draft.format == CHAT else ("input_tokens", "output_tokens")
    usage[one], usage[two] = usage[two], usage[one]


def _details(value: Any) -> bool:
    """Whether cached or thinking tokens are told apart: formats count those differently."""
    if isinstance(value, dict):
        return any(
            _details(entry)
            or (isinstance(entry, int) and entry and ("cache" in key or "reasoning" in key or "oughts" in key))
            for key, entry in value.items()
        )
    return isinstance(value, list) and any(map(_details, value))
