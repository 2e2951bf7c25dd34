"""Tools, tool choice and settings of Anthropic requests, both ways."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text, copy_json
from toolcall_reference.basics.numbers import as_count, as_number
from toolcall_reference.conversation import schemas
from toolcall_reference.conversation.intermediate import Body, Conversation, ResponseFormat, Settings, Tool, ToolChoice
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.reasoning import Reasoning
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.anthropic.own_tools import as_function
from toolcall_reference.formats.openai import lose_openai

_MODE_BY_TYPE = {"auto": "auto", "any": "required", "tool": "required", "none": "none"}
_KNOWN_KEYS = {
    "model", "max_tokens", "messages", "system", "tools", "tool_choice", "temperature", "top_p", "top_k",
    "stop_sequences", "metadata", "stream", "output_config", "output_format", "thinking",
}  # fmt: skip


HOSTED_BY_PURPOSE: dict[str, Body] = {
    "web search": {"type": "web_search_20250305", "name": "web_search"},
    "web fetch": {"type": "web_fetch_20250910", "name": "web_fetch"},
    "code": {"type": "code_execution_20250825", "name": "code_execution"},
}
"""Anthropic's provider-run tools by purpose."""


def decode_tools(body: Body, losses: Losses) -> list[Tool]:
    """The declared tools; provider-run tools are hosted."""
    return [_decode_tool(as_object(tool, "a tool"), losses) for tool in as_list(body.get("tools"), "tools")]


def _decode_tool(tool: Body, losses: Losses) -> Tool:
    name = as_text(tool.get("name"), "a tool's name")
    lose_cache_control(tool, losses)
    if tool.get("type") not in (None, "custom"):
        return as_function(tool) or Tool(name or str(tool.get("type")), kind="hosted", format=tool)
    for key in ("input_examples", "defer_loading", "eager_input_streaming", "allowed_callers"):
        if tool.get(key):
            losses.add("tool-options", f"{key} has no counterpart; dropped", name)
    description = tool.get("description")
    strict = tool.get("strict")
    return Tool(
        name,
        description if isinstance(description, str) else None,
        as_object(tool.get("input_schema"), "input_schema"),
        strict=strict if isinstance(strict, bool) else None,
    )


def decode_settings(body: Body, losses: Losses) -> Settings:
    """The settings of a request."""
    stop = body.get("stop_sequences")
    settings = Settings(
        max_output_tokens=body.get("max_tokens"),
        temperature=body.get("temperature"),
        top_p=body.get("top_p"),
        top_k=body.get("top_k"),
        stop=[stop] if isinstance(stop, str) else stop or None,
        user_id=as_object(body.get("metadata"), "metadata").get("user_id"),
    )
    choice = as_object(body.get("tool_choice"), "tool_choice")
    if choice:
        mode = _MODE_BY_TYPE.get(str(choice.get("type")), "auto")
        settings.tool_choice = ToolChoice(
            mode, [as_text(choice["name"], "name")] if choice.get("type") == "tool" and choice.get("name") else None
        )
        if isinstance(choice.get("disable_parallel_tool_use"), bool):
            settings.parallel_calls = not choice["disable_parallel_tool_use"]
    output = as_object(body.get("output_config"), "output_config")
    response_format = as_object(output.get("format") or body.get("output_format"), "format")
    if response_format.get("type") == "json_schema":
        settings.response_format = ResponseFormat("json_schema", response_format.get("schema"), strict=True)
    settings.reasoning = _decode_reasoning(as_object(body.get("thinking"), "thinking"), output.get("effort"))
    for key in sorted(output.keys() - {"format", "effort"}):
        losses.add("setting", "output_config of Anthropic has no counterpart; dropped", key)
    for key in sorted(body.keys() - _KNOWN_KEYS):
        if body[key] is not None:
            losses.add("setting", "Anthropic's own; dropped", key)
    return settings


def _decode_reasoning(thinking: Body, effort: Any) -> Reasoning | None:
    """The requested reasoning; ``disabled`` is the default, hence None."""
    kind = thinking.get("type")
    word = effort if isinstance(effort, str) else None
    if kind == "enabled":
        return Reasoning(effort=word, budget=as_count(thinking.get("budget_tokens")) or None, summaries=True)
    if kind == "adaptive":
        return Reasoning(effort=word, budget=None if word else -1, summaries=True)
    return None if word is None else Reasoning(effort=word)


def lose_cache_control(block: Body, losses: Losses) -> None:
    """Record the loss of a cache breakpoint."""
    if block.get("cache_control") is not None:
        losses.add("cache-control", "only Anthropic has cache breakpoints; dropped")


def encode_tools(conversation: Conversation) -> list[Tool]:
    """The client-run tools to declare, limited to those of an allowed-tools choice."""
    tools = [tool for tool in conversation.tools if tool.kind != "hosted"]
    choice = conversation.settings.tool_choice
    if choice and choice.names and len(choice.names) > 1:
        # Anthropic has no allowed-tools choice: tools that must not be called are not declared.
        allowed = [tool for tool in tools if tool.name in choice.names]
        return allowed or tools
    if choice and choice.names and choice.mode == "auto":
        return [tool for tool in tools if tool.name in choice.names] or tools
    return tools


