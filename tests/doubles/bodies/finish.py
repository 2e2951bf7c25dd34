"""Replies that were cut, held back or failed behind something, that say nothing, or of which there are several."""

from __future__ import annotations

import json

from doubles.bodies.outcome import end_well, say
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft, copied

RULE = "translation/finish-reason"
EMPTY = "translation/empty-success"
FAILED = "translation/failed-reply-reason"
AS_WHOLE = "translation/cut-call-as-whole"
CALLED = "finish/length-with-call"
CUT = "finish/length-amid-arguments"
SEVERAL = "finish/several-choices"
ASK_FOR_SEVERAL = (CHAT, GEMINI)
SAID_NOTHING = ("finish/length-before-words", "finish/other-reason", "finish/unexpected-call")


def _end_with_calls(draft: Draft) -> None:
    """Say what the target says of a reply whose calls are to be run."""
    end_well(draft)
    if draft.format in (ANTHROPIC, CHAT):
        say(draft, "tool_use" if draft.format == ANTHROPIC else "tool_calls")


@broken(RULE, check="response", cases=(CALLED,))
def cut_reply_has_calls(draft: Draft) -> None:
    """A reply that was cut behind a call says that its calls are to be run."""
    need(draft.calls)
    _end_with_calls(draft)


@broken("translation/call-lost", check="response", cases=(CALLED,))
def call_of_cut_reply_dropped(draft: Draft) -> None:
    """A reply that was cut lost its call, which is whole."""
    for call in need(draft.calls):
        call.holder.remove(call.entry)
    draft.tidy()


@harmless(
    check="response",
    target=ANTHROPIC,
    cases=(CALLED,),
    beside=("anthropic/finish-reason", "anthropic/finish-agrees-with-calls"),
)
def cut_as_full_window(draft: Draft) -> None:
    """A reply that was cut behind a call says so in the word for a full context window."""
    say(draft, "model_context_window_exceeded")


@broken(
    AS_WHOLE,
    check="response",
    target=(ANTHROPIC, GEMINI, CHAT),
    sources=(CHAT, RESPONSES),
    cases=(CUT,),
)
def cut_arguments_emptied(draft: Draft) -> None:
    """A call whose arguments were cut has none at all, as if that were what the model wrote."""
    need(len(draft.calls) > 1)
    draft.calls[-1].arguments = {}


@broken(
    AS_WHOLE,
    check="response",
    sources=(CHAT, RESPONSES),
    cases=(CUT,),
)
def cut_arguments_repaired(draft: Draft) -> None:
    """Arguments that were cut are closed where they stop, as if the model had written them so."""
    need(len(draft.calls) > 1)
    draft.calls[-1].arguments = {"text": "good ni"}


@harmless(
    check="response",
    target=(ANTHROPIC, GEMINI),
    sources=(CHAT, RESPONSES),
    cases=(CUT,),
    beside=("translation/arguments", AS_WHOLE),
)
def cut_arguments_under_another_key(draft: Draft) -> None:
    """Arguments that were cut stand as text under a key of the translator's own choice."""
    need(len(draft.calls) > 1)
    draft.calls[-1].arguments = {"unparsed": '{"text": "good ni'}


@harmless(check="response", sources=(CHAT, RESPONSES), cases=(CUT,), beside=("translation/call-lost", AS_WHOLE))
def cut_call_left_out(draft: Draft) -> None:
    """A call whose arguments were cut is left out, and the reply says that it was cut."""
    need(len(draft.calls) > 1)
    draft.calls[-1].holder.remove(draft.calls[-1].entry)


@broken("translation/call-lost", check="response", sources=(CHAT, RESPONSES), cases=(CUT,))
def cut_call_left_out_unsaid(draft: Draft) -> None:
    """A call whose arguments were cut is left out, and the reply says that its calls are to be run."""
    need(len(draft.calls) > 1)
    draft.calls[-1].holder.remove(draft.calls[-1].entry)
    _end_with_calls(draft)


@broken(EMPTY, check="response", cases=SAID_NOTHING)
def nothing_said_as_success(draft: Draft) -> None:
    """A reply that was cut or failed before its first word ended well, and is empty."""
    need(not draft.calls and not draft.texts)
    end_well(draft)


