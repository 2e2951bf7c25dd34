"""What an observer sees in Chat Completions: system messages of the history, and every choice of a reply.

Chat has no items for tools that a provider runs: of a web search only the sources are told.
"""

from __future__ import annotations

from toolcall_reference.conversation.intermediate import Body, Conversation
from toolcall_reference.formats.observer import Observer


def _choices(body: Body) -> list[Body]:
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) < 2:
        return [body]
    return [{**body, "choices": [choice]} for choice in choices]


def _separate(body: Body, conversation: Conversation) -> int:
    del body, conversation
    return 0


OBSERVED = Observer(result_role="tool", split_choices=_choices, count_system_texts=_separate)
