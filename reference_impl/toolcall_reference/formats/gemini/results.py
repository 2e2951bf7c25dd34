"""The object that is a tool's result in Gemini, from what was said and back."""

from __future__ import annotations

from typing import Any

from toolcall_reference.intermediate import UniversalToolResult
from toolcall_reference.jsontext import dump


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
    """The ``response`` of a result: its object as it is, text as ``output``, a failure as ``error``."""
    if isinstance(result.result, dict):
        if result.is_error and result.result.get("error") is None:
            return {"error": result.result}
        return result.result
    return {"error" if result.is_error else "output": result.result}
