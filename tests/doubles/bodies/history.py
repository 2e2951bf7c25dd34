"""Histories that a client brings along: turns of one side in a row, first and last turns, the system amid the talk."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

TWO_OF_USER = "history/two-user-turns"
TWO_OF_ASSISTANT = "history/two-assistant-turns"
NAMED = "history/participant-names"
LATE = "history/late-instructions"
AMID = "history/instructions-amid-results"
GREETING = "history/greeting-first"
CALL_FIRST = "history/begins-with-call"
BEGUN = "history/answer-begun"
REFUSED = "history/refusal-kept"
LONG = "history/long-result"
NULLS = "history/nulls-echoed"
EMPTY = "history/empty-text-beside-call"


@broken("translation/text-lost", cases=[TWO_OF_USER])
def of_two_user_messages_the_last(draft: Draft) -> None:
    """Of two messages of the user in a row only the last is sent."""
    need(draft.texts_of("user")[1:])
    draft.texts_of("user")[0].remove()


@harmless(target=(CHAT, RESPONSES), cases=[TWO_OF_USER], beside=("translation/text-lost", "translation/text-changed"))
def user_messages_joined(draft: Draft) -> None:
    """Two messages of the user in a row are one, with a blank line between them."""
    _join(draft, "\n\n")


@warning("translation/messages-run-together", target=(CHAT, RESPONSES), cases=[TWO_OF_USER])
def user_messages_run_together(draft: Draft) -> None:
    """Two messages of the user in a row are one, with nothing between them."""
    _join(draft, "")


@broken("translation/text-role", target=(CHAT, RESPONSES), cases=[NAMED])
def user_message_as_instructions(draft: Draft) -> None:
    """The last message of the user is one of the system."""
    text = need([text for text in draft.texts_of("user") if text.alone])[-1]
    text.message["role"] = "developer" if draft.format == RESPONSES else "system"


def _join(draft: Draft, joint: str) -> None:
    first, second = need(draft.texts_of("user")[:2])
    first.text = f"{first.text}{joint}{second.text}"
    second.remove()


@broken("translation/text-lost", cases=[TWO_OF_ASSISTANT])
def of_two_assistant_messages_the_last(draft: Draft) -> None:
    """Of two messages of the assistant in a row only the last is sent."""
    draft.texts_of("assistant")[0].remove()


@broken("translation/calls-merged", target=ANTHROPIC, cases=[TWO_OF_ASSISTANT])
def steps_merged_around_their_texts(draft: Draft) -> None:
    """All messages of the assistant are one, whose texts stand between the calls; all results follow it."""
    head, *rest = draft.messages
    blocks, answered = ([block for m in rest if m["role"] == role for block in _blocks(m)] for role in _SIDES)
    draft.messages[:] = [head, {"role": "assistant", "content": blocks}, {"role": "user", "content": answered}]


_SIDES = ("assistant", "user")


def _blocks(message: Any) -> list[Any]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@broken(
    {ANTHROPIC: "anthropic/unknown-key", GEMINI: "gemini/unknown-key", RESPONSES: "openai_responses/unknown-key"},
    sources=[CHAT],
    cases=[NAMED],
)
def participants_named(draft: Draft) -> None:
    """The names of Chat's participants are copied to messages of a format that has no place for them."""
    for message in draft.messages:
        if message.get("role") == "user":
            message["name"] = "Ottilie"


@broken("translation/text-lost", target=(ANTHROPIC, GEMINI, RESPONSES), sources=[CHAT], cases=[NAMED])
def only_the_last_participant(draft: Draft) -> None:
    """Messages are kept by participant, and what another one said is gone."""
    draft.texts_of("user")[0].remove()


@broken("translation/text-role", cases=[LATE])
def late_instructions_as_assistant(draft: Draft) -> None:
    """What the system says in the middle is put in the assistant's mouth."""
    words = _late(draft)
    _drop_late(draft)
    side = "model" if draft.format == GEMINI else "assistant"
    key, content = ("parts", [{"text": words}]) if draft.format == GEMINI else ("content", words)
    draft.messages.append({"role": side, key: content})


@broken("translation/text-lost", cases=[LATE])
def late_instructions_lost(draft: Draft) -> None:
    """What the system says in the middle is gone."""
    _drop_late(draft)


@harmless(
    target=(ANTHROPIC, GEMINI, RESPONSES),
    sources=[ANTHROPIC, CHAT, RESPONSES],
    cases=[LATE],
    beside=("translation/system-prompt", "translation/text-moved"),
)
def late_instructions_in_the_prompt(draft: Draft) -> None:
    """What the system says in the middle joins the system prompt."""
    words = _late(draft)
    _drop_late(draft)
    draft.system = [*draft.system, words]


