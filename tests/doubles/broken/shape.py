"""Bodies of the wrong format, leaked keys, empty containers, state sent to strangers, and changes on A→A."""

from __future__ import annotations

from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, need
from doubles.draft import Draft

TARGET = "translation/target-format"


@broken("request-passed-through", rule=TARGET, check="request")
def request_passed_through(draft: Draft) -> Any:
    """The request comes out as it went in, the model aside."""
    model = draft.body.get("model")
    return draft.source | ({"model": model} if model is not None and "model" in draft.source else {})


@broken("reply-passed-through", rule=TARGET, check="response")
def reply_passed_through(draft: Draft) -> Any:
    """The reply comes out as it went in."""
    return draft.source


@broken("body-empty", rule=TARGET, check="request")
def body_empty(draft: Draft) -> Any:
    """The output is an empty object."""
    del draft
    return {}


@broken("body-wrapped", rule=TARGET, check="response")
def body_wrapped(draft: Draft) -> Any:
    """The reply stands inside one more object."""
    return {"data": draft.body}


@broken("body-as-list", rule=TARGET, check="request")
def body_as_list(draft: Draft) -> Any:
    """The output is a list with the body in it."""
    return [draft.body]


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


@broken("function-call-leaked", rule={
    ANTHROPIC: "translation/foreign-key",
    CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
    RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
}, check="response", target=(ANTHROPIC, CHAT, RESPONSES))  # fmt: skip
def function_call_leaked(draft: Draft) -> None:
    """Gemini's functionCall stands on a call of a reply."""
    for call in need(draft.calls):
        call.entry["functionCall"] = {"name": call.name, "args": call.arguments}


