"""Tools, tool choice and settings of Gemini requests, both ways."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text
from toolcall_reference.conversation import schemas
from toolcall_reference.conversation.intermediate import Body, ResponseFormat, Settings, Tool, ToolChoice
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.reasoning import Reasoning
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.gemini.models import is_third_generation
from toolcall_reference.formats.gemini.own_tools import as_functions
from toolcall_reference.formats.gemini.protojson import proto_number, with_camel_keys
from toolcall_reference.formats.gemini.schemas import from_parameters, to_parameters, without_schema_uri
from toolcall_reference.formats.openai import lose_openai

_KNOWN_KEYS = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "model", "labels"}
_KNOWN_CONFIG_KEYS = {
    "maxOutputTokens", "temperature", "topP", "topK", "stopSequences", "seed", "frequencyPenalty", "presencePenalty",
    "candidateCount", "responseMimeType", "responseSchema", "responseJsonSchema", "thinkingConfig",
}  # fmt: skip
_MODE_BY_WORD = {"AUTO": "auto", "ANY": "required", "NONE": "none", "VALIDATED": "auto"}
_MODE_WORD_BY_NUMBER = {1: "AUTO", 2: "ANY", 3: "NONE", 4: "VALIDATED"}


CLIENT_RUN_KINDS = ("functionDeclarations", "computerUse")
"""The keys of tools that the client runs."""


def tool_kinds(body: Body) -> set[str]:
    """The keys of a request's tools."""
    tools = body.get("tools")
    entries = [tools] if isinstance(tools, dict) else tools if isinstance(tools, list) else []
    kinds = [with_camel_keys(entry) for entry in entries if isinstance(entry, dict)]
    return {key for entry in kinds for key, value in entry.items() if value is not None}


def decode_tools(body: Body, losses: Losses) -> list[Tool]:
    """The declared functions; provider-run tools are hosted."""
    declared_tools = []
    tools = body.get("tools")
    for entry in [tools] if isinstance(tools, dict) else as_list(tools, "tools"):
        entry = as_object(entry, "a tool")
        for key, value in entry.items():
            if key == "computerUse" and value is not None:
                declared_tools += as_functions(value)
                continue
            if key != "functionDeclarations":
                if value is not None:
                    declared_tools.append(Tool(key, kind="hosted", format={key: value}))
                continue
            declared = as_list(value, "functionDeclarations")
            declared_tools += [
                _decode_function(as_object(declaration, "a declaration"), losses) for declaration in declared
            ]
    return declared_tools


def _decode_function(declaration: Body, losses: Losses) -> Tool:
    name = as_text(declaration.get("name"), "a function's name")
    schema = declaration.get("parametersJsonSchema")
    if schema is None and declaration.get("parameters") is not None:
        schema = from_parameters(declaration["parameters"])
    for key in ("response", "responseJsonSchema", "behavior"):
        if declaration.get(key) is not None:
            losses.add("tool", f"{key} of a declaration is Gemini's alone; dropped", name)
    description = declaration.get("description")
    return Tool(
        name,
        description if isinstance(description, str) else None,
        None if schema is None else as_object(schema, "parameters"),
    )


