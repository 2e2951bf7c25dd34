"""Tools, tool choice and settings of Responses requests, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text
from toolcall_reference.basics.numbers import as_number
from toolcall_reference.conversation.intermediate import Body, Conversation, ResponseFormat, Settings, Tool, ToolChoice
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.reasoning import Reasoning
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.openai import encode_parameters
from toolcall_reference.formats.openai_responses.own_tools import as_function

_KNOWN_KEYS = {
    "model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens",
    "temperature", "top_p", "text", "user", "metadata", "stream", "stream_options", "reasoning",
    "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier", "store",
}  # fmt: skip
_SHARED_KEYS = (
    "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier", "store",
)  # fmt: skip


VERBOSITIES = ("low", "medium", "high")
MIN_OUTPUT_TOKENS = 16
"""The smallest token limit that the API accepts: https://github.com/UKGovernmentBEIS/inspect_evals/issues/694"""


def decode_tools(body: Body, losses: Losses, names: Mapping[tuple[str, str], str] | None = None) -> list[Tool]:
    """The declared tools; provider-run tools are hosted.

    ``names`` are the universal names of tools in namespaces, by namespace and name, where they differ.
    """
    tools = []
    for tool in as_list(body.get("tools"), "tools"):
        tool = as_object(tool, "a tool")
        kind = tool.get("type")
        description = tool.get("description") if isinstance(tool.get("description"), str) else None
        if kind in (None, "function"):
            name = as_text(tool.get("name"), "a tool's name")
            for key in ("defer_loading", "output_schema", "allowed_callers"):
                if tool.get(key):
                    losses.add("tool-options", f"{key} has no counterpart; dropped", name)
            parameters = tool.get("parameters")
            tools.append(
                Tool(
                    name,
                    description,
                    None if parameters is None else as_object(parameters, "parameters"),
                    strict=tool.get("strict") if isinstance(tool.get("strict"), bool) else None,
                )
            )
        elif kind == "namespace":
            losses.add("namespace", "its tools are declared without it", tool.get("name"))
            inner = decode_tools(tool, losses)
            for inner_tool in inner:
                inner_tool.name = (names or {}).get((str(tool.get("name")), inner_tool.name), inner_tool.name)
            tools += inner
        elif kind == "custom":
            name = as_text(tool.get("name"), "a tool's name")
            tools.append(Tool(name, description, kind="custom", format=tool.get("format")))
        else:
            tools.append(as_function(tool) or Tool(str(kind), kind="hosted", format=tool))
    return tools


def decode_settings(body: Body, losses: Losses) -> Settings:
    """The settings of a request."""
    text = as_object(body.get("text"), "text")
    reasoning = as_object(body.get("reasoning"), "reasoning")
    shared = {key: body[key] for key in _SHARED_KEYS if body.get(key) is not None}
    if text.get("verbosity") is not None:
        shared["verbosity"] = text["verbosity"]
    for key in sorted(reasoning.keys() - {"effort", "summary"}):
        if reasoning[key] is not None:
            losses.add("setting", "reasoning of Responses' own; dropped", key)
    for key in sorted(body.keys() - _KNOWN_KEYS):
        if body[key] not in (None, [], False):
            losses.add("setting", "Responses' own; dropped", key)
    return Settings(
        max_output_tokens=body.get("max_output_tokens"),
        temperature=body.get("temperature"),
        top_p=body.get("top_p"),
        tool_choice=_decode_choice(body.get("tool_choice")),
        parallel_calls=body.get("parallel_tool_calls"),
        response_format=_decode_format(text.get("format")),
        user_id=body.get("user"),
        metadata=body.get("metadata") or None,
        reasoning=_decode_reasoning(reasoning),
        openai=shared,
    )


def _decode_reasoning(config: Body) -> Reasoning | None:
    effort, summary = config.get("effort"), config.get("summary")
    if effort is None and summary is None:
        return None
    return Reasoning(effort=effort, summaries=True if summary is not None else None)


def _decode_choice(value: Any) -> ToolChoice | None:
    if isinstance(value, str):
        return ToolChoice(value if value in ("auto", "required", "none") else "auto")
    if not isinstance(value, dict):
        return None
    if value.get("type") == "allowed_tools":
        names = [_decode_tool_name(as_object(tool, "a tool")) for tool in as_list(value.get("tools"), "tools")]
        return ToolChoice("required" if value.get("mode") == "required" else "auto", names)
    return ToolChoice("required", [_decode_tool_name(value)])


def _decode_tool_name(tool: Body) -> str:
    return as_text(tool.get("name"), "name") or str(tool.get("type"))


def _decode_format(value: Any) -> ResponseFormat | None:
    response_format = as_object(value, "format")
    if not response_format:
        return None
    return ResponseFormat(
        str(response_format.get("type")),
        response_format.get("schema"),
        response_format.get("name"),
        response_format.get("description"),
        response_format.get("strict"),
    )


