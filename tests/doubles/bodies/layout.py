"""Texts, turns and system prompts in other places that mean the same."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, harmless, need, warning
from doubles.draft import Draft
from doubles.wire import Text


@harmless(target=CHAT, beside=("openai_chat/assistant-content", "openai_chat/assistant-not-empty"))
def no_content_empty(draft: Draft) -> None:
    """Beside calls the content is the empty text."""
    _silent(draft, lambda message: message.update(content=""))


@harmless(target=CHAT, beside="openai_chat/assistant-content")
def no_content_absent(draft: Draft) -> None:
    """Beside calls there is no content."""
    _silent(draft, lambda message: message.pop("content", None))


@harmless(target=CHAT, check="response", beside="openai_chat/reply-content")
def reply_no_content_empty(draft: Draft) -> None:
    """In a reply with calls the content is the empty text."""
    _silent(draft, lambda message: message.update(content=""))


def _silent(draft: Draft, change: Callable[[dict[str, Any]], Any]) -> None:
    for message in need([m for m in draft.messages if m.get("tool_calls") and not m.get("content")]):
        change(message)


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside="translation/text-changed")
def text_as_parts(draft: Draft) -> None:
    """Texts of messages are lists with one part."""
    for text in need([text for text in draft.texts if text.blocks is None]):
        kind = {"user": "input_text", "assistant": "output_text"}[text.side] if draft.format == RESPONSES else "text"
        text.message["content"] = [{"type": kind, "text": text.text}]


@harmless(beside=("translation/text-changed", "translation/text-lost"))
def text_in_two_parts(draft: Draft) -> None:
    """A text of the user is cut into two parts between words."""
    for text in need([text for text in draft.texts_of("user") if text.alone]):
        head, mark, tail = text.text.partition(" ")
        if tail.strip() and mark:
            say_in_parts(draft, text, [head + mark, tail])
            return
    need(False)


@warning("translation/word-cut")
def word_in_two_parts(draft: Draft) -> None:
    """A text of the user is cut into two parts within a word."""
    for text in need([text for text in draft.texts_of("user") if text.alone]):
        words = text.text
        at = next((at for at in range(1, len(words)) if words[at - 1].isalpha() and words[at].isalpha()), 0)
        if at:
            say_in_parts(draft, text, [words[:at], words[at:]])
            return
    need(False)


def say_in_parts(draft: Draft, text: Text, pieces: list[str]) -> None:
    """Let a message say a text, the only one that it has, in parts."""
    parts = [{"text": words} for words in pieces]
    if draft.format != GEMINI:
        kind = "input_text" if draft.format == RESPONSES else "text"
        parts = [{"type": kind, **part} for part in parts]
    text.message["parts" if draft.format == GEMINI else "content"] = parts


@harmless(target=RESPONSES, beside="openai_responses/item-type")
def messages_say_their_type(draft: Draft) -> None:
    """Messages say the type message."""
    for message in need([message for message in draft.messages if "role" in message]):
        message["type"] = "message"


@harmless(target=(CHAT,), check="response", beside="translation/finish-reason")
def blank_text_beside_call(draft: Draft) -> None:
    """A reply with calls has white space for content."""
    need(draft.calls and not draft.texts)
    draft.messages[0]["content"] = "\n\n"


@harmless(target=CHAT, beside=("openai_chat/known-role", "openai_chat/system-in-messages", "translation/system-prompt"))
def system_as_developer(draft: Draft) -> None:
    """The system prompt stands in a developer message."""
    for message in need([message for message in draft.messages if message["role"] == "system"]):
        message["role"] = "developer"


@harmless(target=CHAT, beside="translation/system-prompt")
def system_in_two_messages(draft: Draft) -> None:
    """Each text of the system prompt has a message of its own."""
    need(len(draft.system) > 1)
    draft.system = draft.system


@harmless(
    target=RESPONSES,
    beside=("openai_responses/system-place", "openai_responses/message-role", "translation/system-prompt"),
)
def system_as_item(draft: Draft) -> None:
    """The system prompt is a developer message in front instead of instructions."""
    text = need(draft.body.pop("instructions", None))
    draft.messages.insert(0, {"role": "developer", "content": text})


@harmless(target=RESPONSES, beside=("openai_responses/content-part-type", "translation/system-prompt"))
def system_as_system_item(draft: Draft) -> None:
    """The system prompt is a system message with parts in front instead of instructions."""
    text = need(draft.body.pop("instructions", None))
    part = {"type": "input_text", "text": text}
    draft.messages.insert(0, {"type": "message", "role": "system", "content": [part]})


@harmless(target=ANTHROPIC, beside=("anthropic/system-shape", "translation/system-prompt"))
def system_as_blocks(draft: Draft) -> None:
    """The system prompt is a list with one text block."""
    need(isinstance(draft.body.get("system"), str))
    draft.body["system"] = [{"type": "text", "text": draft.body["system"]}]


@harmless(target=(ANTHROPIC, GEMINI, CHAT), beside="translation/system-prompt")
def system_joined(draft: Draft) -> None:
    """Several texts of the system prompt are one."""
    need(len(draft.system) > 1)
    draft.system = ["\n\n".join(draft.system)]


@harmless(target=(ANTHROPIC, GEMINI, CHAT), beside="translation/system-prompt")
def system_joined_by_newline(draft: Draft) -> None:
    """Several texts of the system prompt are one, with one line break between."""
    need(len(draft.system) > 1)
    draft.system = ["\n".join(draft.system)]


@harmless(
    target=(ANTHROPIC, GEMINI, CHAT),
    cases=("grep/system-blocks",),
    sources=(RESPONSES,),
    beside="translation/system-prompt",
)
def system_split(draft: Draft) -> None:
    """A system prompt is cut at its blank lines."""
    texts = [part for text in draft.system for part in text.split("\n\n")]
    need(len(texts) > len(draft.system))
    draft.system = texts


@warning("translation/word-cut", target=(ANTHROPIC, GEMINI, CHAT))
def system_cut_within_a_word(draft: Draft) -> None:
    """The system prompt is cut into two texts in the middle of a word."""
    *texts, last = need(draft.system)
    at = next((at for at in range(1, len(last)) if last[at - 1].isalpha() and last[at].isalpha()), 0)
    need(at)
    draft.system = [*texts, last[:at], last[at:]]


@harmless(target=GEMINI, beside=("gemini/system-instruction", "gemini/system-place", "gemini/role"))
def system_with_role(draft: Draft) -> None:
    """The system instruction says a role, which does not count."""
    need(draft.body.get("systemInstruction"))["role"] = "user"


@harmless(target=(ANTHROPIC, GEMINI), beside=("translation/text-moved", "translation/text-lost"))
def text_after_results_apart(draft: Draft) -> None:
    """Text of the user behind results stands in a message of its own."""
    key = "parts" if draft.format == GEMINI else "content"
    for index, message in enumerate(draft.messages):
        content = message[key]
        if isinstance(content, list) and any(
            "functionResponse" in e or e.get("type") == "tool_result" for e in content
        ):
            rest = [e for e in content if "functionResponse" not in e and e.get("type") != "tool_result"]
            if rest:
                message[key] = [e for e in content if e not in rest]
                draft.messages.insert(index + 1, {"role": "user", key: rest})
                return
    need(False)


@harmless(target=(ANTHROPIC, CHAT, GEMINI), beside=("translation/text-moved", "translation/calls-split"))
def text_before_calls_apart(draft: Draft) -> None:
    """What the assistant says beside calls stands in a message of its own before them."""
    key = "parts" if draft.format == GEMINI else "content"
    for index, message in enumerate(draft.messages):
        if draft.format == CHAT:
            if message.get("tool_calls") and message.get("content"):
                draft.messages.insert(index, {"role": "assistant", "content": message["content"]})
                message["content"] = None
                return
            continue
        content = message[key]
        if (
            isinstance(content, list)
            and any("functionCall" in e or e.get("type") == "tool_use" for e in content[1:])
            and "text" in content[0]
        ):
            message[key] = content[1:]
            draft.messages.insert(index, {"role": message["role"], key: content[:1]})
            return
    need(False)


@harmless(
    target=ANTHROPIC,
    warns="translation/calls-in-separate-messages",
    beside=("anthropic/roles", "anthropic/calls-answered", "translation/calls-split"),
)
def calls_in_two_messages(draft: Draft) -> None:
    """Parallel calls stand in assistant messages one after the other, which the API reads as one turn."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    need(batch[-1].place - batch[0].place == len(batch) - 1 and batch[-1].entry is batch[-1].holder[-1])
    at = next(index for index, message in enumerate(draft.messages) if message is batch[0].message)
    rest = [call.entry for call in batch[1:]]
    for call in batch[1:]:
        call.remove()
    draft.messages[at + 1 : at + 1] = [{"role": "assistant", "content": [entry]} for entry in rest]


@harmless(
    target=(ANTHROPIC, RESPONSES, GEMINI),
    check="response",
    beside=("translation/text-changed", "translation/text-duplicated"),
)
def reply_text_in_two_parts(draft: Draft) -> None:
    """The text of a reply comes in two pieces, cut between words."""
    text = need(draft.texts)[0]
    head, mark, tail = text.text.partition(" ")
    need(mark and tail.strip())
    blocks = need(text.blocks)
    twin = copy.deepcopy(text.holder)
    text.text, twin["text"] = head + mark, tail
    blocks.insert(blocks.index(text.holder) + 1, twin)


@harmless(beside="translation/target-format")
def keys_in_other_order(draft: Draft) -> None:
    """The keys of every object of the body stand in another order."""
    draft.body = _reversed(draft.body)


@harmless(check="response", beside="translation/target-format")
def reply_keys_in_other_order(draft: Draft) -> None:
    """The keys of every object of a reply stand in another order."""
    draft.body = _reversed(draft.body)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(entry) for entry in value] if isinstance(value, list) else value
