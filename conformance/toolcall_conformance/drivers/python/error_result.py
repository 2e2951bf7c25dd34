"""What ``error`` takes and returns: a status, a body, and headers if the translator handles them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.drivers.outcomes import BadOutput
from toolcall_conformance.drivers.python.foreign import PASSED_EXCEPTIONS, is_a, text_of, type_name
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES, copy_object, key_text

# No status and no number in a header is as large, and Python writes out no number of more than 4,300 digits.
_STATUS_BOUND = 10**6
_HEADER_BITS = 1_000
_ADVICE = "return the client's status and body: (429, {…})"


def takes_headers(method: Callable[..., Any]) -> bool:
    """Whether ``error`` has a third positional parameter, for the reply's headers.

    ``*args`` does not count: it may pass two arguments on.
    """
    try:
        parameters = inspect.signature(method).parameters.values()
    except PASSED_EXCEPTIONS:
        raise
    except BaseException:  # a signature of the translator's own making
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional for parameter in parameters) >= 3


def copy_error(
    value: Any, *, headers: bool, limit: int = MAX_OUTPUT_BYTES, sources: Iterable[Any] = ()
) -> dict[str, Any] | BadOutput:
    """Copy what ``error`` returned into ``{"status", "headers", "body"}`` of plain JSON.

    With ``headers`` the translator received some, and dropped those that it did not return. Without, the result has
    headers only if the translator returned some.
    """
    if not is_a(value, tuple, list):
        return BadOutput(f"error returned {_kind(value)}; {_ADVICE}")
    value = (tuple if is_a(value, tuple) else list).__getitem__(value, slice(None))  # a subclass may do as it likes
    if not 2 <= len(value) <= 3:
        return BadOutput(
            f"error returned {pluralize(len(value), 'value')}; {_ADVICE}, with headers as a third if there are any"
        )
    status, body, *rest = value
    if not is_a(status, int) or is_a(status, bool):
        return BadOutput(f"error returned {_kind(status)} for the status; {_ADVICE}", "/status")
    status = int.__int__(status)
    if not -_STATUS_BOUND < status < _STATUS_BOUND:
        return BadOutput(f"error returned a number of {status.bit_length()} bits for the status; {_ADVICE}", "/status")
    plain_body = copy_object(body, "error", limit, sources)
    if isinstance(plain_body, BadOutput):
        return BadOutput(plain_body.sentence, f"/body{plain_body.pointer}")
    reply: dict[str, Any] = {"status": status}
    if headers or rest:
        returned = _plain_headers(rest[0] if rest else None, limit)
        if isinstance(returned, BadOutput):
            return returned
        reply["headers"] = returned
    return reply | {"body": plain_body}


def _plain_headers(value: Any, limit: int) -> dict[str, str] | BadOutput:
    """Copy headers with names in lower case; a number, common in Retry-After, becomes text."""
    if value is None:
        return {}
    if not is_a(value, dict):
        return BadOutput(f"error returned {_kind(value)} for the headers; return a dict of texts", "/headers")
    headers = {}
    for name, text in list(dict.items(value)):
        if is_a(text, bool) or not is_a(name, str) or not is_a(text, str, int, float):
            label = repr(text_of(name, 60)) if is_a(name, str) else key_text(name)
            return BadOutput(
                f"error returned the header {label} with {_kind(text)}; header names and values are texts", "/headers"
            )
        if is_a(text, int) and int.bit_length(text) > _HEADER_BITS:
            label = f"error returned a number of {int.bit_length(text)} bits for the header {text_of(name, 60)!r}"
            return BadOutput(f"{label}; header names and values are texts", "/headers")
        headers[text_of(name).lower()] = text_of(text, limit)
    return headers


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    name = type_name(value)
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"
