"""Settings of service, penalties, metadata and words of one format alone: lost, exchanged, leaked."""

from __future__ import annotations

from typing import Any

from doubles.bodies.choice import choice, mode
from doubles.bodies.settings import settings
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

SERVICE = "translation/service-setting"
PENALTIES = {CHAT: ("frequency_penalty", "presence_penalty"), GEMINI: ("frequencyPenalty", "presencePenalty")}
PENALTY = "settings/seed-and-penalties"
OPENAI = (CHAT, RESPONSES)


@warning(SERVICE, target=OPENAI, sources=OPENAI)
def service_tier_lost(draft: Draft) -> None:
    """The tier by which the request is to be served is gone."""
    need(draft.body.pop("service_tier", None) not in (None, "auto"))


@warning(SERVICE, target=OPENAI, sources=OPENAI)
def service_tier_dearer(draft: Draft) -> None:
    """The request is served by the dear tier, not by the cheap one."""
    need(draft.body.get("service_tier") == "flex")
    draft.body["service_tier"] = "priority"


@warning(SERVICE, target=RESPONSES, sources=(CHAT,))
def stored_by_default(draft: Draft) -> None:
    """That nothing is to be stored is gone, and this API stores where nothing is said."""
    need(draft.body.pop("store", None) is False)


@harmless(target=CHAT, sources=(RESPONSES,))
def stored_unsaid(draft: Draft) -> None:
    """That nothing is to be stored is left out where that is the default."""
    need(draft.body.pop("store", None) is False)


@harmless(target=OPENAI)
def cache_key_of_the_translator(draft: Draft) -> None:
    """The translator keeps the requests of a route in one cache."""
    need("prompt_cache_key" not in draft.body)
    draft.body["prompt_cache_key"] = "route-7"


@broken("translation/setting-lost", target=OPENAI, sources=OPENAI)
def verbosity_lost(draft: Draft) -> None:
    """How many words the answer may have is gone."""
    holder = draft.body.get("text", {}) if draft.format == RESPONSES else draft.body
    need(holder.pop("verbosity", None) not in (None, "medium"))


@broken("translation/setting-changed", target=(CHAT, GEMINI), sources=(CHAT, GEMINI), cases=(PENALTY,))
def penalties_exchanged(draft: Draft) -> None:
    """The two penalties are exchanged."""
    first_key, second_key = PENALTIES[draft.format]
    holder = settings(draft)
    need(holder.get(first_key) != holder.get(second_key) and first_key in holder and second_key in holder)
    holder[first_key], holder[second_key] = holder[second_key], holder[first_key]


@broken("translation/setting-changed", target=ANTHROPIC, cases=("settings/top-p-and-stop",))
def stop_by_letters(draft: Draft) -> None:
    """Each letter of the one stop sequence became a stop sequence of its own."""
    (whole,) = need(draft.body.get("stop_sequences"))
    draft.body["stop_sequences"] = [letter for letter in whole if letter.strip()]


@broken("anthropic/stop-not-blank", cases=("settings/top-p-and-stop",))
def stop_at_line_ends(draft: Draft) -> None:
    """A line break is one more stop sequence."""
    need(draft.body.get("stop_sequences")).append("\n")


@broken("translation/tool-choice", target=ANTHROPIC, cases=("settings/top-p-and-stop",))
def parallel_alone_forces(draft: Draft) -> None:
    """Of the flag against parallel calls alone it is made that some tool must be called."""
    need(mode(draft) == "auto" and (choice(draft) or {}).get("disable_parallel_tool_use"))
    draft.body["tool_choice"]["type"] = "any"


@broken({CHAT: "openai_chat/metadata-strings", RESPONSES: "openai_responses/metadata-strings"}, sources=OPENAI)
def metadata_with_a_number(draft: Draft) -> None:
    """A value of the metadata became a number."""
    metadata = need(draft.body.get("metadata"))
    metadata[need([key for key, value in metadata.items() if value.isdigit()])[0]] = 7


@harmless(
    target=OPENAI,
    sources=OPENAI,
    beside={CHAT: "openai_chat/metadata-strings", RESPONSES: "openai_responses/metadata-strings"},
)
def metadata_in_another_order(draft: Draft) -> None:
    """The metadata stand in another order."""
    draft.body["metadata"] = dict(reversed(need(draft.body.get("metadata")).items()))


@broken(
    {
        ANTHROPIC: "anthropic/unknown-key",
        CHAT: ("openai_chat/unknown-parameter", "openai_chat/foreign-key"),
        RESPONSES: ("openai_responses/unknown-key", "openai_responses/foreign-key"),
        GEMINI: "gemini/unknown-key",
    },
    cases=("settings/own-words",),
)
def own_words_passed_on(draft: Draft) -> None:
    """What only the client's format knows stands in the request as it came."""
    words = {
        ANTHROPIC: ("context_management", "thinking"),
        CHAT: ("logit_bias",),
        RESPONSES: ("truncation", "max_tool_calls"),
        GEMINI: ("safetySettings",),
    }
    own_settings: dict[str, Any] = {key: draft.source[key] for key in words[draft.source_format] if key in draft.source}
    # The two formats of OpenAI refuse each other's words, but one of Anthropic's they share.
    need(own_settings and not (draft.source_format == ANTHROPIC and draft.format == RESPONSES))
    draft.body |= own_settings


