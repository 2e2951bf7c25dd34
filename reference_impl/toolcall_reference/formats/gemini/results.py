"""The object that is a tool's result in Gemini, from what was said and back."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import dump
from toolcall_reference.conversation.intermediate import UniversalToolResult


def unwrap(response: dict[str, Any]) -> tuple[str, bool]:
    """Text and error mark of a ``response``: ``output`` and ``error`` are the documented keys.

    A single ``output`` or ``error`` is the content itself; any other object is content as a whole. An ``error`` that
    says something, one of no words that stands alone, or ``is_error`` inside, marks a failure.
    """
    failed = response.get("is_error") is True
    if "error" in response:
        failed = failed or bool(response["error"]) or response == {"error": ""}
    if len(response) == 1:
        value = response.get("output", response.get("error"))
        if value is not None:
            return (value if isinstance(value, str) else dump(value)), failed
    return dump(response), failed


def wrap(result: UniversalToolResult) -> dict[str, Any]:
    """The ``response`` of a result: its object as it is, text as ``output``, a failure as ``error``.

    An object with references is its JSON text: Gemini 3 takes a member ``$ref`` at any depth for the name of one of the
    result's own media, and refuses all others (https://github.com/NousResearch/hermes-agent/issues/93014).
    """
    content = result.result
    if isinstance(content, dict):
        if _refers(content):
            content = dump(content)
        elif not result.is_error or content.get("error") is not None:
            return content
    return {"error" if result.is_error else "output": content}


def _refers(value: Any) -> bool:
    """Whether a value has a member ``$ref``, at any depth."""
    if isinstance(value, list):
        return any(map(_refers, value))
    return isinstance(value, dict) and ("$ref" in value or any(map(_refers, value.values())))
