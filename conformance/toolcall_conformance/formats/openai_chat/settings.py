"""Reads the settings of a request under their neutral names."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Node, Reading, Setting
from toolcall_conformance.formats.openai_chat.tools import read_choice

#: Keys whose value is the neutral value, with the neutral name.
_PLAIN_SETTINGS = {
    "model": "model",
    "stream": "stream",
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "n": "reply_count",
    "parallel_tool_calls": "parallel_calls",
    "metadata": "metadata",
    "service_tier": "service_tier",
    "store": "store",
    "verbosity": "verbosity",
    "prompt_cache_key": "cache_key",
}

#: Several keys for one setting, the current one first.
_RENAMED_SETTINGS = {
    "max_output_tokens": ("max_completion_tokens", "max_tokens"),
    "user_id": ("user", "safety_identifier"),
}

_PRIVATE_SETTINGS = (
    *("audio", "logit_bias", "logprobs", "modalities", "moderation", "prediction", "prompt_cache_options"),
    *("prompt_cache_retention", "reasoning_effort", "top_logprobs", "web_search_options"),
)


def read_settings(body: Node, reading: Reading) -> None:
    """Read every top-level key but ``messages``, ``tools`` and ``functions``; null counts as absent."""
    # Of the stream options only the usage is a setting of the client.
    body.ignore("stream_options")
    _add_setting(reading, "stream_counts", body.child("stream_options").child("include_usage"))
    for key, name in _PLAIN_SETTINGS.items():
        _add_setting(reading, name, body.child(key))
    for name, keys in _RENAMED_SETTINGS.items():
        for key in keys:
            node = body.child(key)
            if name not in reading.settings:
                _add_setting(reading, name, node)
    for key in _PRIVATE_SETTINGS:
        _add_setting(reading, f"private:{key}", body.child(key))
    effort = body.child("reasoning_effort")
    _add_setting(reading, "reasoning", effort, {"effort": effort.value})
    stop = body.child("stop")
    _add_setting(reading, "stop", stop, [stop.value] if isinstance(stop.value, str) else stop.value)
    choice, legacy = body.child("tool_choice"), body.child("function_call")
    _add_setting(reading, "tool_choice", choice if choice.value is not None else legacy, read_choice(choice, legacy))
    response_format = body.child("response_format")
    _add_setting(reading, "response_format", response_format, _response_format(response_format))


def _add_setting(reading: Reading, name: str, node: Node, value: Any = None) -> None:
    """Add a setting; null and an empty list (``stop: []``) count as absent."""
    if node.value is not None and node.value != []:
        reading.settings[name] = Setting(name, node.value if value is None else value, node.pointer)


def _response_format(response_format: Node) -> Any:
    kind = response_format.text("type")
    if kind is None:
        return response_format.value
    described = response_format.child("json_schema")
    if kind != "json_schema" or not described.is_object:
        return {"type": kind}
    strict = described.get("strict") is True  # absent means false to the API
    return {"type": kind, "schema": described.get("schema"), "name": described.get("name"), "strict": strict}
