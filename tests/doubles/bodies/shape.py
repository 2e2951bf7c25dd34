"""Bodies of the wrong format, empty containers, foreign roles and parts."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft

TARGET = "translation/target-format"


@broken(TARGET)
def request_passed_through(draft: Draft) -> Any:
    """The request comes out as it went in, the model aside."""
    model = draft.body.get("model")
    return draft.source | ({"model": model} if model is not None and "model" in draft.source else {})


@broken(TARGET, check="response", at_home=())
def reply_passed_through(draft: Draft) -> Any:
    """The reply comes out as it went in."""
    return draft.source


@broken(TARGET)
def body_empty(draft: Draft) -> Any:
    """The output is an empty object."""
    del draft
    return {}


@broken(TARGET, check="response")
def body_wrapped(draft: Draft) -> Any:
    """The reply stands inside one more object."""
    return {"data": draft.body}


@broken(TARGET)
def body_as_list(draft: Draft) -> Any:
    """The output is a list with the body in it."""
    return [draft.body]


@broken(
    {ANTHROPIC: "anthropic/content-not-empty", CHAT: "openai_chat/assistant-not-empty", GEMINI: "gemini/parts-given"}
)
def empty_message(draft: Draft) -> None:
    """An empty turn of the assistant was put before the user's last text."""
    texts = need(draft.texts_of("user"))
    need(texts[-1].alone and texts[-1].place > 0)
    empties: dict[str, dict[str, Any]] = {
        ANTHROPIC: {"role": "assistant", "content": []},
        CHAT: {"role": "assistant"},
        GEMINI: {"role": "model", "parts": []},
    }
    draft.messages.insert(texts[-1].place, empties[draft.format])


@broken(
    {
        CHAT: ("openai_chat/messages-present", "translation/text-lost"),
        RESPONSES: ("openai_responses/input-present", "translation/text-lost"),
        GEMINI: ("gemini/contents-given", "translation/text-lost"),
        ANTHROPIC: "translation/text-lost",
    }
)
def contents_empty(draft: Draft) -> None:
    """The conversation is empty."""
    draft.messages.clear()


@broken("anthropic/text-not-blank")
def blank_text(draft: Draft) -> None:
    """An empty text block stands beside a call."""
    need(draft.calls)[0].holder.insert(0, {"type": "text", "text": ""})


@broken("anthropic/text-not-blank")
def white_space_for_the_user(draft: Draft) -> None:
    """A text block of white space stands in a user's message."""
    message = need([message for message in draft.messages if message["role"] == "user"])[0]
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    message["content"] = [*blocks, {"type": "text", "text": "\n"}]


@broken({ANTHROPIC: "anthropic/roles", CHAT: "openai_chat/known-role", RESPONSES: "openai_responses/message-role"})
def role_model(draft: Draft) -> None:
    """The assistant is called model, as in Gemini."""
    for message in need([message for message in draft.messages if message.get("role") == "assistant"]):
        message["role"] = "model"


@broken("gemini/role")
def role_assistant(draft: Draft) -> None:
    """The model is called assistant, as in the other formats."""
    for message in need([message for message in draft.messages if message.get("role") == "model"]):
        message["role"] = "assistant"


@broken(
    {
        ANTHROPIC: "anthropic/block-type",
        CHAT: ("openai_chat/user-part",),
        RESPONSES: ("openai_responses/content-part", "openai_responses/content-part-type"),
        GEMINI: "gemini/unknown-key",
    }
)
def parts_in_foreign_types(draft: Draft) -> None:
    """A text of the user is a part of a type that only another format has."""
    text = need(draft.texts_of("user"))[0]
    kind = {ANTHROPIC: "input_text", CHAT: "input_text", RESPONSES: "text", GEMINI: "text"}[draft.format]
    text.message["parts" if draft.format == GEMINI else "content"] = [{"type": kind, "text": text.text}]


@broken("gemini/part-one-field")
def two_data_fields(draft: Draft) -> None:
    """One part holds a text and a call."""
    need(draft.calls)[0].entry["text"] = "I look."


@broken(("openai_chat/assistant-part", "openai_chat/assistant-content"))
def tools_in_content(draft: Draft) -> None:
    """Calls stand as tool_use parts in the content of the assistant's message."""
    calling = [message for message in draft.messages if message.get("tool_calls")]
    need(all("function" in call for message in calling for call in message["tool_calls"]))
    for message in need(calling):
        message["content"] = [
            {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": {}}
            for call in message.pop("tool_calls")
        ]
