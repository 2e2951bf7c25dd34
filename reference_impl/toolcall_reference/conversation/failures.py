"""A provider's error in the intermediate form, and what all formats have in common.

``kind`` is what went wrong, ``status`` the received HTTP status. A format writes its own status for that kind if it has
one (only Anthropic sends 529), else the received status.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Headers = dict[str, str]

KIND_BY_STATUS = {
    401: "unauthorized",
    402: "unpaid",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "too_large",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}


@dataclass(slots=True)
class Failure:
    """An error: ``retry_after`` is the header's text, whole seconds or a date. ``openai`` is the error object that both
    OpenAI formats share. ``details`` are the machine-readable details of an Anthropic error.
    """

    kind: str
    status: int
    message: str
    retry_after: str | None = None
    openai: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] | None = None


def failure_kind(status: int) -> str:
    """The kind of failure of an HTTP status."""
    return KIND_BY_STATUS.get(status, "server_error" if status >= 500 else "invalid_request")


def read_failure(status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> Failure:
    """The failure by what all formats share: ``error.message`` in the body, ``retry-after`` in the headers.

    An error of another shape, such as a proxy's, keeps its text.
    """
    return Failure(failure_kind(status), status, _error_message(body) or f"HTTP {status}", _retry_after(headers))


def error_object(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body's ``error`` object; empty if there is none."""
    error = body.get("error")
    return error if isinstance(error, dict) else {}


def _error_message(body: Mapping[str, Any]) -> str | None:
    for holder in (error_object(body), body):
        for key in ("message", "error", "detail"):
            if isinstance(holder.get(key), str):
                return str(holder[key])
    return None


def _retry_after(headers: Mapping[str, str]) -> str | None:
    named = {name.lower(): text for name, text in headers.items()}
    milliseconds = named.get("retry-after-ms")
    try:
        return whole_seconds(float(milliseconds) / 1000) if milliseconds is not None else named.get("retry-after")
    except ValueError:
        return named.get("retry-after")


def cut_stream() -> Failure:
    """The failure of a stream that ended before its reply was complete."""
    return Failure("server_error", 502, "the provider's stream ended before its reply was complete")


def event_status(error: Mapping[str, Any], statuses: Mapping[str, int]) -> int:
    """The HTTP status of an error event: its numeric code, else the status of its words in ``statuses``, else 500.

    ``statuses`` are statuses by the words that ``code``, ``status`` and ``type`` may have.
    """
    for key in ("status_code", "code"):
        if type(error.get(key)) is int and 400 <= error[key] < 600:
            return int(error[key])
    return next(
        (statuses[str(error.get(key))] for key in ("code", "status", "type") if str(error.get(key)) in statuses), 500
    )


def whole_seconds(seconds: float) -> str:
    """Seconds for the header, rounded up to a whole number."""
    return str(math.ceil(seconds))


def client_headers(failure: Failure) -> Headers:
    """The client's headers: content type, and the wait if there is one."""
    headers = {"content-type": "application/json"}
    if failure.retry_after is not None:
        headers["retry-after"] = failure.retry_after
    return headers
