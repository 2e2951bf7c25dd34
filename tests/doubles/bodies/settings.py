"""Limits, sampling settings and flags: lost, at the wrong place, and in other words that say the same."""

from __future__ import annotations

import re
import struct
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
    config = {key: draft.body.pop(key) for key in list(draft.body) if key != "contents"}
    draft.body["config"] = need(config)


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


@harmless(target=GEMINI, beside=("gemini/temperature-range", "translation/setting-lost"))
def sampling_in_digits(draft: Draft) -> None:
    """Temperature and the like are texts of digits, which the mapping of protocol buffers to JSON takes for numbers."""
    config = draft.body.get("generationConfig", {})
    for key in need([key for key in ("temperature", "topP", "topK", "maxOutputTokens") if key in config]):
        config[key] = str(config[key])


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


@harmless(target=ANTHROPIC, beside=("translation/tool-choice", "translation/tool-lost"), at_home=())
def named_as_only_one_declared(draft: Draft) -> None:
    """A forced tool is the only one declared, and one must be called."""
    need(mode(draft) == "named")
    name = choice(draft)["name"]
    draft.body["tools"] = need([tool.entry for tool in draft.tools if tool.inner["name"] == name])
    draft.body["tool_choice"] = {**choice(draft), "type": "any"}
    del draft.body["tool_choice"]["name"]


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
    need(not re.match(r"o[0-9]", draft.body["model"]))
    draft.body["max_tokens"] = need(draft.body.pop(LIMITS[CHAT], None))


@harmless(beside="translation/setting-lost")
def temperature_as_float(draft: Draft) -> None:
    """The temperature 1 is spelt 1.0, and the other way round."""
    holder = draft.body.get("generationConfig", {}) if draft.format == GEMINI else draft.body
    value: Any = holder.get("temperature")
    need(value is not None and value == int(value))
    holder["temperature"] = int(value) if isinstance(value, float) else float(value)


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), cases=("grep/plain-end",), beside="translation/setting-lost")
def temperature_default_left_out(draft: Draft) -> None:
    """The temperature 1 is left out where the target documents it as the default."""
    need(draft.body.pop("temperature", None))


@harmless(target=(ANTHROPIC, CHAT, RESPONSES))
def stream_false(draft: Draft) -> None:
    """The request says that it wants no stream, which is the default."""
    draft.body["stream"] = False


@harmless(target=GEMINI, beside="gemini/generation-config-place")
def one_candidate_said_aloud(draft: Draft) -> None:
    """The request asks for one candidate, which is the default."""
    draft.body.setdefault("generationConfig", {}).setdefault("candidateCount", 1)


@harmless(target=CHAT)
def one_choice_said_aloud(draft: Draft) -> None:
    """The request asks for one choice, which is the default."""
    draft.body.setdefault("n", 1)


@harmless(target=(CHAT, RESPONSES))
def not_stored(draft: Draft) -> None:
    """The request asks not to be stored, which a translator may well want."""
    draft.body["store"] = False


@warning("translation/response-format-lost", target=(CHAT, RESPONSES, GEMINI), at_home=(CHAT, RESPONSES))
def response_format_lost(draft: Draft) -> None:
    """The format that a request asks of the answer is gone."""
    holder, prefix = settings(draft), "text" if draft.format == RESPONSES else "response"
    for key in need([key for key in holder if key.startswith(prefix)]):
        del holder[key]


@broken("translation/setting-changed")
def temperature_changed(draft: Draft) -> None:
    """The temperature is another one."""
    need(settings(draft).get("temperature") is not None and settings(draft)["temperature"] != 1)
    settings(draft)["temperature"] = 1


@broken("translation/setting-changed")
def temperature_on_another_scale(draft: Draft) -> None:
    """The temperature is half of what it was, as if the two scales were two measures."""
    settings(draft)["temperature"] = need(settings(draft).get("temperature")) / 2