@harmless(target=(CHAT, RESPONSES), sources=[ANTHROPIC, CHAT, RESPONSES], cases=[LATE], beside="translation/text-role")
def late_instructions_as_user(draft: Draft) -> None:
    """What the system says in the middle is said by the user, at its place."""
    draft.messages[-1]["role"] = "user"


def _late(draft: Draft) -> str:
    """The last words before the reply: the system's, whoever is to say them here."""
    last = draft.messages[-1]
    content = last.get("parts") or last["content"]
    if isinstance(content, str):
        return content
    return str(content[-1]["text"])


def _drop_late(draft: Draft) -> None:
    last = draft.messages[-1]
    content = last.get("parts") or last["content"]
    if isinstance(content, list) and len(content) > 1:
        content.pop()
    else:
        draft.messages.pop()


@broken(
    {CHAT: "openai_chat/results-follow-calls", ANTHROPIC: "anthropic/results-first"},
    sources=[RESPONSES],
    cases=[AMID],
)
def instructions_part_calls_from_results(draft: Draft) -> None:
    """What stood between calls and results stays there, where the format wants the results."""
    words = _late(draft)
    _drop_late(draft)
    first = need(draft.results)[0]
    place = next(at for at, message in enumerate(draft.messages) if message is (first.message or first.entry))
    draft.messages.insert(place, _said(words))


@broken(
    ("translation/call-lost", "translation/result-lost"),
    sources=[RESPONSES],
    cases=[AMID],
    target=(ANTHROPIC, CHAT, GEMINI),
)
def parted_pairs_taken_for_orphans(draft: Draft) -> None:
    """Calls and results with something between them count as orphans, and are cleaned away."""
    for handle in [*draft.results, *draft.calls]:
        handle.remove()
    draft.tidy()


@broken("translation/text-lost", cases=[GREETING])
def greeting_cut_off(draft: Draft) -> None:
    """What the assistant says before the user's first words is cut off."""
    draft.texts_of("assistant")[0].remove()


@harmless(target=(ANTHROPIC, GEMINI), sources=[CHAT, RESPONSES], cases=[GREETING])
def anchor_before_greeting(draft: Draft) -> None:
    """A greeting of the user stands before the assistant's, for hosts that want the user first."""
    greeting = {"role": "user", "parts": [{"text": "Hello."}]} if draft.format == GEMINI else _said("Hello.")
    if draft.messages[0]["role"] == "user":
        draft.messages.pop(0)
    draft.messages.insert(0, greeting)


def _said(words: str) -> dict[str, str]:
    return {"role": "user", "content": words}


@broken("gemini/call-follows-user", sources=[CHAT, RESPONSES, ANTHROPIC], cases=[CALL_FIRST])
def call_first(draft: Draft) -> None:
    """A shortened history begins with a call of the model."""
    need(draft.messages[0]["role"] == "user")
    draft.messages.pop(0)


@broken("translation/call-lost", cases=[CALL_FIRST])
def trimmed_to_the_first_words(draft: Draft) -> None:
    """A call and its result before the user's first words are cut off."""
    for handle in [*draft.results, *draft.calls]:
        handle.remove()
    draft.tidy()
    if not draft.messages:
        draft.messages.append({"role": "user", "parts": [{"text": "."}]} if draft.format == GEMINI else _said("."))


@harmless(target=GEMINI, sources=[CHAT, RESPONSES, ANTHROPIC], cases=[CALL_FIRST], beside="gemini/call-follows-user")
def other_anchor_before_a_call(draft: Draft) -> None:
    """Other words of the user stand before a call that the history begins with."""
    draft.messages[0]["parts"] = [{"text": "Continue the conversation."}]


@broken("translation/text-lost", cases=[BEGUN])
def begun_answer_lost(draft: Draft) -> None:
    """The beginning of the answer, which the model is to go on with, is gone."""
    draft.texts_of("assistant")[-1].remove()


@broken("translation/text-role", cases=[BEGUN], target=(ANTHROPIC, CHAT, RESPONSES))
def begun_answer_as_user(draft: Draft) -> None:
    """The beginning of the answer is said by the user."""
    draft.texts_of("assistant")[-1].message["role"] = "user"


