"""Declarations, choices and settings that break a rule of their own format."""

from __future__ import annotations

import json

from doubles.bodies.choice import choice, mode, named_in
from doubles.bodies.settings import settings
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft
from doubles.wire import walk


@broken("openai_chat/tools-not-empty")
def empty_list_of_tools(draft: Draft) -> None:
    """The list of tools is empty."""
    need(draft.tools)
    draft.body["tools"] = []


@broken("openai_chat/tool-choice-needs-tools")
def choice_without_tools(draft: Draft) -> None:
    """Tools are gone, the choice stays."""
    need(choice(draft) is not None)
    del draft.body["tools"]


@broken("openai_chat/parallel-flag-needs-tools")
def parallel_flag_without_tools(draft: Draft) -> None:
    """Tools are gone, the parallel flag stays."""
    need("parallel_tool_calls" in draft.body)
    del draft.body["tools"]
    draft.body.pop("tool_choice", None)


@broken({RESPONSES: "openai_responses/tool-choice-declared", GEMINI: "gemini/allowed-names-declared"})
def choice_of_undeclared(draft: Draft) -> None:
    """A tool is forced that is not declared."""
    need(mode(draft) == "named")
    if draft.format == GEMINI:
        choice(draft)["allowedFunctionNames"] = ["list_directory"]
    else:
        choice(draft)["name"] = "list_directory"


@broken(
    {
        ANTHROPIC: "anthropic/tool-choice-name",
        CHAT: "openai_chat/tool-choice-named",
        RESPONSES: ("openai_responses/tool-choice-form", "openai_responses/tool-choice-flat"),
    }
)
def choice_without_name(draft: Draft) -> None:
    """A tool is forced, but not named."""
    need(mode(draft) == "named")
    del named_in(choice(draft))["name"]


@broken({CHAT: "openai_chat/tool-choice-allowed", RESPONSES: "openai_responses/tool-choice-subset"})
def subset_without_mode(draft: Draft) -> None:
    """Some tools are allowed, but whether one must be called is not said."""
    need(mode(draft) == "subset")
    stated = choice(draft)
    del (stated["allowed_tools"] if draft.format == CHAT else stated)["mode"]


@broken(
    {
        CHAT: "openai_chat/tool-choice-allowed",
        RESPONSES: ("openai_responses/tool-choice-subset", "openai_responses/tool-choice-flat"),
    }
)
def subset_in_other_shape(draft: Draft) -> None:
    """The choice of some tools has the shape of the other OpenAI format."""
    need(mode(draft) == "subset")
    stated = choice(draft)
    if draft.format == CHAT:
        inner = stated.pop("allowed_tools")
        stated |= inner
    else:
        stated["allowed_tools"] = {key: stated.pop(key) for key in ("mode", "tools")}


@broken("openai_responses/parallel-flag")
def parallel_flag_as_text(draft: Draft) -> None:
    """The parallel flag is a text."""
    need("parallel_tool_calls" in draft.body)
    draft.body["parallel_tool_calls"] = str(draft.body["parallel_tool_calls"]).lower()


@broken("{format}/tool-schema-items", target=(CHAT, RESPONSES))
def schema_array_without_items(draft: Draft) -> None:
    """Arrays in schemas have no items."""
    for schema in need([schema for tool in draft.tools for schema in walk(tool.schema) if "items" in schema]):
        del schema["items"]


@broken(
    {
        ANTHROPIC: "anthropic/tool-schema-root-plain",
        CHAT: "openai_chat/tool-schema-plain-root",
        RESPONSES: "openai_responses/tool-schema-combinators",
    }
)
def schema_root_composed(draft: Draft) -> None:
    """The root of a schema is a union."""
    for tool in need(draft.tools):
        tool.schema = {"type": "object", "anyOf": [tool.schema]}


@broken("openai_chat/tool-schema-properties")
def schema_without_properties(draft: Draft) -> None:
    """The root of a schema has no properties."""
    for tool in need(draft.tools):
        tool.schema = {"type": "object"}