def encode_tool(tool: Tool, target: Target) -> Body:
    """The declaration of a tool."""
    if tool.own_declaration is not None and target.exact:
        return tool.own_declaration
    body: Body = {}
    if "custom" in target.notations:
        body["type"] = "custom"
    body["name"] = target.names.target_name(tool.name)
    if tool.description:
        body["description"] = tool.description
    schema = tool.schema
    if tool.kind == "custom":
        schema = schemas.FREE_TEXT
        if tool.format not in (None, {"type": "text"}):
            target.losses.add("tool-custom", "its grammar is dropped; any text is taken as input", tool.name)
    body["input_schema"], lost = encode_input_schema(schema)
    for keyword in lost:
        target.losses.add("tool-schema-root", f"{keyword} cannot be said; widened", tool.name)
    if tool.strict is True:
        body["strict"] = True
        if not schema:  # no parameters at all: Anthropic wants every object of a strict tool closed
            body["input_schema"] = {**body["input_schema"], "additionalProperties": False}
    return body


def encode_settings(body: Body, settings: Settings, tools: list[Tool], target: Target) -> None:
    """Write the tool choice and all other settings into ``body``; unsupported ones are recorded as losses."""
    _encode_choice(body, settings, tools, target)
    _encode_other_settings(body, settings, target)


def _encode_choice(body: Body, settings: Settings, tools: list[Tool], target: Target) -> None:
    """Write ``tool_choice``, with the flag against parallel calls."""
    if not tools:
        target.allowed_choice(settings.tool_choice, tools)
        return
    choice = target.allowed_choice(settings.tool_choice, tools)
    choice_body: Body = {}
    if choice is not None:
        if choice.mode == "required" and choice.names is not None and len(choice.names) == 1:
            choice_body = {"type": "tool", "name": target.names.target_name(choice.names[0])}
        else:
            choice_body = {"type": {"auto": "auto", "required": "any", "none": "none"}[choice.mode]}
    if settings.parallel_calls is not None and choice_body.get("type") != "none":
        if not choice_body and not settings.parallel_calls:
            choice_body = {"type": "auto"}
        if choice_body:
            choice_body["disable_parallel_tool_use"] = not settings.parallel_calls
    if choice_body:
        body["tool_choice"] = choice_body


def _encode_format(body: Body, response_format: ResponseFormat, target: Target) -> None:
    if response_format.type == "json_schema":
        output_format = {"type": "json_schema", "schema": schemas.close_objects(response_format.schema)}
        body |= (
            {"output_format": output_format}
            if "output-format" in target.notations
            else {"output_config": {"format": output_format}}
        )
    elif response_format.type == "json_object":
        target.losses.add("response-format", "Anthropic has no JSON mode without a schema; dropped")


def _encode_stop(body: Body, sequences: Any, losses: Losses) -> None:
    """Write the stop sequences that are not blank; Anthropic refuses the others."""
    sequences = [as_text(sequence, "a stop sequence") for sequence in as_list(sequences, "stop sequences")]
    stop_sequences = [sequence for sequence in sequences if sequence.strip()]
    if stop_sequences:
        body["stop_sequences"] = stop_sequences
    if len(stop_sequences) < len(sequences):
        losses.add("stop", "Anthropic takes no blank stop sequence; dropped", len(sequences) - len(stop_sequences))


def _encode_other_settings(body: Body, settings: Settings, target: Target) -> None:
    losses = target.losses
    if settings.temperature is not None:
        body["temperature"] = target.clamp("temperature", as_number(settings.temperature, "temperature"), 0, 1)
    if settings.top_p is not None:
        body["top_p"] = target.clamp("top-p", settings.top_p, 0, 1)
    if settings.top_k is not None:
        body["top_k"] = settings.top_k
    _encode_stop(body, settings.stop, losses)
    user = settings.user_id or settings.openai.get("safety_identifier")
    if user is not None:
        body["metadata"] = {"user_id": user}
    if settings.response_format is not None:
        _encode_format(body, settings.response_format, target)
    for key in ("seed", "frequency_penalty", "presence_penalty", "metadata"):
        if getattr(settings, key) not in (None, {}):
            losses.add(key.replace("_", "-"), "Anthropic has no such setting; dropped", key)
    if settings.reply_count not in (None, 1):
        losses.add("reply-count", "Anthropic gives one reply; dropped", settings.reply_count)
    lose_openai(settings, losses, supported=("safety_identifier",))


def encode_input_schema(schema: Body | None) -> tuple[Body, list[str]]:
    """A schema for ``input_schema`` with a plain root, and the keywords that were dropped."""
    return (copy_json(schemas.NO_PARAMETERS), []) if schema is None else schemas.flatten_root(schema)
