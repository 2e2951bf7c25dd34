"""Declarations, schemas, choices and settings in other words that say the same."""

from __future__ import annotations

import copy
from typing import Any

from doubles.broken.choice import LIMITS, choice, mode
from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, harmless, need
from doubles.draft import Draft
from doubles.wire import walk

JSON_SCHEMA = (ANTHROPIC, CHAT, RESPONSES)


@harmless("type-custom", check="request", target=ANTHROPIC)
def type_custom(draft: Draft) -> None:
    """Tools say the type custom, which is the default."""
    for tool in need(draft.tools):
        tool.entry["type"] = "custom"


@harmless("strict-false", check="request", target=(ANTHROPIC, CHAT))
def strict_false(draft: Draft) -> None:
    """Tools say that they are not strict, which is the default."""
    for tool in need([tool for tool in draft.tools if "strict" not in tool.inner]):
        tool.inner["strict"] = False


@harmless("parameters-in-upper-case", check="request", target=GEMINI)
def parameters_in_upper_case(draft: Draft) -> None:
    """Schemas stand under parameters, with Gemini's own type names."""
    hit = False
    for tool in draft.tools:
        schema = tool.inner.get("parametersJsonSchema")
        if schema is not None and _fits_parameters(schema):
            del tool.inner["parametersJsonSchema"]
            tool.inner["parameters"], hit = _as_parameters(schema), True
    need(hit)


def _fits_parameters(schema: Any) -> bool:
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
    return all(set(entry) <= plain and isinstance(entry.get("type"), str) for entry in walk(schema)) and all(
        isinstance(value, str) for entry in walk(schema) for value in entry.get("enum", [])
    )


def _as_parameters(schema: dict[str, Any]) -> dict[str, Any]:
    schema = copy.deepcopy(schema)
    for entry in walk(schema):
        entry["type"] = entry["type"].upper()
    return schema


@harmless("parameters-in-lower-case", check="request", target=GEMINI)
def parameters_in_lower_case(draft: Draft) -> None:
    """Schemas stand under parameters, with the type names in lower case."""
    parameters_in_upper_case(draft)
    for tool in draft.tools:
        for entry in walk(tool.inner.get("parameters")):
            entry["type"] = entry["type"].lower()


@harmless("declarations-in-several-containers", check="request", target=GEMINI)
def declarations_in_several_containers(draft: Draft) -> None:
    """Each declaration has a container of its own."""
    need(len(draft.tools) > 1)
    draft.body["tools"] = [{"functionDeclarations": [tool.inner]} for tool in draft.tools]


@harmless("schema-titles", check="request", target=JSON_SCHEMA)
def schema_titles(draft: Draft) -> None:
    """Schemas have titles, as some libraries write them."""
    for tool in need(draft.tools):
        for name, entry in (tool.schema.get("properties") or {}).items():
            entry["title"] = name.title()
        tool.schema["title"] = "Arguments"


@harmless("schema-dialect", check="request", target=JSON_SCHEMA)
def schema_dialect(draft: Draft) -> None:
    """Schemas name their dialect."""
    for tool in need([tool for tool in draft.tools if not tool.inner.get("strict")]):
        tool.schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **tool.schema}


@harmless("schema-open-said-aloud", check="request", target=JSON_SCHEMA)
def schema_open_said_aloud(draft: Draft) -> None:
    """Schemas say that other properties are allowed, which is the default."""
    for tool in need([tool for tool in draft.tools if "additionalProperties" not in tool.schema]):
        tool.schema["additionalProperties"] = True


@harmless("schema-required-empty", check="request", target=JSON_SCHEMA)
def schema_required_empty(draft: Draft) -> None:
    """A schema without required parameters says an empty list of them."""
    for tool in need([tool for tool in draft.tools if "required" not in tool.schema]):
        tool.schema["required"] = []