@harmless(check="response", target=CHAT, cases=SAID_NOTHING[:1], beside=EMPTY)
def nothing_said_as_blank(draft: Draft) -> None:
    """A reply that was cut before its first word has an empty text."""
    draft.messages[0]["content"] = ""


@broken(
    RULE, check="response", target=(CHAT, RESPONSES, GEMINI), sources=(ANTHROPIC,), cases=("finish/context-window",)
)
def full_window_as_end(draft: Draft) -> None:
    """A reply that ran out of context window says that it is complete."""
    end_well(draft)


@broken(RULE, check="response", target=(CHAT, GEMINI), cases=("finish/stop-sequence",))
def stop_sequence_as_cut(draft: Draft) -> None:
    """A reply that ended at a stop sequence says that the token limit cut it."""
    say(draft, "length" if draft.format == CHAT else "MAX_TOKENS")


WITH_FILTER = (CHAT, RESPONSES, GEMINI)


@broken(RULE, check="response", target=WITH_FILTER, sources=WITH_FILTER, cases=("finish/filter-amid-text",))
def filtered_as_end(draft: Draft) -> None:
    """A reply that a filter broke off says that it is complete."""
    end_well(draft)


@broken(RULE, check="response", cases=("finish/filter-behind-call",))
def filtered_reply_has_calls(draft: Draft) -> None:
    """A reply that a filter broke off behind a call says that its calls are to be run."""
    need(draft.calls)
    _end_with_calls(draft)


@warning(FAILED, check="response", target=(ANTHROPIC, CHAT), sources=(GEMINI,), cases=("finish/unexpected-call",))
def refused_call_passed_on(draft: Draft) -> None:
    """A call that its own provider calls unusable is handed to the client to be run."""
    arguments = {"ingredients": ["rhubarb"]}
    if draft.format == ANTHROPIC:
        block = {"type": "tool_use", "id": "toolu_7Ke2vW", "name": "rank_recipes", "input": arguments}
        draft.body["content"].append(block)
    else:
        function = {"name": "rank_recipes", "arguments": json.dumps(arguments)}
        draft.messages[0]["tool_calls"] = [{"id": "call_7Ke2vW", "type": "function", "function": function}]
    _end_with_calls(draft)


@broken(
    EMPTY, check="response", target=(ANTHROPIC, CHAT), sources=(GEMINI, RESPONSES), cases=("finish/fails-behind-text",)
)
def failure_and_its_words_dropped(draft: Draft) -> None:
    """A reply that failed behind its first words lost these, and ended well."""
    end_well(draft)
    if draft.format == CHAT:
        draft.messages[0]["content"] = None
    else:
        draft.body["content"].clear()


@harmless(
    check="response",
    target=CHAT,
    sources=(GEMINI, RESPONSES),
    cases=("finish/fails-behind-text",),
    beside=("openai_chat/finish-known", "openai_chat/finish-without-calls"),
)
def failure_behind_text_as_cut(draft: Draft) -> None:
    """A reply that failed behind its first words ends as if it had been cut."""
    say(draft, "length")


@broken(
    "openai_responses/finish-failed-error", check="response", sources=(GEMINI,), cases=("finish/fails-behind-text",)
)
def failure_without_error(draft: Draft) -> None:
    """A response that failed does not say why."""
    need(draft.body["status"] == "failed")
    draft.body["error"] = None


@broken(
    "openai_responses/finish-failed-error", check="response", sources=(GEMINI,), cases=("finish/fails-behind-text",)
)
def failure_as_a_number(draft: Draft) -> None:
    """The error of a response that failed has a number where its message belongs."""
    need(draft.body["error"])["message"] = 500


@broken(
    "openai_responses/finish-failed-error", check="response", sources=(GEMINI,), cases=("finish/fails-behind-text",)
)
def failure_without_code(draft: Draft) -> None:
    """The error of a response that failed has no code."""
    del need(draft.body["error"])["code"]


