"""Reads the settings of a request under their neutral names: https://ai.google.dev/api/generate-content#generationconfig."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Node, Reading, Setting
from toolcall_conformance.formats.gemini.proto_json import (
    FUNCTION_CALLING_MODES,
    enum_name,
    parse_number,
    to_json_schema,
)

#: Neutral names of numbers in generationConfig.
NUMBER_SETTINGS = {
    "maxOutputTokens": "max_output_tokens",
    "temperature": "temperature",
    "topP": "top_p",
    "topK": "top_k",
    "seed": "seed",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "candidateCount": "reply_count",
}

#: Settings that only Gemini has: of generationConfig, of the body, and of toolConfig.
PRIVATE_SETTINGS = (
    *("responseModalities", "mediaResolution", "speechConfig", "imageConfig"),
    *("logprobs", "responseLogprobs", "enableEnhancedCivicAnswers", "audioTimestamp", "routingConfig"),
    *("modelSelectionConfig", "enableAffectiveDialog", "translationConfig", "audioTranscriptionConfig"),
    "responseFormat",
)
PRIVATE_BODY_SETTINGS = ("safetySettings", "cachedContent", "serviceTier", "store", "modelArmorConfig")
PRIVATE_TOOL_SETTINGS = ("retrievalConfig", "includeServerSideToolInvocations")

#: VALIDATED lets the model choose, as AUTO does; it only adds that calls keep to their schema.
CHOICE_MODES = {"AUTO": "auto", "MODE_UNSPECIFIED": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}


def read_settings(body: Node, reading: Reading) -> None:
    """Read every setting of a request."""
    model = body.child("model")
    if isinstance(model.value, str):
        _add_setting(reading, "model", model.value.removeprefix("models/"), model)
    labels = body.child("labels")
    if labels.is_object:
        _add_setting(reading, "metadata", labels.value, labels)
    _add_private_settings(body, PRIVATE_BODY_SETTINGS, reading)
    config = body.child("generationConfig")
    if config.is_object:
        _read_generation(config, reading)
    tool_config = body.child("toolConfig")
    if tool_config.is_object:
        _read_choice(tool_config.child("functionCallingConfig"), reading)
        _add_private_settings(tool_config, PRIVATE_TOOL_SETTINGS, reading)
        tool_config.close(reading.residue)


def _read_generation(config: Node, reading: Reading) -> None:
    """Read the settings in ``generationConfig``."""
    for key, name in NUMBER_SETTINGS.items():
        node = config.child(key)
        value = parse_number(node.value)
        if value is not None:
            _add_setting(reading, name, value, node)
    stop = config.child("stopSequences")
    sequences = [stop.value] if isinstance(stop.value, str) else stop.value
    if isinstance(sequences, list) and sequences and all(isinstance(entry, str) for entry in sequences):
        _add_setting(reading, "stop", sequences, stop)
    _read_thinking(config.child("thinkingConfig"), reading)
    _read_format(config, reading)
    _add_private_settings(config, PRIVATE_SETTINGS, reading)
    config.close(reading.residue)


def _read_thinking(config: Node, reading: Reading) -> None:
    """Add the reasoning setting: a level for Gemini 3, a budget for earlier models (0: none, -1: the model decides)."""
    level, budget = config.get("thinkingLevel"), parse_number(config.get("thinkingBudget"))
    wish: dict[str, Any] = {} if budget is None else {"budget": budget}
    if isinstance(level, str):
        wish["effort"] = level.lower()
    if wish:
        _add_setting(reading, "reasoning", wish, config)
    thoughts = config.child("includeThoughts")
    if isinstance(thoughts.value, bool):
        reading.thoughts = Setting("thoughts", thoughts.value, thoughts.pointer)
    _add_private_settings(config, ("includeThoughts",), reading)
    config.close(reading.residue)


def _read_format(config: Node, reading: Reading) -> None:
    """Add the response format: a MIME type, and one of two kinds of schema."""
    mime = config.child("responseMimeType")
    schema, described = config.child("responseSchema"), config.child("responseJsonSchema")
    if schema.value is not None:
        value = {"type": "json_schema", "schema": to_json_schema(schema.value)}
        _add_setting(reading, "response_format", value, schema)
    elif described.value is not None:
        _add_setting(reading, "response_format", {"type": "json_schema", "schema": described.value}, described)
    elif mime.value == "application/json":
        _add_setting(reading, "response_format", {"type": "json_object"}, mime)
    elif mime.value == "text/plain":
        _add_setting(reading, "response_format", {"type": "text"}, mime)
    elif mime.value is not None:
        _add_setting(reading, "private:responseMimeType", mime.value, mime)


def _read_choice(node: Node, reading: Reading) -> None:
    """Add the tool choice; without a mode it is AUTO, the API's default."""
    if not node.is_object:
        return
    mode = enum_name(node.get("mode"), FUNCTION_CALLING_MODES)
    neutral = "auto" if mode is None else CHOICE_MODES.get(mode)
    names = node.get("allowedFunctionNames")
    names = [names] if isinstance(names, str) else names
    if neutral is not None:
        choice: dict[str, Any] = {"mode": neutral}
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            choice["names"] = names
        _add_setting(reading, "tool_choice", choice, node)
    _add_private_settings(node, ("streamFunctionCallArguments",), reading)
    node.close(reading.residue)


def _add_private_settings(node: Node, keys: tuple[str, ...], reading: Reading) -> None:
    for key in keys:
        child = node.child(key)
        if child.value is not None:
            _add_setting(reading, f"private:{key}", child.value, child)


def _add_setting(reading: Reading, name: str, value: Any, node: Node) -> None:
    reading.settings[name] = Setting(name, value, node.pointer)
