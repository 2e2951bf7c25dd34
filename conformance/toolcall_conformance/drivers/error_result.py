"""What ``error`` takes and returns: a status, a body, and headers if the translator handles them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from toolcall_conformance.drivers.json_result import OUTPUT_LIMIT, plain
from toolcall_conformance.drivers.outcomes import BadOutput

_WANTED = "return the client's status and body: (429, {…})"


def takes_headers(method: Callable[..., Any]) -> bool:
    """Whether ``error`` has a third positional parameter, for the reply's headers.

    ``*args`` does not count: it may pass two arguments on.
    """
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional for parameter in parameters) >= 3


def plain_error(value: Any, *, headers: bool, limit: int = OUTPUT_LIMIT) -> dict[str, Any] | BadOutput:
    """Copy what ``error`` returned into ``{"status", "headers", "body"}`` of plain JSON.

    With ``headers`` the translator received some, and dropped those that it did not return. Without, the result has
    headers only if the translator returned some.
    """
    if not isinstance(value, (tuple, list)):
        return BadOutput(f"error returned {_kind(value)}; {_WANTED}")
    if not 2 <= len(value) <= 3:
        return BadOutput(f"error returned {len(value)} values; {_WANTED}, with headers as a third if there are any")
    status, body, *rest = value
    if not isinstance(status, int) or isinstance(status, bool):
        return BadOutput(f"error returned {_kind(status)} for the status; {_WANTED}", "/status")
    found = plain(body, "error", limit)
    if isinstance(found, BadOutput):
        return BadOutput(found.sentence, f"/body{found.pointer}")
    reply: dict[str, Any] = {"status": int(status)}
    if headers or rest:
        returned = _headers(rest[0] if rest else None)
        if isinstance(returned, BadOutput):
            return returned
        reply["headers"] = returned
    return reply | {"body": found}


def _headers(value: Any) -> dict[str, str] | BadOutput:
    """Copy headers with names in lower case; a number, common in Retry-After, becomes text."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        return BadOutput(f"error returned {_kind(value)} for the headers; return a dict of texts", "/headers")
    found = {}
    for name, text in value.items():
        if isinstance(text, bool) or not isinstance(name, str) or not isinstance(text, (str, int, float)):
            return BadOutput(
                f"error returned the header {name!r:.60} with {_kind(text)}; header names and values are texts",
                "/headers",
            )
        found[str(name).lower()] = str(text)
    return found


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"