@harmless(
    check="response",
    target=RESPONSES,
    sources=(GEMINI,),
    cases=("finish/fails-behind-text",),
    beside="openai_responses/finish-failed-error",
)
def failure_of_another_kind(draft: Draft) -> None:
    """A response that failed names another of the API's errors."""
    draft.body["error"] = {"code": "invalid_prompt", "message": "The call was not well formed."}


@harmless(
    check="response",
    target=RESPONSES,
    sources=(GEMINI,),
    cases=("finish/other-reason",),
    beside=tuple(
        f"openai_responses/finish-{what}" for what in ("status", "agrees", "incomplete-details", "incomplete-reason")
    ),
)
def unknown_reason_as_cut(draft: Draft) -> None:
    """A reply that ended for a reason of its own is an incomplete one, as if it had been cut."""
    draft.body["incomplete_details"] = {"reason": "max_output_tokens"}


@broken("translation/setting-lost", target=ASK_FOR_SEVERAL, sources=ASK_FOR_SEVERAL, cases=(SEVERAL,))
def one_reply_asked_for(draft: Draft) -> None:
    """The client asks for two replies, and the provider for one."""
    holder = draft.body if draft.format == CHAT else draft.body["generationConfig"]
    need(holder.pop("n" if draft.format == CHAT else "candidateCount", None) == 2)


@broken("translation/arguments", check="response", target=ASK_FOR_SEVERAL, sources=ASK_FOR_SEVERAL, cases=(SEVERAL,))
def last_choice_taken(draft: Draft) -> None:
    """Of several replies the last one is taken for the reply."""
    draft.calls[0].arguments = {"text": "good day", "to": "et"}


@broken(
    "translation/call-invented", check="response", target=ASK_FOR_SEVERAL, sources=ASK_FOR_SEVERAL, cases=(SEVERAL,)
)
def choices_put_together(draft: Draft) -> None:
    """Calls of several replies stand in one, as if all of them were to be run."""
    call = draft.calls[0]
    call.holder.append(copied(call.entry))
    second = draft.calls[1]
    second.arguments = {"text": "good day", "to": "et"}
    if draft.format != GEMINI:
        second.id = "call_Zq4TnbK8sWd1YxLr7VmHc2Pf"


@harmless(
    check="response",
    target=ASK_FOR_SEVERAL,
    sources=ASK_FOR_SEVERAL,
    cases=(SEVERAL,),
    beside=("translation/call-invented", "translation/arguments"),
)
def choices_side_by_side(draft: Draft) -> None:
    """Each of several replies stands in a choice of its own."""
    choices = draft.body["choices" if draft.format == CHAT else "candidates"]
    choices.append(copied(choices[0]) | {"index": 1})
    call = choices[1]["message"]["tool_calls"][0] if draft.format == CHAT else choices[1]["content"]["parts"][0]
    if draft.format == CHAT:
        call["id"] = "call_Zq4TnbK8sWd1YxLr7VmHc2Pf"
        call["function"]["arguments"] = '{"text": "good day", "to": "et"}'
    else:
        call["functionCall"]["args"] = {"text": "good day", "to": "et"}


@warning(
    {CHAT: "translation/identity-spelling", GEMINI: "translation/identity"},
    check="response",
    sources=SAME,
    cases=(SEVERAL,),
)
def other_choices_dropped(draft: Draft) -> None:
    """Of several replies that the client asked for it gets one."""
    key = "choices" if draft.format == CHAT else "candidates"
    draft.body[key] = draft.body[key][:1]


@warning("translation/text-invented", check="response", target=(ANTHROPIC, CHAT), cases=("finish/empty-end",))
def silence_filled(draft: Draft) -> None:
    """A reply that says nothing got words that nobody said."""
    need(not draft.calls and not draft.texts)
    text = "The model returned an empty response."
    if draft.format == ANTHROPIC:
        draft.body["content"].append({"type": "text", "text": text})
    else:
        draft.messages[0]["content"] = text


@harmless(check="response", target=GEMINI, cases=("finish/empty-end",), beside=RULE)
def silence_as_blank_part(draft: Draft) -> None:
    """A reply that says nothing has one part with an empty text."""
    need(not draft.calls and not draft.texts)
    draft.body["candidates"][0]["content"]["parts"] = [{"text": ""}]
