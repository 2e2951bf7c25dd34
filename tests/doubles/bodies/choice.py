"""Tool choice and the parallel flag."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need
from doubles.draft import Draft

RULE = "translation/tool-choice"


def choice(draft: Draft) -> Any:
    """The tool choice as the body spells it, None for none."""
    if draft.format == GEMINI:
        return (draft.body.get("toolConfig") or {}).get("functionCallingConfig")
    return draft.body.get("tool_choice")


def mode(draft: Draft) -> str:
    """auto, required, none, named or subset."""
    stated = choice(draft)
    if stated is None:
        return "auto"
    if isinstance(stated, str):
        return stated
    if draft.format == GEMINI:
        names = stated.get("allowedFunctionNames")
        plain = {"AUTO": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}[stated["mode"]]
        return plain if not names else "named" if len(names) == 1 else "subset"
    if draft.format == ANTHROPIC:
        return {"auto": "auto", "any": "required", "none": "none", "tool": "named"}[stated["type"]]
    return "subset" if stated["type"] == "allowed_tools" else "named"


def choose(draft: Draft, choice_word: str) -> None:
    """Write auto, required or none."""
    if draft.format == GEMINI:
        words = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
        draft.body["toolConfig"] = {"functionCallingConfig": {"mode": words[choice_word]}}
    elif draft.format == ANTHROPIC:
        rest = {key: value for key, value in (choice(draft) or {}).items() if key == "disable_parallel_tool_use"}
        draft.body["tool_choice"] = {"type": {"required": "any"}.get(choice_word, choice_word), **rest}
    else:
        draft.body["tool_choice"] = choice_word


def named_in(stated: Any) -> Any:
    """What has the name of a forced tool in OpenAI's two formats."""
    return stated.get("function") or stated.get("custom") or stated


def forget(draft: Draft) -> None:
    draft.body.pop("toolConfig" if draft.format == GEMINI else "tool_choice", None)


@broken(RULE)
def choice_auto_to_required(draft: Draft) -> None:
    """A free choice became that a tool must be called."""
    need(draft.tools and mode(draft) == "auto")
    choose(draft, "required")


@broken(RULE)
def choice_named_another(draft: Draft) -> None:
    """Another tool than the forced one is forced."""
    need(mode(draft) == "named")
    stated = choice(draft)
    if draft.format == GEMINI:
        names = [tool.inner["name"] for tool in draft.tools]
        stated["allowedFunctionNames"] = [next(n for n in names if n not in stated["allowedFunctionNames"])]
    else:
        inner = named_in(stated)
        inner["name"] = next(tool.inner["name"] for tool in draft.tools if tool.inner["name"] != inner["name"])


@broken(RULE, cases=("grep/choice-subset",))
def choice_subset_to_auto(draft: Draft) -> None:
    """That one of some tools must be called became a free choice."""
    choose(draft, "auto")


@broken("openai_responses/tool-choice-flat")
def choice_nested(draft: Draft) -> None:
    """A forced tool is named inside the key function, as in Chat Completions."""
    need(mode(draft) == "named")
    draft.body["tool_choice"] = {"type": "function", "function": {"name": choice(draft)["name"]}}


@broken("openai_chat/tool-choice-named")
def choice_flat(draft: Draft) -> None:
    """A forced tool is named without the key function, as in Responses."""
    need(mode(draft) == "named")
    draft.body["tool_choice"] = {"type": choice(draft)["type"], "name": named_in(choice(draft))["name"]}