@harmless("schema-in-other-order", check="request")
def schema_in_other_order(draft: Draft) -> None:
    """Properties, required names and enum values stand in another order."""
    for tool in need(draft.tools):
        for entry in walk(tool.schema):
            if "properties" in entry:
                entry["properties"] = dict(reversed(entry["properties"].items()))
            for key in ("required", "enum"):
                if key in entry:
                    entry[key] = entry[key][::-1]


@harmless("schema-by-reference", check="request", target=(ANTHROPIC, CHAT))
def schema_by_reference(draft: Draft) -> None:
    """An inner schema stands under $defs, with a reference to it."""
    for tool in need([tool for tool in draft.tools if not tool.inner.get("strict")]):
        properties = tool.schema.get("properties") or {}
        for name, entry in properties.items():
            if "enum" in entry or "properties" in entry:
                tool.schema["$defs"] = {"Inner": entry}
                properties[name] = {"$ref": "#/$defs/Inner"}
                return
    need(False)


@harmless("tools-in-other-order", check="request")
def tools_in_other_order(draft: Draft) -> None:
    """Tools are declared in another order."""
    need(len(draft.tools) > 1)
    holder = draft.tools[0].holder
    holder.reverse()


@harmless("choice-auto-said-aloud", check="request")
def choice_auto_said_aloud(draft: Draft) -> None:
    """The choice auto is said, which is the default."""
    need(draft.tools and choice(draft) is None)
    if draft.format == GEMINI:
        draft.body["toolConfig"] = {"functionCallingConfig": {"mode": "AUTO"}}
    else:
        draft.body["tool_choice"] = {"type": "auto"} if draft.format == ANTHROPIC else "auto"


@harmless("choice-auto-left-out", check="request")
def choice_auto_left_out(draft: Draft) -> None:
    """The choice auto is left out, as it is the default."""
    need(choice(draft) is not None and mode(draft) == "auto")
    need(draft.format != ANTHROPIC or not choice(draft).get("disable_parallel_tool_use"))
    draft.body.pop("toolConfig" if draft.format == GEMINI else "tool_choice")


@harmless("parallel-said-aloud", check="request", target=(ANTHROPIC, CHAT, RESPONSES))
def parallel_said_aloud(draft: Draft) -> None:
    """That calls may be parallel is said, which is the default."""
    need(draft.tools)
    if draft.format == ANTHROPIC:
        need(choice(draft) and mode(draft) != "none" and "disable_parallel_tool_use" not in choice(draft))
        draft.body["tool_choice"]["disable_parallel_tool_use"] = False
    else:
        need("parallel_tool_calls" not in draft.body)
        draft.body["parallel_tool_calls"] = True


@harmless("parallel-left-out", check="request", target=(ANTHROPIC, CHAT, RESPONSES))
def parallel_left_out(draft: Draft) -> None:
    """That calls may be parallel is left out, as it is the default."""
    if draft.format == ANTHROPIC:
        need(draft.body.get("tool_choice", {}).get("disable_parallel_tool_use") is False)
        del draft.body["tool_choice"]["disable_parallel_tool_use"]
    else:
        need(draft.body.get("parallel_tool_calls") is True)
        del draft.body["parallel_tool_calls"]


@harmless("named-as-only-one-allowed", check="request", target=(CHAT, RESPONSES))
def named_as_only_one_allowed(draft: Draft) -> None:
    """A forced tool is the only one in a list of allowed tools of which one must be called."""
    need(mode(draft) == "named")
    stated = choice(draft)
    allowed = {"mode": "required", "tools": [stated]}
    inner = (
        {"type": "allowed_tools", "allowed_tools": allowed}
        if draft.format == CHAT
        else {"type": "allowed_tools", **allowed}
    )
    draft.body["tool_choice"] = inner


@harmless("named-as-only-one-declared", check="request", target=ANTHROPIC)
def named_as_only_one_declared(draft: Draft) -> None:
    """A forced tool is the only one declared, and one must be called."""
    need(mode(draft) == "named")
    name = choice(draft)["name"]
    draft.body["tools"] = [tool.entry for tool in draft.tools if tool.inner["name"] == name]
    draft.body["tool_choice"] = {"type": "any"}


