"""Keys of another format in a reply: clients pass over them, so they are told and fail nothing."""

from __future__ import annotations

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, need, warning
from doubles.draft import Draft


@warning("function-call-leaked", rule={
    ANTHROPIC: "translation/foreign-key",
    CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
    RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
}, check="response", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def function_call_leaked(draft: Draft) -> None:
    """Gemini's functionCall stands on a call of a reply."""
    for call in need(draft.calls):
        call.entry["functionCall"] = {"name": call.name, "args": call.arguments}


@warning("reply-tool-calls-leaked", rule={
    ANTHROPIC: "translation/foreign-key",
    RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
    GEMINI: ("gemini/foreign-key", "translation/foreign-key"),
}, check="response", target=(ANTHROPIC, RESPONSES, GEMINI))  # fmt: skip
def reply_tool_calls_leaked(draft: Draft) -> None:
    """Chat's tool_calls stands in a reply."""
    need(draft.calls)
    holder = draft.body["candidates"][0]["content"] if draft.format == GEMINI else draft.body
    holder["tool_calls"] = [{"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]


@warning("reply-stop-reason-leaked", rule={
    CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
    RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
    GEMINI: ("gemini/foreign-key", "translation/foreign-key"),
}, check="response", target=(CHAT, RESPONSES, GEMINI))  # fmt: skip
def reply_stop_reason_leaked(draft: Draft) -> None:
    """Anthropic's stop_reason stands in a reply."""
    draft.body["stop_reason"] = "tool_use" if draft.calls else "end_turn"