@broken("translation/setting-changed")
def limit_raised(draft: Draft) -> None:
    """The limit of output tokens became four times as large."""
    key = LIMITS[draft.format]
    need(isinstance(_limit_of_source(draft), int) and "thinking" not in draft.body)
    settings(draft)[key] = need(settings(draft).get(key)) * 4


@broken("translation/setting-changed")
def limit_by_default(draft: Draft) -> None:
    """The limit of output tokens is the translator's own, whatever the client said."""
    key = LIMITS[draft.format]
    need(isinstance(_limit_of_source(draft), int) and settings(draft).get(key) not in (None, 4000))
    need("thinking" not in draft.body)
    settings(draft)[key] = 4000


def _limit_of_source(draft: Draft) -> Any:
    source = draft.source.get("generationConfig", {}) if draft.source_format == GEMINI else draft.source
    return source.get(LIMITS[draft.source_format], source.get("max_tokens"))


def _stops(draft: Draft) -> tuple[dict[str, Any], str]:
    key = {ANTHROPIC: "stop_sequences", CHAT: "stop", GEMINI: "stopSequences"}[draft.format]
    need(isinstance(settings(draft).get(key), list))
    return settings(draft), key


@broken("translation/setting-changed", target=(ANTHROPIC, CHAT, GEMINI))
def stop_cut(draft: Draft) -> None:
    """Only the first stop sequence is left."""
    holder, key = _stops(draft)
    need(len(holder[key]) > 1)
    holder[key] = holder[key][:1]


@harmless(target=(ANTHROPIC, CHAT, GEMINI), beside=("translation/setting-changed", "translation/setting-lost"))
def stop_in_another_order(draft: Draft) -> None:
    """The stop sequences stand in another order."""
    holder, key = _stops(draft)
    need(len(holder[key]) > 1)
    holder[key].reverse()


@broken("translation/setting-changed", target=(CHAT, RESPONSES), sources=(CHAT, RESPONSES))
def effort_lowered(draft: Draft) -> None:
    """How much to think is less, in a word that every model takes."""
    if draft.format == CHAT:
        need(draft.body.get("reasoning_effort") in ("medium", "high"))
        draft.body["reasoning_effort"] = "low"
    else:
        need(draft.body.get("reasoning", {}).get("effort") in ("medium", "high"))
        draft.body["reasoning"]["effort"] = "low"


@harmless(target=CHAT, sources=(ANTHROPIC,), beside="translation/setting-changed")
def limit_of_the_model(draft: Draft) -> None:
    """Of more tokens than the model can give those are asked for that it can."""
    need(draft.source.get("max_tokens", 0) > 32768 and "gpt-4.1" in str(draft.body.get("model")))
    draft.body["max_completion_tokens"] = 32768


@warning("translation/setting-adjusted", target=CHAT, sources=(ANTHROPIC,))
def limit_below_the_models(draft: Draft) -> None:
    """Of more tokens than the model can give only a few are asked for."""
    need(draft.source.get("max_tokens", 0) > 32768 and "gpt-4.1" in str(draft.body.get("model")))
    draft.body["max_completion_tokens"] = 8192


@broken("translation/setting-changed")
def top_p_changed(draft: Draft) -> None:
    """The share of top_p is another one."""
    key = "topP" if draft.format == GEMINI else "top_p"
    need(settings(draft).get(key) not in (None, 0.5))
    settings(draft)[key] = 0.5


@harmless(beside="translation/setting-changed")
def temperature_of_single_precision(draft: Draft) -> None:
    """The temperature is what is left of it in a number of four bytes."""
    value = settings(draft).get("temperature")
    need(isinstance(value, float) and value != int(value))
    (settings(draft)["temperature"],) = struct.unpack("f", struct.pack("f", value))


@warning("translation/setting-by-convention-changed", target=(CHAT, RESPONSES), sources=(ANTHROPIC,))
def user_id_of_the_translator(draft: Draft) -> None:
    """The id of the user is one for all."""
    need(draft.body.get("user"))
    draft.body["user"] = "everybody"


