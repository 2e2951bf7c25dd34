"""Keys of another format, and state of another provider, that leak into a body."""

from __future__ import annotations

from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft

LEAKED = {ANTHROPIC: "anthropic/unknown-key", GEMINI: "gemini/unknown-key"}


@broken("cache-control-leaked", rule={
    CHAT: "translation/foreign-key",
    RESPONSES: ("openai_responses/foreign-key", "openai_responses/unknown-key", "translation/foreign-key"),
    GEMINI: "gemini/unknown-key",
}, check="request", target=(CHAT, RESPONSES, GEMINI))  # fmt: skip
def cache_control_leaked(draft: Draft) -> None:
    """Anthropic's cache_control stands on a tool."""
    need(draft.tools)[-1].entry["cache_control"] = {"type": "ephemeral"}


@broken("tool-use-id-leaked", rule={
    CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
    RESPONSES: ("openai_responses/foreign-key", "openai_responses/unknown-key", "translation/foreign-key"),
    GEMINI: "gemini/unknown-key",
}, check="request", target=(CHAT, RESPONSES, GEMINI))  # fmt: skip
def tool_use_id_leaked(draft: Draft) -> None:
    """Anthropic's tool_use_id stands on a result."""
    for result in need(draft.results):
        result.inner["tool_use_id"] = "toolu_01VtjENtFRpwD7QLfRuE4apH"


@broken("is-error-leaked", rule={
    CHAT: "openai_chat/result-error-mark",
    RESPONSES: "openai_responses/result-error-mark",
    GEMINI: ("gemini/error-in-response", "gemini/unknown-key"),
}, check="request", target=(CHAT, RESPONSES, GEMINI))  # fmt: skip
def is_error_leaked(draft: Draft) -> None:
    """Anthropic's is_error stands on a result."""
    for result in need(draft.results):
        result.inner["is_error"] = False


@broken("input-leaked", rule={
    CHAT: ("openai_chat/foreign-key", "openai_chat/unknown-key", "translation/foreign-key"),
    RESPONSES: ("openai_responses/foreign-key", "openai_responses/unknown-key", "translation/foreign-key"),
    GEMINI: "gemini/unknown-key",
}, check="request", target=(CHAT, RESPONSES, GEMINI))  # fmt: skip
def input_leaked(draft: Draft) -> None:
    """A call has its arguments a second time under Anthropic's key input."""
    for call in need(draft.calls):
        call.entry["input"] = call.arguments


@broken("tool-calls-leaked", rule=LEAKED, check="request", target=(ANTHROPIC, GEMINI))
def tool_calls_leaked(draft: Draft) -> None:
    """The calls stand a second time under Chat's key tool_calls."""
    for call in need(draft.calls):
        assert call.message is not None
        function = {"name": call.name, "arguments": "{}"}
        call.message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]


@broken("tool-call-id-leaked", rule=LEAKED, check="request", target=(ANTHROPIC, GEMINI))
def tool_call_id_leaked(draft: Draft) -> None:
    """Chat's tool_call_id stands on a result."""
    for result in need(draft.results):
        result.inner["tool_call_id"] = "call_9i4k1Kv00n4fXtNyI68ukXlo"


@broken("strict-leaked", rule="gemini/unknown-key", check="request", target=GEMINI)
def strict_leaked(draft: Draft) -> None:
    """OpenAI's strict stands on a declaration."""
    for tool in need(draft.tools):
        tool.inner["strict"] = False


@broken("type-function-leaked", rule="gemini/unknown-key", check="request", target=GEMINI)
def type_function_leaked(draft: Draft) -> None:
    """OpenAI's type function stands on a declaration."""
    for tool in need(draft.tools):
        tool.inner["type"] = "function"


@broken("parallel-flag-leaked", rule={
    ANTHROPIC: ("anthropic/unknown-key", "anthropic/parallel-flag-place"),
    GEMINI: "gemini/unknown-key",
}, check="request", target=(ANTHROPIC, GEMINI))  # fmt: skip
def parallel_flag_leaked(draft: Draft) -> None:
    """OpenAI's parallel_tool_calls stands at the top."""
    draft.body["parallel_tool_calls"] = True


@broken("signature-to-stranger", rule="translation/state-to-stranger", check="request", target=(CHAT, GEMINI))
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
        return own + [found for entry in value.values() for found in _signatures(entry)]
    if isinstance(value, list):
        return [found for entry in value for found in _signatures(entry)]
    return []