@broken("anthropic/prefill-trailing-space", cases=[BEGUN])
def blank_behind_begun_answer(draft: Draft) -> None:
    """A blank stands behind the beginning of the answer."""
    need(draft.messages[-1]["role"] == "assistant")
    text = draft.texts_of("assistant")[-1]
    text.text += " "


@harmless(target=ANTHROPIC, cases=[BEGUN], beside="anthropic/prefill-trailing-space")
def begun_answer_as_block(draft: Draft) -> None:
    """The beginning of the answer is a list with one block."""
    last = draft.messages[-1]
    need(last["role"] == "assistant")
    last["content"] = _blocks(last)


@harmless(target=GEMINI, sources=[ANTHROPIC, CHAT, RESPONSES], cases=[BEGUN])
def other_words_behind_begun_answer(draft: Draft) -> None:
    """The user asks in other words to go on with the answer."""
    draft.messages[-1]["parts"] = [{"text": "Continue."}]


@broken("translation/text-lost", target=(ANTHROPIC, CHAT, GEMINI), sources=[CHAT, RESPONSES], cases=[REFUSED])
def refusal_lost(draft: Draft) -> None:
    """A refusal in the history is gone, for it is no content."""
    if draft.format == CHAT:
        refused = next(message for message in draft.messages if message.get("refusal"))
        refused |= {"content": ""}
        del refused["refusal"]
    else:
        draft.texts_of("assistant")[0].remove()


@broken("openai_chat/refusal-text", sources=[RESPONSES], cases=[REFUSED])
def refusal_as_flag(draft: Draft) -> None:
    """A refusal is marked by true, and its words are the content."""
    refused = next(message for message in draft.messages if message.get("refusal"))
    refused |= {"content": refused["refusal"], "refusal": True}


@harmless(
    target=CHAT, sources=[RESPONSES], cases=[REFUSED], beside=("openai_chat/refusal-text", "translation/text-lost")
)
def refusal_as_content(draft: Draft) -> None:
    """A refusal in the history is text of the assistant."""
    refused = next(message for message in draft.messages if message.get("refusal"))
    refused["content"] = refused.pop("refusal")


@broken("translation/result-content", cases=[LONG])
def long_result_cut(draft: Draft) -> None:
    """A result is cut at eight thousand characters."""
    result = need(draft.results)[0]
    result.text = need(result.text)[:8000]


@broken("anthropic/caller-not-null", sources=[CHAT], cases=[NULLS])
def null_caller_copied(draft: Draft) -> None:
    """What the client holds as null goes on: a call's caller is null."""
    for call in need(draft.calls):
        call.entry["caller"] = None


@warning("gemini/null-key", sources=[CHAT], cases=[NULLS])
def nulls_copied(draft: Draft) -> None:
    """What the client holds as null goes on in every call."""
    for call in need(draft.calls):
        call.inner["id"] = None


@broken(
    {ANTHROPIC: "anthropic/unknown-key", GEMINI: "gemini/unknown-key", RESPONSES: "openai_responses/unknown-key"},
    sources=[CHAT],
    cases=[NULLS],
)
def index_of_a_chunk_copied(draft: Draft) -> None:
    """The index that a call of the history has from its stream is copied to a format that has none there."""
    for call in need(draft.calls):
        call.inner["index"] = 0


@broken("anthropic/text-not-blank", target=ANTHROPIC, sources=(RESPONSES, GEMINI), cases=[EMPTY])
def empty_text_copied(draft: Draft) -> None:
    """A text of no letters beside a call of the history becomes a block, which Anthropic refuses."""
    need(draft.calls)[0].holder.insert(0, {"type": "text", "text": ""})


@broken(
    {CHAT: "translation/call-lost", ANTHROPIC: "translation/call-lost"},
    sources=(GEMINI, RESPONSES),
    cases=[EMPTY],
)
def call_beside_empty_text_dropped(draft: Draft) -> None:
    """A turn of the history that has a text is read as one without calls, even where the text has no letters."""
    for handle in [*need(draft.results), *need(draft.calls)]:
        handle.remove()


@harmless(target=(CHAT, RESPONSES, GEMINI), sources=(RESPONSES, GEMINI, CHAT), cases=[EMPTY])
def empty_text_kept(draft: Draft) -> None:
    """A text of no letters goes along with its call, to providers that take one."""
    call = need(draft.calls)[0]
    if draft.format == CHAT:
        assert call.message is not None
        call.message["content"] = ""
    elif draft.format == GEMINI:
        call.holder.insert(0, {"text": ""})
    else:
        call.holder.insert(call.place, {"role": "assistant", "content": ""})