@broken(
    {
        ANTHROPIC: "anthropic/tool-schema-object",
        CHAT: "openai_chat/tool-schema-root",
        RESPONSES: "openai_responses/tool-schema-root",
        GEMINI: "gemini/json-schema-root",
    }
)
def schema_root_as_list(draft: Draft) -> None:
    """The root of a schema is an array of the arguments."""
    for tool in need([tool for tool in draft.tools if tool.schema]):
        tool.schema = {"type": "array", "items": tool.schema}


@broken("gemini/schema-required-defined")
def schema_required_unknown(draft: Draft) -> None:
    """Parameters require a property that they do not have."""
    _as_parameters(draft)
    for tool in draft.tools:
        tool.inner["parameters"]["required"] = ["nothing"]


@broken("gemini/schema-array-items")
def schema_array_bare(draft: Draft) -> None:
    """Arrays in parameters have no items."""
    need('"items"' in json.dumps(draft.body.get("tools")))
    _as_parameters(draft)
    for tool in draft.tools:
        for schema in walk(tool.inner["parameters"]):
            schema.pop("items", None)


@broken("gemini/schema-enum-strings")
def schema_enum_of_numbers(draft: Draft) -> None:
    """An enum in parameters holds numbers."""
    _as_parameters(draft)
    hit = False
    for tool in draft.tools:
        for schema in walk(tool.inner["parameters"]):
            if schema.get("type") == "integer":
                schema["enum"], hit = [1, 2], True
    need(hit)


def _as_parameters(draft: Draft) -> None:
    """Put schemas under parameters; only such as fit there without a change."""
    plain = {
        "type",
        "description",
        "properties",
        "required",
        "items",
        "enum",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    }
    for tool in need(draft.tools):
        schema = tool.inner.pop(tool.schema_key, None)
        need(schema and all(set(entry) <= plain and isinstance(entry.get("type"), str) for entry in walk(schema)))
        tool.inner["parameters"] = schema


@broken(
    {
        ANTHROPIC: "anthropic/tool-strict-closed",
        CHAT: "openai_chat/strict-schema",
        RESPONSES: "openai_responses/strict-schema",
    }
)
def strict_but_open(draft: Draft) -> None:
    """A tool is declared strict with a schema that strict mode does not take."""
    for tool in need([tool for tool in draft.tools if tool.schema and "additionalProperties" not in tool.schema]):
        tool.inner["strict"] = True


@broken("openai_responses/tool-strict")
def strict_as_text(draft: Draft) -> None:
    """The mark strict is a text."""
    for tool in need(draft.tools):
        tool.inner["strict"] = "false"


@broken(
    {
        ANTHROPIC: "anthropic/temperature-range",
        CHAT: "openai_chat/setting-range",
        RESPONSES: "openai_responses/sampling-range",
        GEMINI: "gemini/temperature-range",
    }
)
def temperature_out_of_range(draft: Draft) -> None:
    """The temperature is in per cent."""
    holder = settings(draft)
    need("temperature" in holder and holder["temperature"] not in (0, 0.0))
    holder["temperature"] = holder["temperature"] * 100


@broken("{format}/stop-limit", target=(CHAT, GEMINI))
def too_many_stop_sequences(draft: Draft) -> None:
    """More stop sequences are sent than the provider takes."""
    key = "stop" if draft.format == CHAT else "stopSequences"
    need(settings(draft).get(key))
    settings(draft)[key] = ["a", "b", "c", "d", "e", "f"]


@broken("openai_chat/unknown-parameter")
def settings_unknown_to_chat(draft: Draft) -> None:
    """The setting top_k stands in a format that does not have it."""
    need("top_k" in str(draft.source) or "topK" in str(draft.source))
    draft.body["top_k"] = 40


@broken(
    {
        ANTHROPIC: "anthropic/system-shape",
        RESPONSES: "openai_responses/instructions-string",
        GEMINI: "gemini/system-instruction",
    }
)
def system_as_list_of_texts(draft: Draft) -> None:
    """The system prompt is a list of plain texts."""
    key = {ANTHROPIC: "system", RESPONSES: "instructions", GEMINI: "systemInstruction"}[draft.format]
    need(draft.system)
    draft.body[key] = draft.system