@broken(
    {
        CHAT: ("openai_chat/tool-choice-form", "openai_chat/tool-choice-named"),
        RESPONSES: ("openai_responses/tool-choice-form", "openai_responses/tool-choice-flat"),
    }
)
def choice_in_anthropic_shape(draft: Draft) -> None:
    """The choice is an object as Anthropic has it."""
    words = {"auto": {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}
    draft.body["tool_choice"] = need(words.get(mode(draft)) if choice(draft) is not None else None)


@broken("{format}/tool-choice-form", target=(CHAT, RESPONSES))
def choice_any(draft: Draft) -> None:
    """The choice says any, which is Anthropic's and Gemini's word."""
    need(mode(draft) == "required")
    draft.body["tool_choice"] = "any"


@broken("anthropic/tool-choice-shape")
def choice_as_text(draft: Draft) -> None:
    """The choice is a text where an object belongs."""
    need(choice(draft))
    draft.body["tool_choice"] = {"required": "any"}.get(mode(draft), "auto")


@broken("gemini/tool-choice-mode")
def choice_required_as_mode(draft: Draft) -> None:
    """The mode is OpenAI's word required."""
    need(mode(draft) == "required")
    choice(draft)["mode"] = "REQUIRED"


@broken("gemini/unknown-key")
def choice_beside_tools(draft: Draft) -> None:
    """The choice stands at the top as in OpenAI's formats."""
    need(choice(draft))
    draft.body["tool_choice"] = mode(draft)


@broken("gemini/allowed-names-mode")
def names_allowed_with_auto(draft: Draft) -> None:
    """Names are allowed, but the mode is AUTO, where they do not count."""
    need(mode(draft) in ("named", "subset"))
    choice(draft)["mode"] = "AUTO"


@broken("translation/parallel-flag", target=(ANTHROPIC, CHAT, RESPONSES), sources=(ANTHROPIC, CHAT, RESPONSES))
def parallel_flag_lost(draft: Draft) -> None:
    """That calls must not be parallel is not said any more."""
    if draft.format == ANTHROPIC:
        need((choice(draft) or {}).get("disable_parallel_tool_use"))
        del choice(draft)["disable_parallel_tool_use"]
    else:
        need(draft.body.get("parallel_tool_calls") is False)
        del draft.body["parallel_tool_calls"]


@broken("translation/parallel-flag", target=(ANTHROPIC, CHAT, RESPONSES), sources=(ANTHROPIC, CHAT, RESPONSES))
def parallel_flag_turned(draft: Draft) -> None:
    """The parallel flag says the opposite."""
    if draft.format == ANTHROPIC:
        need("disable_parallel_tool_use" in (choice(draft) or {}))
        choice(draft)["disable_parallel_tool_use"] = not choice(draft)["disable_parallel_tool_use"]
    else:
        need("parallel_tool_calls" in draft.body)
        draft.body["parallel_tool_calls"] = not draft.body["parallel_tool_calls"]


@broken("translation/parallel-flag", target=(CHAT, RESPONSES))
def parallel_flag_invented(draft: Draft) -> None:
    """Parallel calls are forbidden though nobody asked for that."""
    need(draft.tools and "parallel_tool_calls" not in draft.body)
    draft.body["parallel_tool_calls"] = False


def _becomes(fault: str, was: str, choice_word: str | None, title: str, **where: Any) -> None:
    """A double that turns one choice into another, or says nothing of it any more."""

    def change(draft: Draft) -> None:
        need(mode(draft) == was)
        if choice_word is None:
            forget(draft)
        else:
            choose(draft, choice_word)

    broken(RULE, fault=fault, title=title, **where)(change)


_becomes("choice-none-lost", "none", None, "That no tool may be called is not said any more")
_becomes("choice-none-to-auto", "none", "auto", "That no tool may be called became a free choice")
_becomes("choice-none-to-required", "none", "required", "That no tool may be called became that one must")
_becomes("choice-required-to-auto", "required", "auto", "That a tool must be called became a free choice")
_becomes("choice-required-lost", "required", None, "That a tool must be called is not said any more")
_becomes("choice-named-to-auto", "named", "auto", "A forced tool became a free choice")
_becomes("choice-named-to-required", "named", "required", "A forced tool became any tool")
_becomes(
    "choice-subset-lost",
    "subset",
    "required",
    "Any tool may be called where only some were allowed",
    target=(CHAT, RESPONSES, GEMINI),
)


@broken(
    "translation/parallel-flag",
    target=(ANTHROPIC, CHAT, RESPONSES),
    sources=(ANTHROPIC, CHAT, RESPONSES),
    cases=("write_file/named-and-single",),
)
def parallel_flag_lost_beside_a_name(draft: Draft) -> None:
    """The parallel flag is translated beside a free choice, and lost where one tool is forced by its name."""
    need(mode(draft) == "named")
    if draft.format == ANTHROPIC:
        del choice(draft)["disable_parallel_tool_use"]
    else:
        del draft.body["parallel_tool_calls"]


@broken(RULE, sources=(GEMINI,), target=(ANTHROPIC, CHAT, RESPONSES), cases=("grep/choice-validated",))
def validated_forces(draft: Draft) -> None:
    """Gemini's mode VALIDATED, in which the model may choose, became that a tool must be called."""
    choose(draft, "required")


@harmless(sources=(GEMINI,), target=(ANTHROPIC, CHAT, RESPONSES), cases=("grep/choice-validated",), beside=RULE)
def validated_unsaid(draft: Draft) -> None:
    """Gemini's mode VALIDATED is left out where a free choice is the default."""
    need(choice(draft) is not None)
    forget(draft)


@broken(RULE, sources=(CHAT, RESPONSES), cases=("settings/empty-members",))
def null_choice_forbids(draft: Draft) -> None:
    """A choice of null, which says nothing, became that no tool may be called."""
    choose(draft, "none")
