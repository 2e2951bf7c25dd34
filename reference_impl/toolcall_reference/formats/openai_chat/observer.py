"""Reading Chat Completions for traces: system messages within the history, and every choice of a reply.

Chat has no items for provider-run tools: a web search shows only as citations.
"""

from __future__ import annotations

from toolcall_reference.conversation.intermediate import Body, Conversation
from toolcall_reference.formats.observer import Observer


def _split_choices(body: Body) -> list[Body]:
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) < 2:
        return [body]
    return [{**body, "choices": [choice]} for choice in choices]


def _count_system_texts(body: Body, conversation: Conversation) -> int:
    del body, conversation
    return 0


OBSERVER = Observer(result_role="tool", split_choices=_split_choices, count_system_texts=_count_system_texts)
