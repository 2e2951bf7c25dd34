"""Limits, sampling settings and flags: lost, at the wrong place, and in other words that say the same."""

from __future__ import annotations

from typing import Any

from doubles.bodies.choice import choice, mode
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

LIMITS = {
    ANTHROPIC: "max_tokens",
    CHAT: "max_completion_tokens",
    RESPONSES: "max_output_tokens",
    GEMINI: "maxOutputTokens",
}


def settings(draft: Draft) -> dict[str, Any]:
    """Where the sampling settings stand."""
    return draft.body.setdefault("generationConfig", {}) if draft.format == GEMINI else draft.body


@broken("translation/setting-lost", target=(CHAT, RESPONSES, GEMINI))
def limit_lost(draft: Draft) -> None:
    """The limit of output tokens is gone."""
    need(settings(draft).pop(LIMITS[draft.format], None))


@broken("anthropic/max-tokens")
def max_tokens_missing(draft: Draft) -> None:
    """The limit of output tokens is gone where the API demands one."""
    del draft.body["max_tokens"]


@broken("translation/setting-lost")
def temperature_lost(draft: Draft) -> None:
    """The temperature is gone; zero is one, too."""
    need("temperature" in settings(draft) and settings(draft)["temperature"] != 1)
    del settings(draft)["temperature"]


@broken("translation/setting-lost", target=(ANTHROPIC, CHAT, GEMINI))
def stop_lost(draft: Draft) -> None:
    """The stop sequences are gone."""
    need(settings(draft).pop({ANTHROPIC: "stop_sequences", CHAT: "stop", GEMINI: "stopSequences"}[draft.format], None))


@broken("translation/setting-lost")
def top_p_lost(draft: Draft) -> None:
    """The setting top_p is gone."""
    need(settings(draft).pop("topP" if draft.format == GEMINI else "top_p", None))


@broken("translation/setting-lost", target=(CHAT, GEMINI))
def seed_lost(draft: Draft) -> None:
    """The seed is gone."""
    need(settings(draft).pop("seed", None))


@broken(("gemini/generation-config-place", "gemini/unknown-key"))
def settings_at_the_top(draft: Draft) -> None:
    """Sampling settings stand at the top instead of in generationConfig."""
    draft.body |= need(draft.body.pop("generationConfig", None))


@broken("gemini/no-config")
def settings_in_config(draft: Draft) -> None:
    """Tools and settings stand under config, which only the SDK knows."""
    kept = {key: draft.body.pop(key) for key in list(draft.body) if key != "contents"}
    draft.body["config"] = need(kept)


@harmless(beside="translation/tool-choice")
def choice_auto_said_aloud(draft: Draft) -> None:
    """The choice auto is said, which is the default."""
    need(draft.tools and choice(draft) is None)
    if draft.format == GEMINI:
        draft.body["toolConfig"] = {"functionCallingConfig": {"mode": "AUTO"}}
    else:
        draft.body["tool_choice"] = {"type": "auto"} if draft.format == ANTHROPIC else "auto"


@harmless(beside="translation/tool-choice")
def choice_auto_left_out(draft: Draft) -> None:
    """The choice auto is left out, as it is the default."""
    need(choice(draft) is not None and mode(draft) == "auto")
    need(draft.format != ANTHROPIC or not choice(draft).get("disable_parallel_tool_use"))
    draft.body.pop("toolConfig" if draft.format == GEMINI else "tool_choice")


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside="translation/parallel-flag")
def parallel_said_aloud(draft: Draft) -> None:
    """That calls may be parallel is said, which is the default."""
    need(draft.tools)
    if draft.format == ANTHROPIC:
        need(choice(draft) and mode(draft) != "none" and "disable_parallel_tool_use" not in choice(draft))
        draft.body["tool_choice"]["disable_parallel_tool_use"] = False
    else:
        need("parallel_tool_calls" not in draft.body)
        draft.body["parallel_tool_calls"] = True


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside="translation/parallel-flag")
def parallel_left_out(draft: Draft) -> None:
    """That calls may be parallel is left out, as it is the default."""
    if draft.format == ANTHROPIC:
        need(draft.body.get("tool_choice", {}).get("disable_parallel_tool_use") is False)
        del draft.body["tool_choice"]["disable_parallel_tool_use"]
    else:
        need(draft.body.get("parallel_tool_calls") is True)
        del draft.body["parallel_tool_calls"]


@harmless(target=(CHAT, RESPONSES), beside="translation/tool-choice")
def named_as_only_one_allowed(draft: Draft) -> None:
    """A forced tool is the only one in a list of allowed tools of which one must be called."""
    need(mode(draft) == "named")
    stated = choice(draft)
    allowed = {"mode": "required", "tools": [stated]}
    inner = (
        {"type": "allowed_tools", "allowed_tools": allowed}
        if draft.format == CHAT
        else {"type": "allowed_tools", **allowed}
    )
    draft.body["tool_choice"] = inner


