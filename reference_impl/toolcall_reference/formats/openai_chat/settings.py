"""Tools, tool choice and settings of Chat requests, both ways."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text
from toolcall_reference.conversation.intermediate import Body, Conversation, ResponseFormat, Settings, Tool, ToolChoice
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.reasoning import Reasoning
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.openai import encode_parameters
from toolcall_reference.formats.openai_chat import models

SHARED_KEYS = (
    "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier", "store", "verbosity",
)  # fmt: skip
"""The settings that OpenAI's two formats share, under Chat's names."""

_KNOWN_KEYS = {
    "model", "messages", "tools", "tool_choice", "functions", "function_call", "parallel_tool_calls", "max_tokens",
    "max_completion_tokens", "temperature", "top_p", "stop", "seed", "frequency_penalty", "presence_penalty",
    "n", "response_format", "user", "metadata", "stream", "stream_options", "reasoning_effort", *SHARED_KEYS,
}  # fmt: skip


_RANGE_BY_SETTING = {"top_p": (0, 1), "frequency_penalty": (-2, 2), "presence_penalty": (-2, 2)}


def decode_tools(body: Body) -> list[Tool]:
    """The declared tools, including the deprecated ``functions``."""
    tools = []
    for tool in as_list(body.get("tools"), "tools"):
        tool = as_object(tool, "a tool")
        if tool.get("type") == "custom":
            custom = as_object(tool.get("custom"), "custom")
            form = custom.get("format")
            if isinstance(form, dict) and isinstance(form.get("grammar"), dict):
                form = {"type": "grammar", **form["grammar"]}
            tools.append(
                Tool(as_text(custom.get("name"), "name"), custom.get("description"), kind="custom", format=form)
            )
        elif tool.get("type") in (None, "function"):
            tools.append(_decode_function(as_object(tool.get("function"), "function")))
        else:
            tools.append(Tool(str(tool["type"]), kind="hosted", format=tool))
    tools += [_decode_function(as_object(tool, "a function")) for tool in as_list(body.get("functions"), "functions")]
    return tools


def _decode_function(function: Body) -> Tool:
    parameters = function.get("parameters")
    return Tool(
        as_text(function.get("name"), "a tool's name"),
        function.get("description") if isinstance(function.get("description"), str) else None,
        None if parameters is None else as_object(parameters, "parameters"),
        strict=function.get("strict") if isinstance(function.get("strict"), bool) else None,
    )


def decode_settings(body: Body, losses: Losses) -> Settings:
    """The settings of a request."""
    stop = body.get("stop")
    limit = body.get("max_completion_tokens")
    settings = Settings(
        max_output_tokens=body.get("max_tokens") if limit is None else limit,
        temperature=body.get("temperature"),
        top_p=body.get("top_p"),
        stop=[stop] if isinstance(stop, str) else stop or None,
        seed=body.get("seed"),
        frequency_penalty=body.get("frequency_penalty"),
        presence_penalty=body.get("presence_penalty"),
        reply_count=body.get("n"),
        tool_choice=_decode_choice(body.get("tool_choice"), body.get("function_call")),
        parallel_calls=body.get("parallel_tool_calls"),
        response_format=_decode_format(body.get("response_format")),
        user_id=body.get("user"),
        metadata=body.get("metadata") or None,
        reasoning=None if body.get("reasoning_effort") is None else Reasoning(effort=body["reasoning_effort"]),
        openai={key: body[key] for key in SHARED_KEYS if body.get(key) is not None},
    )
    for key in sorted(body.keys() - _KNOWN_KEYS):
        if body[key] is not None:
            losses.add("setting", "Chat's own; dropped", key)
    return settings


def _decode_choice(value: Any, legacy: Any) -> ToolChoice | None:
    if value is None and legacy is not None:
        value = legacy if isinstance(legacy, str) else {"type": "function", "function": legacy}
    if isinstance(value, str):
        return ToolChoice(value if value in ("auto", "required", "none") else "auto")
    if not isinstance(value, dict):
        return None
    if value.get("type") == "allowed_tools":
        allowed = as_object(value.get("allowed_tools"), "allowed_tools")
        names = [_decode_tool_name(as_object(tool, "a tool")) for tool in as_list(allowed.get("tools"), "tools")]
        return ToolChoice("required" if allowed.get("mode") == "required" else "auto", [name for name in names if name])
    name = _decode_tool_name(value)
    return ToolChoice("required", [name]) if name else None


def _decode_tool_name(tool: Body) -> str:
    inner = tool.get("custom") if tool.get("type") == "custom" else tool.get("function")
    return as_text(as_object(inner, "a named tool").get("name"), "name")


def _decode_format(value: Any) -> ResponseFormat | None:
    response_format = as_object(value, "response_format")
    if not response_format:
        return None
    inner = as_object(response_format.get("json_schema"), "json_schema")
    return ResponseFormat(
        str(response_format.get("type")),
        inner.get("schema"),
        inner.get("name"),
        inner.get("description"),
        inner.get("strict"),
    )


def encode_tools(conversation: Conversation, target: Target) -> list[Tool]:
    """The tools that Chat can declare; the others are recorded as losses."""
    tools = []
    for tool in conversation.tools:
        if tool.kind == "hosted":
            target.losses.add("tool-hosted", "Chat does not have this provider's tool; dropped", tool.name)
        else:
            tools.append(tool)
    return tools


def encode_tool(tool: Tool, target: Target) -> Body:
    """The declaration of a tool."""
    if tool.own_declaration is not None and target.exact:
        return tool.own_declaration
    declaration: Body = {"name": target.names.target_name(tool.name)}
    if tool.description or "blank-descriptions" in target.notations:
        declaration["description"] = tool.description or ""
    if tool.kind == "custom":
        if isinstance(tool.format, dict) and tool.format.get("type") == "grammar":
            grammar = {key: tool.format[key] for key in ("definition", "syntax") if key in tool.format}
            declaration["format"] = {"type": "grammar", "grammar": grammar}
        elif tool.format is not None:
            declaration["format"] = tool.format
        return {"type": "custom", "custom": declaration}
    if tool.schema is not None:
        declaration["parameters"] = encode_parameters(tool, target)
    elif "null-parameters" in target.notations:
        declaration["parameters"] = None
    strict = target.strict_flag(tool)
    if strict is not None:
        declaration["strict"] = strict
    elif "strict" in target.notations or "non-strict" in target.notations:
        declaration["strict"] = "strict" in target.notations
    return {"type": "function", "function": declaration}


def encode_settings(body: Body, settings: Settings, tools: list[Tool], target: Target) -> None:
    """Write settings into ``body``; unsupported ones are recorded as losses."""
    kinds = {tool.name: tool.kind for tool in tools}
    choice = target.allowed_choice(settings.tool_choice, tools)
    if choice is not None:
        body["tool_choice"] = _encode_choice(choice, kinds, target)
    if settings.parallel_calls is not None and tools:
        body["parallel_tool_calls"] = settings.parallel_calls
    _encode_sampling(body, settings, target)
    if settings.response_format is not None:
        body["response_format"] = _encode_format(settings.response_format, target)
    if settings.user_id is not None:
        body["safety_identifier" if "safety-identifier" in target.notations else "user"] = settings.user_id
    if settings.metadata:
        body["metadata"] = settings.metadata
    if settings.reasoning is not None:
        _encode_reasoning(body, settings.reasoning, target)
    if target.model and any(tool.kind == "function" for tool in tools):
        _limit_thinking(body, target)
    body.update(settings.openai)


def _encode_reasoning(body: Body, reasoning: Reasoning, target: Target) -> None:
    word = reasoning.effort_word()
    if word is not None:
        body["reasoning_effort"] = word
    elif reasoning.budget is not None:
        target.losses.add("setting", "Chat has no word for this; dropped", "reasoning")
    if reasoning.summaries:
        target.losses.add("setting", "Chat shows nothing of a model's thoughts; dropped", "reasoning summaries")


def _limit_thinking(body: Body, target: Target) -> None:
    """Turn thinking off for a model that accepts function tools only so, and record the loss of a requested effort."""
    effort = body.get("reasoning_effort")
    if models.thinks_by_default(target.model) or (
        effort is not None and models.refuses_tools_with_thinking(target.model)
    ):
        if effort not in (None, "none"):
            target.losses.add("reasoning", "in Chat this model takes it only without function tools; none", effort)
        body["reasoning_effort"] = "none"


def _encode_sampling(body: Body, settings: Settings, target: Target) -> None:
    if settings.max_output_tokens is not None:
        old = "max-tokens" in target.notations
        limit = target.clamp("max-output-tokens", settings.max_output_tokens, 1)
        body["max_tokens" if old else "max_completion_tokens"] = limit
    for key in ("temperature", "top_p", "stop", "seed", "frequency_penalty", "presence_penalty"):
        value = getattr(settings, key)
        if value is not None:
            value = target.clamp(key.replace("_", "-"), value, *_RANGE_BY_SETTING.get(key, ()))
            body[key] = list(value) if isinstance(value, list) else value
    if settings.reply_count is not None:
        body["n"] = target.clamp("reply-count", settings.reply_count, 1, 128)
    stop = as_list(settings.stop, "stop sequences")
    if len(stop) > 4:
        target.losses.add("stop", "Chat takes four stop sequences; the first four are kept", len(stop))
        body["stop"] = stop[:4]
    if len(stop) == 1 and "stop-text" in target.notations:
        body["stop"] = stop[0]
    if settings.top_k is not None:
        target.losses.add("top-k", "Chat has no such setting; dropped", "top_k")


def _encode_choice(choice: ToolChoice, kinds: dict[str, str], target: Target) -> str | Body:
    def encode_name(tool_name: str) -> Body:
        kind = kinds.get(tool_name, "function")
        return {"type": kind, kind: {"name": target.names.target_name(tool_name)}}

    if choice.names is None:
        return choice.mode
    if choice.mode == "required" and len(choice.names) == 1:
        return encode_name(choice.names[0])
    allowed = {"mode": choice.mode, "tools": [encode_name(name) for name in choice.names]}
    return {"type": "allowed_tools", "allowed_tools": allowed}


def _encode_format(response_format: ResponseFormat, target: Target) -> Body:
    if response_format.type != "json_schema":
        return {"type": response_format.type}
    inner: Body = {"name": response_format.name or "response"}
    if response_format.description is not None:
        inner["description"] = response_format.description
    if response_format.schema is not None:
        inner["schema"] = response_format.schema
    strict = target.strict_answer_flag(response_format)
    if strict is not None:
        inner["strict"] = strict
    return {"type": "json_schema", "json_schema": inner}
