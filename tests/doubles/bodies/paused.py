"""A turn that the provider paused comes back, so that it goes on: cut off, cut short, or said by somebody else."""

from __future__ import annotations

from doubles.body import ANTHROPIC, CHAT, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

PAUSED = ("server_tools/paused-goes-on",)


@broken("translation/text-lost", target=(ANTHROPIC, CHAT, RESPONSES), cases=PAUSED)
def paused_turn_not_sent_back(draft: Draft) -> None:
    """A request has to end with the user, so the paused turn behind the question is cut off."""
    messages = need(draft.body.get("messages") or draft.body.get("input"))
    need(len(messages) > 1)
    del messages[1:]


@broken(
    "translation/text-role",
    target=(ANTHROPIC, CHAT, RESPONSES),
    sources=(ANTHROPIC, CHAT, RESPONSES),
    cases=PAUSED,
)
def paused_turn_said_by_user(draft: Draft) -> None:
    """What the model said before the pause is put into the mouth of the user."""
    text = need(draft.texts[-1:] if "assistant" in str(draft.body) else None)[0].text
    key = "messages" if "messages" in draft.body else "input"
    draft.body[key] = [draft.body[key][0], {"role": "user", "content": text}]


@warning("translation/identity", target=ANTHROPIC, sources=SAME, cases=PAUSED)
def paused_turn_ends_with_the_question(draft: Draft) -> None:
    """Of the paused turn what was found is left out, so that the provider refuses its search."""
    content = need([message for message in draft.messages if message["role"] == "assistant"])[-1]["content"]
    content[:] = [block for block in content if block["type"] != "web_search_tool_result"]


@harmless(
    target=(CHAT, RESPONSES),
    sources=(ANTHROPIC,),
    cases=PAUSED,
    warns=("translation/hosted-step-lost", "translation/hosted-tool-lost"),
    beside=("translation/text-role", "translation/text-lost"),
)
def paused_turn_as_parts(draft: Draft) -> None:
    """The paused turn is written as a list of parts."""
    message = (draft.body.get("messages") or draft.body["input"])[-1]
    need(message.get("role") == "assistant" and isinstance(message["content"], str))
    kind = "text" if draft.format == CHAT else "output_text"
    message["content"] = [{"type": kind, "text": message["content"]}]