HOSTED_BY_PURPOSE: dict[str, Body] = {
    "web search": {"type": "web_search"},
    "code": {"type": "code_interpreter", "container": {"type": "auto"}},
}
"""OpenAI's provider-run tools by purpose."""


def encode_tools(conversation: Conversation) -> list[Tool]:
    """The tools that the client runs."""
    return [tool for tool in conversation.tools if tool.kind != "hosted"]


def encode_tool(tool: Tool, target: Target) -> Body:
    """The declaration of a tool.

    ``strict`` is always set: without it Responses tries to be strict and rewrites the schema, while the other formats
    are not strict by default.
    """
    if tool.own_declaration is not None and target.exact:
        return tool.own_declaration
    body: Body = {"type": tool.kind, "name": target.names.target_name(tool.name)}
    if tool.description:
        body["description"] = tool.description
    if tool.kind == "custom":
        if tool.format is not None:
            body["format"] = tool.format
        return body
    body["parameters"] = encode_parameters(tool, target)
    body["strict"] = target.strict_flag(tool) is True
    if "strict" in target.notations or "null" in target.notations:
        body["strict"] = True if "strict" in target.notations else None
    elif "omitted" in target.notations:
        del body["strict"]
    if "nulls" in target.notations:
        body["description"] = tool.description or None
        body["parameters"] = None if tool.schema is None else body["parameters"]
    return body


def encode_settings(body: Body, settings: Settings, tools: list[Tool], target: Target) -> None:
    """Write settings into ``body``; unsupported ones are recorded as losses."""
    kinds = {tool.name: tool.kind for tool in tools}
    choice = target.allowed_choice(settings.tool_choice, tools)
    if choice is not None:
        body["tool_choice"] = _encode_choice(choice, kinds, target)
    if settings.parallel_calls is not None and tools:
        body["parallel_tool_calls"] = settings.parallel_calls
    _encode_sampling(body, settings, target)
    text: Body = {}
    if settings.response_format is not None:
        text["format"] = _encode_format(settings.response_format, target)
    if "verbosity" in settings.openai:
        if settings.openai["verbosity"] in VERBOSITIES:
            text["verbosity"] = settings.openai["verbosity"]
        else:
            target.losses.add("verbosity", "Responses does not know this word; dropped", settings.openai["verbosity"])
    body.update({key: value for key, value in settings.openai.items() if key != "verbosity"})
    if text:
        body["text"] = text
    if settings.reasoning is not None:
        _encode_reasoning(body, settings.reasoning, target)
    if "encrypted" in target.notations:
        body["include"] = ["reasoning.encrypted_content"]
    if "stateless" in target.notations:
        body["store"] = False
    if settings.user_id is not None:
        body["safety_identifier" if "safety-identifier" in target.notations else "user"] = settings.user_id
    if settings.metadata:
        body["metadata"] = settings.metadata


def _encode_sampling(body: Body, settings: Settings, target: Target) -> None:
    limit = settings.max_output_tokens
    if limit is not None:
        body["max_output_tokens"] = target.clamp("max-output-tokens", as_number(limit, "a limit"), MIN_OUTPUT_TOKENS)
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.top_p is not None:
        body["top_p"] = target.clamp("top-p", settings.top_p, 0, 1)
    for key in ("top_k", "stop", "seed", "frequency_penalty", "presence_penalty"):
        if getattr(settings, key) not in (None, []):
            target.losses.add(key.replace("_", "-"), "Responses has no such setting; dropped", key)
    if settings.reply_count not in (None, 1):
        target.losses.add("reply-count", "Responses gives one reply; dropped", settings.reply_count)


def _encode_reasoning(body: Body, reasoning: Reasoning, target: Target) -> None:
    config: Body = {}
    if reasoning.effort_word() is not None:
        config["effort"] = reasoning.effort_word()
    elif reasoning.budget is not None:
        target.losses.add("setting", "Responses has no word for this; dropped", "reasoning")
    if reasoning.summaries:
        config["summary"] = "auto"
    if config:
        body["reasoning"] = config


def _encode_choice(choice: ToolChoice, kinds: dict[str, str], target: Target) -> str | Body:
    def encode_name(tool_name: str) -> Body:
        return {"type": kinds.get(tool_name, "function"), "name": target.names.target_name(tool_name)}

    if choice.names is None:
        return choice.mode
    if choice.mode == "required" and len(choice.names) == 1:
        return encode_name(choice.names[0])
    return {"type": "allowed_tools", "mode": choice.mode, "tools": [encode_name(name) for name in choice.names]}


def _encode_format(response_format: ResponseFormat, target: Target) -> Body:
    if response_format.type != "json_schema":
        return {"type": response_format.type}
    body: Body = {"type": "json_schema", "name": response_format.name or "response"}
    if response_format.description is not None:
        body["description"] = response_format.description
    body["schema"] = response_format.schema
    strict = target.strict_answer_flag(response_format)
    if strict is not None:
        body["strict"] = strict
    return body
