"""The object that Gemini takes as a tool's result, both ways."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import dump
from toolcall_reference.conversation.intermediate import UniversalToolResult


def decode_response_object(response: dict[str, Any]) -> tuple[str, bool]:
    """The text and error mark of a ``response``; its documented keys are ``output`` and ``error``.

    A single ``output`` or ``error`` is the content itself; any other object is the content as a whole. A nonempty
    ``error``, a single empty one, or ``is_error: true`` marks an error.
    """
    failed = response.get("is_error") is True
    if "error" in response:
        failed = failed or bool(response["error"]) or response == {"error": ""}
    if len(response) == 1:
        value = response.get("output", response.get("error"))
        if value is not None:
            return (value if isinstance(value, str) else dump(value)), failed
    return dump(response), failed


def encode_response_object(result: UniversalToolResult) -> dict[str, Any]:
    """The ``response`` of a result: its object unchanged, text as ``output``, an error as ``error``.

    An object with references becomes JSON text: Gemini 3 takes a member ``$ref`` at any depth as the name of one of the
    result's media, and refuses all others (https://github.com/NousResearch/hermes-agent/issues/93014).
    """
    content = result.result
    if isinstance(content, dict):
        if _has_reference(content):
            content = dump(content)
        elif not result.is_error or content.get("error") is not None:
            return content
    return {"error" if result.is_error else "output": content}


def _has_reference(value: Any) -> bool:
    """Whether a value has a member ``$ref``, at any depth."""
    if isinstance(value, list):
        return any(map(_has_reference, value))
    return isinstance(value, dict) and ("$ref" in value or any(map(_has_reference, value.values())))