@broken("anthropic/user-id-length", cases=("settings/top-p-and-stop",))
def user_id_padded(draft: Draft) -> None:
    """The id of the user came with so much around it that it is too long."""
    who = need(draft.body.get("metadata"))
    who["user_id"] = f"{who['user_id']}:{'0' * 250}"


@harmless(
    target=ANTHROPIC,
    cases=("settings/top-p-and-stop",),
    beside=("anthropic/user-id-length", "anthropic/stop-not-blank"),
    warns="translation/setting-by-convention-changed",
    at_home=(),
)
def user_id_hashed_and_long(draft: Draft) -> None:
    """The id of the user is as long as one may be."""
    need(draft.body.get("metadata"))["user_id"] = "5b" * 128


@broken("openai_chat/max-completion-tokens", cases=("answer_format/json-object",))
def max_tokens_to_a_reasoning_model(draft: Draft) -> None:
    """The limit stands under its old name, which reasoning models refuse."""
    draft.body["max_tokens"] = need(draft.body.pop("max_completion_tokens", None))


@broken("openai_responses/max-output-tokens-minimum")
def limit_of_one_token(draft: Draft) -> None:
    """The limit became one token, as for a probe."""
    need(draft.body.get("max_output_tokens"))
    draft.body["max_output_tokens"] = 1


@harmless(
    target=RESPONSES,
    sources=(ANTHROPIC, CHAT, GEMINI),
    cases=("settings/top-p-and-stop",),
    beside="openai_responses/max-output-tokens-minimum",
)
def limit_as_a_whole_number(draft: Draft) -> None:
    """The limit is spelt as a number with a fraction of nothing."""
    draft.body["max_output_tokens"] = float(need(draft.body.get("max_output_tokens")))


@broken("gemini/max-output-tokens")
def limit_without_bound(draft: Draft) -> None:
    """The limit became -1, which other servers take for none."""
    need(settings(draft).get("maxOutputTokens"))
    settings(draft)["maxOutputTokens"] = -1


EMPTY = "settings/empty-members"


@broken("anthropic/stop-not-blank", sources=[CHAT], cases=[EMPTY])
def empty_stop_as_blank(draft: Draft) -> None:
    """An empty list of stop sequences became one sequence that is empty."""
    draft.body["stop_sequences"] = [""]


@harmless(
    target=(CHAT, RESPONSES, GEMINI), cases=[EMPTY], beside=("translation/setting-lost", "translation/tool-choice")
)
def empty_members_left_out(draft: Draft) -> None:
    """Members that say nothing are left out."""
    empty = [key for key, value in draft.body.items() if value in (None, "", [], {}) or value == {"summary": None}]
    for key in need(empty):
        del draft.body[key]


@warning("translation/thoughts-not-shown", target=GEMINI, sources=(RESPONSES,))
def thoughts_turned_off(draft: Draft) -> None:
    """The client asks for summaries of the thoughts, and they are turned off."""
    thinking = need(settings(draft).get("thinkingConfig"))
    need(thinking.get("includeThoughts"))
    thinking["includeThoughts"] = False


@warning("translation/thoughts-not-shown", target=RESPONSES, sources=(GEMINI,))
def thoughts_not_asked_for(draft: Draft) -> None:
    """The client asks for thoughts, and the request says how much to think alone."""
    thinking = need(draft.body.get("reasoning"))
    need(thinking.get("effort") and thinking.pop("summary", None))


@harmless(target=RESPONSES, sources=(GEMINI,))
def thoughts_in_detail(draft: Draft) -> None:
    """Thoughts are asked for in detail."""
    need(draft.body.get("reasoning", {}).get("summary"))
    draft.body["reasoning"]["summary"] = "detailed"


@warning("translation/thinking-turned-off", target=GEMINI, sources=(ANTHROPIC, CHAT, RESPONSES))
def thinking_turned_off(draft: Draft) -> None:
    """A budget in the target's measure became 0."""
    thinking = need(settings(draft).get("thinkingConfig"))
    need(thinking.get("thinkingBudget"))
    thinking["thinkingBudget"] = 0


@harmless(target=GEMINI, sources=(ANTHROPIC, CHAT, RESPONSES))
def thinking_as_the_model_likes(draft: Draft) -> None:
    """How much to think is left to the model."""
    thinking = need(settings(draft).get("thinkingConfig"))
    need(thinking.get("thinkingBudget"))
    thinking["thinkingBudget"] = -1