@harmless(target=ANTHROPIC, beside=("translation/tool-choice", "translation/tool-lost"))
def named_as_only_one_declared(draft: Draft) -> None:
    """A forced tool is the only one declared, and one must be called."""
    need(mode(draft) == "named")
    name = choice(draft)["name"]
    draft.body["tools"] = [tool.entry for tool in draft.tools if tool.inner["name"] == name]
    draft.body["tool_choice"] = {"type": "any"}


@harmless(target=ANTHROPIC, cases=("grep/choice-subset",), beside=("translation/tool-choice", "translation/tool-lost"))
def subset_as_filtered_tools(draft: Draft) -> None:
    """Where a subset cannot be named, the other tools are not declared; the order is another one."""
    need(mode(draft) == "required" and len(draft.tools) == 2)
    draft.body["tools"].reverse()


@harmless(
    target=GEMINI, beside=("gemini/allowed-names-declared", "gemini/allowed-names-mode", "translation/tool-choice")
)
def names_allowed_all(draft: Draft) -> None:
    """One of all the declared tools, by name, must be called."""
    need(mode(draft) == "required")
    choice(draft)["allowedFunctionNames"] = [tool.inner["name"] for tool in draft.tools]


@harmless(target=ANTHROPIC, beside="anthropic/max-tokens")
def max_tokens_another_default(draft: Draft) -> None:
    """Where the source sets no limit, the one that the API demands is another number."""
    source = str(draft.source)
    need(
        not any(
            word in source for word in ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
        )
    )
    draft.body["max_tokens"] = 8192


@harmless(target=CHAT, beside="openai_chat/max-completion-tokens")
def max_tokens_by_old_name(draft: Draft) -> None:
    """The limit stands under the deprecated max_tokens, which this model takes."""
    draft.body["max_tokens"] = need(draft.body.pop(LIMITS[CHAT], None))


@harmless(beside="translation/setting-lost")
def temperature_as_float(draft: Draft) -> None:
    """The temperature 1 is spelt 1.0, and the other way round."""
    holder = draft.body.get("generationConfig", {}) if draft.format == GEMINI else draft.body
    value: Any = holder.get("temperature")
    need(value is not None and value == int(value))
    holder["temperature"] = int(value) if isinstance(value, float) else float(value)


@harmless(
    target=(ANTHROPIC, CHAT, RESPONSES),
    sources=(ANTHROPIC, CHAT, RESPONSES),
    cases=("grep/plain-end",),
    beside="translation/setting-lost",
)
def temperature_default_left_out(draft: Draft) -> None:
    """The temperature 1 is left out where both sides document it as the default."""
    need(draft.body.pop("temperature", None))


@harmless(target=(ANTHROPIC, CHAT, RESPONSES))
def stream_false(draft: Draft) -> None:
    """The request says that it wants no stream, which is the default."""
    draft.body["stream"] = False


@harmless(target=GEMINI, beside="gemini/generation-config-place")
def one_candidate_said_aloud(draft: Draft) -> None:
    """The request asks for one candidate, which is the default."""
    draft.body.setdefault("generationConfig", {})["candidateCount"] = 1


@harmless(target=CHAT)
def one_choice_said_aloud(draft: Draft) -> None:
    """The request asks for one choice, which is the default."""
    draft.body["n"] = 1


@harmless(target=(CHAT, RESPONSES))
def not_stored(draft: Draft) -> None:
    """The request asks not to be stored, which a translator may well want."""
    draft.body["store"] = False


@warning("translation/response-format-lost", target=(CHAT, RESPONSES, GEMINI))
def response_format_lost(draft: Draft) -> None:
    """The format that a request asks of the answer is gone."""
    holder, prefix = settings(draft), "text" if draft.format == RESPONSES else "response"
    for key in need([key for key in holder if key.startswith(prefix)]):
        del holder[key]


@warning("translation/setting-changed")
def temperature_changed(draft: Draft) -> None:
    """The temperature is another one."""
    holder = draft.body.get("generationConfig", {}) if draft.format == GEMINI else draft.body
    need(holder.get("temperature") is not None and holder["temperature"] != 1)
    holder["temperature"] = 1


@warning("translation/setting-added")
def temperature_added(draft: Draft) -> None:
    """A temperature is set of which nobody spoke."""
    holder = draft.body.setdefault("generationConfig", {}) if draft.format == GEMINI else draft.body
    need("temperature" not in holder)
    holder["temperature"] = 0.7


@warning("translation/model-of-route", target=(ANTHROPIC, CHAT, RESPONSES))
def model_of_another_route(draft: Draft) -> None:
    """The request names a model that the route does not name."""
    draft.body["model"] = {ANTHROPIC: "claude-3-5-haiku-20241022"}.get(draft.format, "gpt-4o-mini-2024-07-18")