def decode_settings(body: Body, losses: Losses) -> Settings:
    """The settings of a request."""
    config = as_object(body.get("generationConfig"), "generationConfig")
    top_k = proto_number(config.get("topK"), "topK")
    settings = Settings(
        max_output_tokens=proto_number(config.get("maxOutputTokens"), "maxOutputTokens"),
        temperature=proto_number(config.get("temperature"), "temperature"),
        top_p=proto_number(config.get("topP"), "topP"),
        top_k=int(top_k) if isinstance(top_k, (int, float)) else None,
        stop=_decode_stop(config.get("stopSequences")),
        seed=proto_number(config.get("seed"), "seed"),
        frequency_penalty=proto_number(config.get("frequencyPenalty"), "frequencyPenalty"),
        presence_penalty=proto_number(config.get("presencePenalty"), "presencePenalty"),
        reply_count=proto_number(config.get("candidateCount"), "candidateCount"),
        metadata=body.get("labels") or None,
        reasoning=_decode_reasoning(as_object(config.get("thinkingConfig"), "thinkingConfig")),
    )
    schema = config.get("responseJsonSchema")
    if schema is None and config.get("responseSchema") is not None:
        schema = from_parameters(config["responseSchema"])
    if schema is not None:
        settings.response_format = ResponseFormat("json_schema", schema)
    elif config.get("responseMimeType") == "application/json":
        settings.response_format = ResponseFormat("json_object")
    calling = as_object(as_object(body.get("toolConfig"), "toolConfig").get("functionCallingConfig"), "config")
    raw: Any = calling.get("mode")
    raw = _MODE_WORD_BY_NUMBER.get(raw, "AUTO") if isinstance(raw, int) else raw
    if raw is not None:
        names = as_list(calling.get("allowedFunctionNames"), "allowedFunctionNames")
        settings.tool_choice = ToolChoice(
            _MODE_BY_WORD.get(str(raw).upper(), "auto"), [str(name) for name in names] or None
        )
    for key in sorted(config.keys() - _KNOWN_CONFIG_KEYS):
        if config[key] is not None:
            losses.add("setting", "Gemini's own; dropped", key)
    for key in sorted(body.keys() - _KNOWN_KEYS):
        if body[key] is not None:
            losses.add("setting", "Gemini's own; dropped", key)
    return settings


def _decode_stop(value: Any) -> Any:
    """The stop sequences; a single text is a list of one."""
    return [value] if isinstance(value, str) else value or None


def _decode_reasoning(config: Body) -> Reasoning | None:
    level, includes_thoughts = config.get("thinkingLevel"), config.get("includeThoughts")
    budget = proto_number(config.get("thinkingBudget"), "thinkingBudget")
    reasoning = Reasoning(
        effort=level.lower() if isinstance(level, str) else None,
        budget=budget if isinstance(budget, int) and not isinstance(budget, bool) else None,
        summaries=includes_thoughts if isinstance(includes_thoughts, bool) else None,
    )
    return None if reasoning == Reasoning() else reasoning


HOSTED_BY_PURPOSE: dict[str, Body] = {"web search": {"googleSearch": {}}, "web fetch": {"urlContext": {}}}
"""Gemini's provider-run tools by purpose; most models do not take them together with functions."""


def encode_tools(tools: list[Tool]) -> list[Tool]:
    """The tools that the client runs."""
    return [tool for tool in tools if tool.kind != "hosted"]


def encode_tool(tool: Tool, target: Target) -> Body:
    """The declaration of a tool: with JSON Schema verbatim, unless the notation ``parameters`` is requested."""
    declaration: Body = {"name": target.names.target_name(tool.name)}
    if tool.description or "blank-descriptions" in target.notations:
        declaration["description"] = tool.description or ""
    schema = tool.schema
    if tool.kind == "custom":
        schema = schemas.FREE_TEXT
        if tool.format not in (None, {"type": "text"}):
            target.losses.add("tool-custom", "its grammar is dropped; any text is taken as input", tool.name)
    if tool.strict is True:
        target.losses.add("tool-strict", "Gemini has no strict tools; dropped", tool.name)
    if schema is None:
        return declaration
    if "parameters" in target.notations:
        parameters, lost = to_parameters(schema)
        for keyword in dict.fromkeys(lost):
            target.losses.add("tool-schema", f"{keyword} cannot be said in parameters; widened", tool.name)
        if "properties" in parameters:
            declaration["parameters"] = parameters
    else:
        declaration["parametersJsonSchema"] = without_schema_uri(schemas.add_root_type(schema))
    return declaration


