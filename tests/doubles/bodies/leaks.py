"""Keys of another format, and state of another provider, that leak into a body."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need, warning
from doubles.draft import Draft

LEAKED = {ANTHROPIC: "anthropic/unknown-key", GEMINI: "gemini/unknown-key"}


@broken(
    {
        CHAT: "translation/foreign-key",
        RESPONSES: ("openai_responses/foreign-key", "openai_responses/unknown-key", "translation/foreign-key"),
        GEMINI: "gemini/unknown-key",
    }
)
def cache_control_leaked(draft: Draft) -> None:
    """Anthropic's cache_control stands on a tool."""
    need(draft.tools)[-1].entry["cache_control"] = {"type": "ephemeral"}


@broken(
    {
        CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
        RESPONSES: ("openai_responses/foreign-key", "openai_responses/unknown-key", "translation/foreign-key"),
        GEMINI: "gemini/unknown-key",
    }
)
def tool_use_id_leaked(draft: Draft) -> None:
    """Anthropic's tool_use_id stands on a result."""
    for result in need(draft.results):
        result.inner["tool_use_id"] = "toolu_01VtjENtFRpwD7QLfRuE4apH"


@broken(
    {
        CHAT: "openai_chat/result-error-mark",
        RESPONSES: "openai_responses/result-error-mark",
        GEMINI: ("gemini/error-in-response", "gemini/unknown-key"),
    }
)
def is_error_leaked(draft: Draft) -> None:
    """Anthropic's is_error stands on a result."""
    for result in need(draft.results):
        result.inner["is_error"] = False


@broken(
    {
        CHAT: ("openai_chat/foreign-key", "openai_chat/unknown-key", "translation/foreign-key"),
        RESPONSES: ("openai_responses/foreign-key", "openai_responses/unknown-key", "translation/foreign-key"),
        GEMINI: "gemini/unknown-key",
    }
)
def input_leaked(draft: Draft) -> None:
    """A call has its arguments a second time under Anthropic's key input."""
    for call in need(draft.calls):
        call.entry["input"] = call.arguments


@broken("{format}/unknown-key", target=(ANTHROPIC, GEMINI))
def tool_calls_leaked(draft: Draft) -> None:
    """The calls stand a second time under Chat's key tool_calls."""
    for call in need(draft.calls):
        assert call.message is not None
        function = {"name": call.name, "arguments": "{}"}
        call.message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]


@broken("{format}/unknown-key", target=(ANTHROPIC, GEMINI))
def tool_call_id_leaked(draft: Draft) -> None:
    """Chat's tool_call_id stands on a result."""
    for result in need(draft.results):
        result.inner["tool_call_id"] = "call_9i4k1Kv00n4fXtNyI68ukXlo"


@broken("gemini/unknown-key")
def strict_leaked(draft: Draft) -> None:
    """OpenAI's strict stands on a declaration."""
    for tool in need(draft.tools):
        tool.inner["strict"] = False


@broken("gemini/unknown-key")
def type_function_leaked(draft: Draft) -> None:
    """OpenAI's type function stands on a declaration."""
    for tool in need(draft.tools):
        tool.inner["type"] = "function"


@broken({ANTHROPIC: ("anthropic/unknown-key", "anthropic/parallel-flag-place"), GEMINI: "gemini/unknown-key"})
def parallel_flag_leaked(draft: Draft) -> None:
    """OpenAI's parallel_tool_calls stands at the top."""
    draft.body["parallel_tool_calls"] = True


@broken("translation/state-to-stranger", target=(CHAT, GEMINI))
def signature_to_stranger(draft: Draft) -> None:
    """A provider's signature is sent to another provider."""
    signatures = _signatures(draft.source)
    value = need(signatures)[0]
    call = need(draft.calls)[0]
    if draft.format == GEMINI:
        need(draft.source_format == ANTHROPIC)
        call.entry["thoughtSignature"] = value
    else:
        need(draft.source_format == GEMINI)
        call.entry["extra_content"] = {"google": {"thought_signature": value}}


def _signatures(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value[key] for key in ("signature", "thoughtSignature") if isinstance(value.get(key), str)]
        return own + [signature for entry in value.values() for signature in _signatures(entry)]
    if isinstance(value, list):
        return [signature for entry in value for signature in _signatures(entry)]
    return []


@warning(
    {
        ANTHROPIC: "translation/foreign-key",
        CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
        RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
    },
    check="response",
)
def function_call_leaked(draft: Draft) -> None:
    """Gemini's functionCall stands on a call of a reply."""
    for call in need(draft.calls):
        call.entry["functionCall"] = {"name": call.name, "args": call.arguments}


@warning(
    {
        ANTHROPIC: "translation/foreign-key",
        RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
        GEMINI: ("gemini/foreign-key", "translation/foreign-key"),
    },
    check="response",
)
def reply_tool_calls_leaked(draft: Draft) -> None:
    """Chat's tool_calls stands in a reply."""
    need(draft.calls)
    holder = draft.body["candidates"][0]["content"] if draft.format == GEMINI else draft.body
    holder["tool_calls"] = [{"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]


@warning(
    {
        CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
        RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
        GEMINI: ("gemini/foreign-key", "translation/foreign-key"),
    },
    check="response",
)
def reply_stop_reason_leaked(draft: Draft) -> None:
    """Anthropic's stop_reason stands in a reply."""
    draft.body["stop_reason"] = "tool_use" if draft.calls else "end_turn"


@warning("translation/foreign-key-null", target=CHAT, check="response")
def reply_stop_reason_leaked_as_null(draft: Draft) -> None:
    """Anthropic's stop_sequence stands in a reply, as null."""
    draft.body["stop_sequence"] = None