@broken("reply-tool-calls-leaked", rule={
    ANTHROPIC: "translation/foreign-key",
    RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
    GEMINI: ("gemini/foreign-key", "translation/foreign-key"),
}, check="response", target=(ANTHROPIC, RESPONSES, GEMINI))  # fmt: skip
def reply_tool_calls_leaked(draft: Draft) -> None:
    """Chat's tool_calls stands in a reply."""
    need(draft.calls)
    holder = draft.body["candidates"][0]["content"] if draft.format == GEMINI else draft.body
    holder["tool_calls"] = [{"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]


@broken("reply-stop-reason-leaked", rule={
    CHAT: ("openai_chat/foreign-key", "translation/foreign-key"),
    RESPONSES: ("openai_responses/foreign-key", "translation/foreign-key"),
    GEMINI: ("gemini/foreign-key", "translation/foreign-key"),
}, check="response", target=(CHAT, RESPONSES, GEMINI))  # fmt: skip
def reply_stop_reason_leaked(draft: Draft) -> None:
    """Anthropic's stop_reason stands in a reply."""
    draft.body["stop_reason"] = "tool_use" if draft.calls else "end_turn"


@broken("empty-message", rule={
    ANTHROPIC: "anthropic/content-not-empty",
    CHAT: "openai_chat/assistant-not-empty",
    GEMINI: "gemini/parts-given",
}, check="request", target=(ANTHROPIC, CHAT, GEMINI))  # fmt: skip
def empty_message(draft: Draft) -> None:
    """An empty turn of the assistant was put before the user's last text."""
    texts = need(draft.texts_of("user"))
    need(texts[-1].alone and texts[-1].place > 0)
    empty: dict[str, Any] = {
        ANTHROPIC: {"role": "assistant", "content": []},
        CHAT: {"role": "assistant"},
        GEMINI: {"role": "model", "parts": []},
    }[draft.format]
    draft.messages.insert(texts[-1].place, empty)


@broken("contents-empty", rule={
    CHAT: ("openai_chat/messages-present", "translation/text-lost"),
    RESPONSES: ("openai_responses/input-present", "translation/text-lost"),
    GEMINI: ("gemini/contents-given", "translation/text-lost"),
    ANTHROPIC: "translation/text-lost",
}, check="request")  # fmt: skip
def contents_empty(draft: Draft) -> None:
    """The conversation is empty."""
    draft.messages.clear()


@broken("blank-text", rule="anthropic/text-not-blank", check="request", target=ANTHROPIC)
def blank_text(draft: Draft) -> None:
    """An empty text block stands beside a call."""
    need(draft.calls)[0].holder.insert(0, {"type": "text", "text": ""})


@broken(
    "role-model",
    rule={ANTHROPIC: "anthropic/roles", CHAT: "openai_chat/known-role", RESPONSES: "openai_responses/message-role"},
    check="request",
    target=(ANTHROPIC, CHAT, RESPONSES),
)
def role_model(draft: Draft) -> None:
    """The assistant is called model, as in Gemini."""
    for message in need([message for message in draft.messages if message.get("role") == "assistant"]):
        message["role"] = "model"


@broken("role-assistant", rule="gemini/role", check="request", target=GEMINI)
def role_assistant(draft: Draft) -> None:
    """The model is called assistant, as in the other formats."""
    for message in need([message for message in draft.messages if message.get("role") == "model"]):
        message["role"] = "assistant"


@broken("parts-in-foreign-types", rule={
    ANTHROPIC: "anthropic/block-type",
    CHAT: ("openai_chat/user-part",),
    RESPONSES: ("openai_responses/content-part", "openai_responses/content-part-type"),
    GEMINI: "gemini/unknown-key",
}, check="request")  # fmt: skip
def parts_in_foreign_types(draft: Draft) -> None:
    """A text of the user is a part of a type that only another format has."""
    text = need(draft.texts_of("user"))[0]
    kind = {ANTHROPIC: "input_text", CHAT: "input_text", RESPONSES: "text", GEMINI: "text"}[draft.format]
    text.message["parts" if draft.format == GEMINI else "content"] = [{"type": kind, "text": text.text}]


@broken("two-data-fields", rule="gemini/part-one-field", check="request", target=GEMINI)
def two_data_fields(draft: Draft) -> None:
    """One part holds a text and a call."""
    need(draft.calls)[0].entry["text"] = "I look."


@broken(
    "tools-in-content",
    rule=("openai_chat/assistant-part", "openai_chat/assistant-content"),
    check="request",
    target=CHAT,
)
def tools_in_content(draft: Draft) -> None:
    """Calls stand as tool_use parts in the content of the assistant's message."""
    for message in need([message for message in draft.messages if message.get("tool_calls")]):
        message["content"] = [
            {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": {}}
            for call in message.pop("tool_calls")
        ]


@broken("picture-lost", rule="translation/media-lost", check="request", target=(CHAT, RESPONSES, GEMINI))
def picture_lost(draft: Draft) -> None:
    """Pictures are gone."""
    pruned, hit = _without_pictures(draft.body)
    need(hit)
    draft.body = pruned
    draft.tidy()


def _without_pictures(value: Any) -> tuple[Any, bool]:
    if isinstance(value, dict):
        made = {key: _without_pictures(entry) for key, entry in value.items()}
        return {key: entry for key, (entry, _) in made.items()}, any(hit for _, hit in made.values())
    if isinstance(value, list):
        kept = [entry for entry in value if not _is_picture(entry)]
        made_list = [_without_pictures(entry) for entry in kept]
        return [entry for entry, _ in made_list], len(kept) < len(value) or any(hit for _, hit in made_list)
    return value, False


def _is_picture(entry: Any) -> bool:
    return isinstance(entry, dict) and (
        entry.get("type") in ("image", "image_url", "input_image") or "inlineData" in entry
    )


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


IDENTITY = "translation/identity"


@broken("identity-key-dropped", rule=IDENTITY, check="request", sources=SAME)
def identity_key_dropped(draft: Draft) -> None:
    """On A→A the last key of the body is gone."""
    keys = [key for key in draft.body if key not in ("model", "messages", "input", "contents", "tools", "system")]
    keys = [key for key in keys if key not in ("systemInstruction", "instructions", "tool_choice", "toolConfig")]
    need(keys)
    del draft.body[keys[-1]]


@broken("identity-empty-key-added", rule=IDENTITY, check="request", sources=SAME)
def identity_empty_key_added(draft: Draft) -> None:
    """On A→A a key with null, of which nobody spoke, was added."""
    draft.body["metadata" if draft.format != GEMINI else "safetySettings"] = None


@broken("identity-id-changed", rule=(IDENTITY, "translation/results-linked"), check="response", sources=SAME)
def identity_id_changed(draft: Draft) -> None:
    """On A→A a call has another id."""
    for call in need([call for call in draft.calls if call.id]):
        call.id += "x"


@broken("identity-usage-changed", rule=IDENTITY, check="response", sources=SAME)
def identity_usage_changed(draft: Draft) -> None:
    """On A→A a token count is another one."""
    usage = draft.body["usageMetadata" if draft.format == GEMINI else "usage"]
    key = next(key for key, value in usage.items() if isinstance(value, int) and value)
    usage[key] += 1


@broken("identity-arguments-spelt-anew", rule=IDENTITY, check="response", target=(CHAT, RESPONSES), sources=SAME)
def identity_arguments_spelt_anew(draft: Draft) -> None:
    """On A→A the JSON text of arguments was read and written again, with other blanks."""
    for call in need(draft.calls):
        call.raw = call.raw + " "


@broken(
    "identity-text-changed", rule=("translation/text-changed", "translation/identity"), check="request", sources=SAME
)
def identity_text_changed(draft: Draft) -> None:
    """On A→A a text lost a word."""
    text = need(draft.texts_of("user"))[0]
    text.text = text.text.rsplit(" ", 1)[0]