def encode_choice(settings: Settings, tools: list[Tool], target: Target) -> Body | None:
    """The ``toolConfig``; None if nothing is set."""
    if settings.parallel_calls is False and tools:
        target.losses.add("parallel-flag", "Gemini cannot be told to make one call at a time; dropped")
    choice = target.allowed_choice(settings.tool_choice, tools)
    if choice is None:
        return None
    config: Body = {"mode": {"auto": "AUTO", "required": "ANY", "none": "NONE"}[choice.mode]}
    if choice.names is not None and choice.mode != "none":
        # Names may be given with ANY and VALIDATED only; the latter lets the model choose not to call.
        config["mode"] = "ANY" if choice.mode == "required" else "VALIDATED"
        config["allowedFunctionNames"] = [target.names.target_name(name) for name in choice.names]
    return {"functionCallingConfig": config}


def encode_config(settings: Settings, target: Target) -> Body:
    """The ``generationConfig``; empty if nothing is set."""
    config: Body = {}
    for key, value in (
        ("temperature", settings.temperature),
        ("topP", settings.top_p),
        ("topK", settings.top_k),
        ("maxOutputTokens", target.clamp("max-output-tokens", settings.max_output_tokens, 1)),
        ("stopSequences", settings.stop),
        ("seed", settings.seed),
        ("frequencyPenalty", settings.frequency_penalty),
        ("presencePenalty", settings.presence_penalty),
        ("candidateCount", settings.reply_count),
    ):
        if value is not None:
            config[key] = value
    stop = as_list(settings.stop, "stop sequences")
    if len(stop) > 5:
        target.losses.add("stop", "Gemini takes five stop sequences; the first five are kept", len(stop))
        config["stopSequences"] = stop[:5]
    response_format = settings.response_format
    if response_format is not None and response_format.type in ("json_object", "json_schema"):
        config["responseMimeType"] = "application/json"
        if response_format.schema is not None and "response-schema" in target.notations:
            schema, lost = to_parameters(response_format.schema)
            config["responseSchema"] = _with_property_ordering(schema)
            for keyword in dict.fromkeys(lost):
                target.losses.add("response-format", f"{keyword} cannot be said in responseSchema; widened")
        elif response_format.schema is not None:
            config["responseJsonSchema"] = response_format.schema
    thinking = {} if settings.reasoning is None else encode_thinking(settings.reasoning, target)
    if thinking:
        config["thinkingConfig"] = thinking
    for key in ("user_id", "metadata"):
        if getattr(settings, key):
            target.losses.add(key.replace("_", "-"), "Gemini has no such setting; dropped", key)
    lose_openai(settings, target.losses)
    return config


def _with_property_ordering(schema: Any) -> Any:
    """A schema with ``propertyOrdering``, as the official SDK writes it."""
    if isinstance(schema, list):
        return [_with_property_ordering(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    ordered_schema = {key: _with_property_ordering(value) for key, value in schema.items() if key != "properties"}
    members = schema.get("properties", {})
    if members:
        ordered_schema["properties"] = {name: _with_property_ordering(value) for name, value in members.items()}
    if len(members) > 1:
        ordered_schema["propertyOrdering"] = list(members)
    return ordered_schema


_LEVEL_BY_EFFORT = {"minimal": "LOW", "low": "LOW", "medium": "HIGH", "high": "HIGH", "xhigh": "HIGH"}
"""Gemini 3 Pro knows two levels (https://ai.google.dev/gemini-api/docs/thinking#thinking-levels)."""


def encode_thinking(reasoning: Reasoning, target: Target) -> Body:
    """The ``thinkingConfig``: a level for Gemini 3, a budget for models before it; it never takes both."""
    config: Body = {}
    if reasoning.summaries:
        config["includeThoughts"] = True
    if is_third_generation(target.model):
        word = as_text(reasoning.effort_word(), "the effort of reasoning")
        if word in _LEVEL_BY_EFFORT:
            config["thinkingLevel"] = _LEVEL_BY_EFFORT[word]
        elif reasoning.is_off:
            target.losses.add("setting", "Gemini 3 always thinks; dropped", "reasoning")
    elif reasoning.token_budget() is not None:
        config["thinkingBudget"] = reasoning.token_budget()
    return config
