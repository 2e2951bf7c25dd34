"""Declarations and schemas in other words that say the same, and keys in snake_case."""

from __future__ import annotations

import copy
from typing import Any

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
