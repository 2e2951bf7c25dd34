"""How replies look when the provider itself sends them: its id shapes and the keys that no translation needs.

Each function takes a complete reply as an encoder made it and returns it as the provider would have sent it, always the
same for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .intermediate import Body
from .jsontext import digest
from .scenario import letters


def anthropic(body: Body, seed: str, asked: Body) -> Body:
    """``msg_01`` ids, the caller of each call, stop details and the service tier."""
    del asked
    body["id"] = "msg_01" + letters(22, seed)
    for block in body["content"]:
        if block["type"] == "tool_use":
            block["caller"] = {"type": "direct"}
    usage = body.pop("usage")
    body["stop_details"] = None
    body["usage"] = {
        "input_tokens": usage["input_tokens"],
        "cache_creation_input_tokens": usage["cache_creation_input_tokens"],
        "cache_read_input_tokens": usage["cache_read_input_tokens"],
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage["cache_creation_input_tokens"],
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": usage["output_tokens"],
        "service_tier": "standard",
        "inference_geo": "not_available",
    }
    return body


def openai_chat(body: Body, seed: str, asked: Body) -> Body:
    """``chatcmpl-`` ids, annotations, fingerprint; ``stop`` where one function was forced."""
    body["id"] = "chatcmpl-" + letters(29, seed)
    choice = body["choices"][0]
    choice["message"]["annotations"] = []
    forced = asked.get("tool_choice")
    if (
        isinstance(forced, dict)
        and forced.get("type") in ("function", "custom")
        and choice["finish_reason"] == "tool_calls"
    ):
        choice["finish_reason"] = "stop"
    body["service_tier"] = "default"
    body["system_fingerprint"] = "fp_" + digest("fingerprint", body["model"], length=10)
    return body


def openai_responses(body: Body, seed: str, asked: Body) -> Body:
    """``resp_``, ``fc_`` and ``msg_`` ids of 48 hexadecimal digits, the tools echoed, and every default said."""
    body["id"] = "resp_" + digest("resp", seed, length=50)
    for place, item in enumerate(body["output"]):
        prefix = str(item.get("id", "")).split("_")[0]
        if prefix in ("fc", "ctc", "msg"):
            item["id"] = f"{prefix}_{digest('item', seed, place, length=50)}"
    body["tools"] = [_echoed_tool(tool) for tool in asked.get("tools", [])]
    more: dict[str, Any] = {
        "completed_at": body["created_at"] + 2,
        "frequency_penalty": 0.0,
        "max_tool_calls": None,
        "presence_penalty": 0.0,
        "prompt_cache_key": None,
        "prompt_cache_retention": None,
        "safety_identifier": None,
        "top_logprobs": 0,
    }
    if body["status"] != "completed":
        more["completed_at"] = None
    body.update({key: value for key, value in more.items() if key not in body})
    body["text"] = {**body["text"], "verbosity": "medium"}
    usage, user, metadata = body.pop("usage"), body.pop("user"), body.pop("metadata")
    return {**body, "usage": usage, "user": user, "metadata": metadata}


def _echoed_tool(tool: Body) -> Body:
    """A function as OpenAI echoes it: where the request does not say ``strict``, in strict form."""
    if tool.get("type") != "function":
        return tool
    found = {"type": "function", "description": tool.get("description"), "name": tool["name"]}
    if tool.get("strict") is None:
        return {**found, "parameters": _closed(tool["parameters"]), "strict": True}
    return {**found, "parameters": tool["parameters"], "strict": tool["strict"]}


def _closed(schema: Any) -> Any:
    """A schema as strict mode wants it: every object closed, every property required."""
    if isinstance(schema, list):
        return [_closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _closed(value) for key, value in schema.items() if key != "properties"}
    if "properties" in schema:
        properties = {name: _closed(value) for name, value in schema["properties"].items()}
        closing = {"required": list(properties), "additionalProperties": False}
        found = {"type": "object", "properties": properties, **found, **closing}
    return found


def gemini(body: Body, seed: str, asked: Body) -> Body:
    """A short response id, token details, and the undocumented message beside calls."""
    del asked
    candidate = body["candidates"][0]
    if any("functionCall" in part for part in candidate["content"].get("parts", [])):
        candidate["finishMessage"] = "Model generated function call(s)."
    usage = body["usageMetadata"]
    usage["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": usage["promptTokenCount"]}]
    body.pop("createTime", None)
    body["responseId"] = letters(18, seed) + "PoPcgAQ"[:5]
    return body


DRESSES: dict[str, Callable[[Body, str, Body], Body]] = {
    "anthropic": anthropic,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "gemini": gemini,
}