@warning("translation/setting-added", target=(ANTHROPIC, CHAT, GEMINI))
def stop_added(draft: Draft) -> None:
    """There is one stop sequence more."""
    holder, key = _stops(draft)
    holder[key].append("</calls>")


@warning("translation/response-format-changed", target=(CHAT, RESPONSES))
def response_format_without_schema(draft: Draft) -> None:
    """Of a schema for the answer only the wish for JSON is left."""
    holder = draft.body.get("text", {}) if draft.format == RESPONSES else draft.body
    key = "format" if draft.format == RESPONSES else "response_format"
    need(holder.get(key, {}).get("type") == "json_schema")
    holder[key] = {"type": "json_object"}


@warning("translation/setting-added")
def temperature_added(draft: Draft) -> None:
    """A temperature is set of which nobody spoke."""
    holder = draft.body.setdefault("generationConfig", {}) if draft.format == GEMINI else draft.body
    need("temperature" not in holder and "thinking" not in holder)  # which allows no other temperature
    holder["temperature"] = 0.7


@broken("translation/model-of-route", target=(ANTHROPIC, CHAT, RESPONSES))
def model_of_another_route(draft: Draft) -> None:
    """The request names a model that the route does not name."""
    draft.body["model"] = {ANTHROPIC: "claude-3-5-haiku-20241022"}.get(draft.format, "gpt-4o-mini-2024-07-18")


@broken("translation/model-of-route", target=(ANTHROPIC, CHAT, RESPONSES))
def model_of_the_client(draft: Draft) -> None:
    """The request names the client's model, which this provider does not have."""
    draft.body["model"] = need(draft.source.get("model"))
    need((draft.source_format == ANTHROPIC) != (draft.format == ANTHROPIC))


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside="translation/model-of-route")
def model_behind_its_provider(draft: Draft) -> None:
    """The name of the provider stands in front of the model's."""
    draft.body["model"] = f"{'anthropic' if draft.format == ANTHROPIC else 'openai'}/{need(draft.body.get('model'))}"


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside="translation/model-of-route")
def model_without_its_date(draft: Draft) -> None:
    """The model stands without the date of its snapshot."""
    name = str(need(draft.body.get("model")))
    draft.body["model"] = re.sub(r"-(\d{8}|\d{4}-\d{2}-\d{2})$", "", name)


@warning("translation/model-alias", target=(ANTHROPIC, CHAT, RESPONSES))
def model_by_an_alias(draft: Draft) -> None:
    """The model has a name that somebody may have configured."""
    draft.body["model"] = "our-deployment"


@broken("translation/stream-lost", target=CHAT, sources=(ANTHROPIC,))
def stream_lost(draft: Draft) -> None:
    """The client asks for a stream, and the provider is not asked for one."""
    need(draft.source.get("stream"))
    draft.body["stream"] = False
    draft.body.pop("stream_options", None)


@harmless(target=CHAT, sources=(ANTHROPIC,), beside="translation/stream-lost")
def stream_with_counts(draft: Draft) -> None:
    """The provider is asked for token counts behind the stream."""
    need(draft.source.get("stream"))
    draft.body["stream_options"] = {"include_usage": True, "include_obfuscation": False}


@broken("translation/usage-not-requested", target=CHAT)
def stream_without_counts(draft: Draft) -> None:
    """The provider is asked for a stream, and not for its token counts."""
    need(draft.body.get("stream"))
    del draft.body["stream_options"]


@broken("translation/usage-not-requested", target=CHAT)
def counts_refused(draft: Draft) -> None:
    """The provider is asked for a stream, and told to send no token counts."""
    need(draft.body.get("stream"))
    draft.body["stream_options"]["include_usage"] = False


@harmless(target=CHAT, beside="translation/usage-not-requested")
def counts_and_no_noise(draft: Draft) -> None:
    """The provider is asked for token counts, and to leave out the noise."""
    need(draft.body.get("stream"))
    draft.body["stream_options"] = {"include_usage": True, "include_obfuscation": False}