@harmless("subset-as-filtered-tools", check="request", target=ANTHROPIC, cases=("grep/choice-subset",))
def subset_as_filtered_tools(draft: Draft) -> None:
    """Where a subset cannot be named, the other tools are not declared; the order is another one."""
    need(mode(draft) == "required" and len(draft.tools) == 2)
    draft.body["tools"].reverse()


@harmless("names-allowed-all", check="request", target=GEMINI)
def names_allowed_all(draft: Draft) -> None:
    """One of all the declared tools, by name, must be called."""
    need(mode(draft) == "required")
    choice(draft)["allowedFunctionNames"] = [tool.inner["name"] for tool in draft.tools]


@harmless("max-tokens-another-default", check="request", target=ANTHROPIC)
def max_tokens_another_default(draft: Draft) -> None:
    """Where the source sets no limit, the one that the API demands is another number."""
    source = str(draft.source)
    need(
        not any(
            word in source for word in ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
        )
    )
    draft.body["max_tokens"] = 8192


@harmless("max-tokens-by-old-name", check="request", target=CHAT)
def max_tokens_by_old_name(draft: Draft) -> None:
    """The limit stands under the deprecated max_tokens, which this model takes."""
    draft.body["max_tokens"] = need(draft.body.pop(LIMITS[CHAT], None))


@harmless("temperature-as-float", check="request")
def temperature_as_float(draft: Draft) -> None:
    """The temperature 1 is spelt 1.0, and the other way round."""
    holder = draft.body.get("generationConfig", {}) if draft.format == GEMINI else draft.body
    value = holder.get("temperature")
    need(value is not None and value == int(value))
    holder["temperature"] = int(value) if isinstance(value, float) else float(value)


@harmless(
    "temperature-default-left-out",
    check="request",
    target=JSON_SCHEMA,
    sources=JSON_SCHEMA,
    cases=("grep/plain-end",),
)
def temperature_default_left_out(draft: Draft) -> None:
    """The temperature 1 is left out where both sides document it as the default."""
    need(draft.body.pop("temperature", None))


@harmless("stream-false", check="request", target=(ANTHROPIC, CHAT, RESPONSES))
def stream_false(draft: Draft) -> None:
    """The request says that it wants no stream, which is the default."""
    draft.body["stream"] = False


@harmless("one-candidate-said-aloud", check="request", target=GEMINI)
def one_candidate_said_aloud(draft: Draft) -> None:
    """The request asks for one candidate, which is the default."""
    draft.body.setdefault("generationConfig", {})["candidateCount"] = 1


@harmless("one-choice-said-aloud", check="request", target=CHAT)
def one_choice_said_aloud(draft: Draft) -> None:
    """The request asks for one choice, which is the default."""
    draft.body["n"] = 1


@harmless("not-stored", check="request", target=(CHAT, RESPONSES))
def not_stored(draft: Draft) -> None:
    """The request asks not to be stored, which a translator may well want."""
    draft.body["store"] = False


@harmless("snake-case", check="request", target=GEMINI)
def snake_case(draft: Draft) -> None:
    """Keys are spelt in snake_case, which proto-JSON takes."""
    draft.body = _snake(draft.body)


def _snake(value: Any) -> Any:
    if isinstance(value, list):
        return [_snake(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    free = ("args", "response", "parametersJsonSchema", "properties")  # their keys are the user's own
    return {SNAKE.get(key, key): entry if key in free else _snake(entry) for key, entry in value.items()}


SNAKE = {
    "systemInstruction": "system_instruction",
    "generationConfig": "generation_config",
    "maxOutputTokens": "max_output_tokens",
    "stopSequences": "stop_sequences",
    "topP": "top_p",
    "topK": "top_k",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "toolConfig": "tool_config",
    "functionCallingConfig": "function_calling_config",
    "allowedFunctionNames": "allowed_function_names",
    "functionDeclarations": "function_declarations",
    "parametersJsonSchema": "parameters_json_schema",
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "thoughtSignature": "thought_signature",
}
