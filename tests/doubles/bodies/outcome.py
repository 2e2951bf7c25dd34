"""How a reply ended: reasons that are lost, turned round or in another format's words."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

RULE = "translation/finish-reason"
EMPTY = "translation/empty-success"


def _holder(draft: Draft) -> tuple[dict[str, Any], str]:
    if draft.format == ANTHROPIC:
        return draft.body, "stop_reason"
    if draft.format == CHAT:
        return draft.body["choices"][0], "finish_reason"
    if draft.format == GEMINI:
        return need(draft.body.get("candidates"))[0], "finishReason"
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


@warning("translation/finish-beside-calls", target=CHAT, check="response")
def calls_stop(draft: Draft) -> None:
    """A reply with calls says stop, as Gemini does; agents look at the calls and run them."""
    need(draft.calls and reason(draft) == "tool_calls")
    # Where one function was forced, the provider itself says stop.
    need(not isinstance(draft.asked.get("tool_choice"), dict))
    say(draft, "stop")


@harmless(target=CHAT, check="response", beside=RULE, cases=("read_file/choice-named",))
def forced_calls_stop(draft: Draft) -> None:
    """A reply with a call that the request forced says stop, as the provider itself does."""
    need(draft.calls and reason(draft) == "tool_calls")
    need(isinstance(draft.asked.get("tool_choice"), dict) and draft.asked["tool_choice"].get("function"))
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


def end_well(draft: Draft) -> None:
    """Say that the reply is whole."""
    say(draft, {ANTHROPIC: "end_turn", CHAT: "stop", GEMINI: "STOP", RESPONSES: "completed"}[draft.format])
    if draft.format == RESPONSES:
        draft.body["incomplete_details"] = draft.body["error"] = None
        for item in draft.body["output"]:
            item["status"] = "completed"


FAILED = ("errors/reply-fails", "errors/reply-blocked")


@broken(EMPTY, check="response", cases=FAILED)
def failure_as_empty_success(draft: Draft) -> None:
    """A reply that failed, or was held back, is an empty one that ended well."""
    need(not draft.calls and not draft.texts)
    end_well(draft)


@broken(EMPTY, check="response", target=(CHAT, RESPONSES, GEMINI), cases=("errors/turn-paused",))
def pause_as_empty_success(draft: Draft) -> None:
    """A reply that was paused lost its words, and ended well."""
    end_well(draft)
    if draft.format == RESPONSES:
        draft.body["output"] = []
    else:
        _answer(draft).clear() if draft.format == GEMINI else draft.messages[0].update(content=None)


@harmless(
    check="response",
    cases=FAILED,
    beside=EMPTY,
    warns=("translation/failed-reply-reason", RULE),
    target=(ANTHROPIC, CHAT, GEMINI),
    sources=(GEMINI, RESPONSES),
)
def failure_told_in_words(draft: Draft) -> None:
    """A reply that failed, or was held back, says so in words, and its reason is the nearest."""
    need(not draft.calls and not draft.texts)
    text = "The provider gave no answer: its reply failed."
    if draft.format == CHAT:
        draft.messages[0]["content"] = text
    else:
        _answer(draft).append({"text": text} if draft.format == GEMINI else {"type": "text", "text": text})


def _answer(draft: Draft) -> list[Any]:
    """The blocks or parts of a reply."""
    if draft.format == ANTHROPIC:
        return draft.body["content"]  # type: ignore[no-any-return]
    return draft.body["candidates"][0]["content"].setdefault("parts", [])  # type: ignore[no-any-return]


@harmless(check="response", cases=FAILED[:1], beside=EMPTY, target=CHAT, sources=(GEMINI, RESPONSES))
def failure_as_cut(draft: Draft) -> None:
    """A reply that failed ends as if it had been cut."""
    need(not draft.calls and not draft.texts)
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


@broken("translation/usage-lost", target=(CHAT, RESPONSES, GEMINI), check="response")
def usage_lost(draft: Draft) -> None:
    """The token counts are gone."""
    need(draft.body.pop("usageMetadata" if draft.format == GEMINI else "usage", None))


COUNTS = {
    ANTHROPIC: ("usage", ("input_tokens", "output_tokens")),
    CHAT: ("usage", ("prompt_tokens", "completion_tokens", "total_tokens")),
    RESPONSES: ("usage", ("input_tokens", "output_tokens", "total_tokens")),
    GEMINI: ("usageMetadata", ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")),
}


@broken("translation/usage-lost", check="response")
def usage_zero(draft: Draft) -> None:
    """All token counts are zero."""
    place, names = COUNTS[draft.format]
    need(any(need(draft.body.get(place)).get(name) for name in names))
    draft.body[place] = {
        **({"input_tokens_details": {"cached_tokens": 0}} if draft.format == RESPONSES else {}),
        **({"output_tokens_details": {"reasoning_tokens": 0}} if draft.format == RESPONSES else {}),
        **dict.fromkeys(names, 0),
    }


@warning("translation/usage-details", target=(CHAT, RESPONSES, GEMINI), check="response")
def cached_tokens_untold(draft: Draft) -> None:
    """How many tokens came from a cache is not told, though all of them are counted."""
    place, _ = COUNTS[draft.format]
    usage = need(draft.body.get(place))
    if draft.format == GEMINI:
        need(usage.pop("cachedContentTokenCount", 0))
    else:
        key = "prompt_tokens_details" if draft.format == CHAT else "input_tokens_details"
        need(usage.get(key, {}).get("cached_tokens"))
        usage[key]["cached_tokens"] = 0


@harmless(target=CHAT, check="response", beside="translation/usage-lost")
def details_untold(draft: Draft) -> None:
    """Only the sums are told, where no token came from a cache and none was thinking."""
    usage = need(draft.body.get("usage"))
    need(not _details(usage) and not _details(draft.source))
    for key in need([key for key in usage if key.endswith("_details")]):
        del usage[key]


@warning("translation/usage", target=(ANTHROPIC, CHAT, RESPONSES), check="response")
def usage_exchanged(draft: Draft) -> None:
    """The counts of input and output are exchanged."""
    usage = draft.body["usage"]
    need(not _details(usage) and not _details(draft.source))
    first_key, second_key = (
        ("prompt_tokens", "completion_tokens") if draft.format == CHAT else ("input_tokens", "output_tokens")
    )
    usage[first_key], usage[second_key] = usage[second_key], usage[first_key]


def _details(value: Any) -> bool:
    """Whether cached or thinking tokens are told apart: formats count those differently."""
    if isinstance(value, dict):
        return any(
            _details(entry)
            or (isinstance(entry, int) and entry and ("cache" in key or "reasoning" in key or "oughts" in key))
            for key, entry in value.items()
        )
    return isinstance(value, list) and any(map(_details, value))


@warning(RULE, target=ANTHROPIC, sources=(CHAT, RESPONSES), check="response", cases=("streaming/refusal",))
def refusal_in_words_ends_turn(draft: Draft) -> None:
    """The words of a refusal arrive, and the reply says that the turn is over; so did the provider's."""
    need(reason(draft) == "refusal")
    say(draft, "end_turn")
