"""An error of the provider in the intermediate form, and what all formats say alike of one.

``kind`` is what went wrong, ``status`` the HTTP status it came with. A format writes it with its own status for that
kind (nobody but Anthropic says 529) where it has one, else with the status that came.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Headers = dict[str, str]

KINDS = {
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
    """``retry_after`` is the text of the header: whole seconds or a date. ``openai`` is the error object of the two
    OpenAI formats, which is the same in both. ``details`` are what an error of Anthropic says to programs.
    """

    kind: str
    status: int
    message: str
    retry_after: str | None = None
    openai: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] | None = None


def kind_of(status: int) -> str:
    """What went wrong, as far as the status tells it."""
    return KINDS.get(status, "server_error" if status >= 500 else "invalid_request")


def read(status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> Failure:
    """A failure as far as the formats agree: ``error.message`` in the body, ``retry-after`` in the headers.

    An error of another shape (proxies in between have their own) keeps what text it has.
    """
    return Failure(kind_of(status), status, _message(body) or f"HTTP {status}", _wait(headers))


def error_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The error object, empty where there is none."""
    error = body.get("error")
    return error if isinstance(error, dict) else {}


def _message(body: Mapping[str, Any]) -> str | None:
    for holder in (error_of(body), body):
        for key in ("message", "error", "detail"):
            if isinstance(holder.get(key), str):
                return str(holder[key])
    return None


def _wait(headers: Mapping[str, str]) -> str | None:
    named = {name.lower(): text for name, text in headers.items()}
    milliseconds = named.get("retry-after-ms")
    try:
        return whole_seconds(float(milliseconds) / 1000) if milliseconds is not None else named.get("retry-after")
    except ValueError:
        return named.get("retry-after")


def cut() -> Failure:
    """A stream that ended before its reply did."""
    return Failure("server_error", 502, "the provider's stream ended before its reply was complete")


def status_of(error: Mapping[str, Any], statuses: Mapping[str, int]) -> int:
    """The HTTP status of an error in a stream, which has none of its own: a number in it, else what its words say.

    ``statuses`` are the statuses of its ``code``, ``type`` and ``status``; anything else is the provider's own failure.
    """
    for key in ("status_code", "code"):
        if type(error.get(key)) is int and 400 <= error[key] < 600:
            return int(error[key])
    return next(
        (statuses[str(error.get(key))] for key in ("code", "status", "type") if str(error.get(key)) in statuses), 500
    )


def whole_seconds(seconds: float) -> str:
    """Seconds as the header has them: whole, and never less than they were."""
    return str(math.ceil(seconds))


def headers_of(failure: Failure) -> Headers:
    """The headers that a client gets; of the provider's only the wait concerns it."""
    headers = {"content-type": "application/json"}
    if failure.retry_after is not None:
        headers["retry-after"] = failure.retry_after
    return headers
