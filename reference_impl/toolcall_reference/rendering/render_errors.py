"""The upstream error of a scenario, as one provider sends it."""

from __future__ import annotations

from typing import Any

from toolcall_reference.conversation.failures import Failure, headers_of
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats import Format

#: Kind and status of the neutral kinds of a scenario; a format that has a status of its own for a kind takes that.
KINDS = {
    "invalid_request": ("invalid_request", 400),
    "unauthorized": ("unauthorized", 401),
    "invalid_key": ("unauthorized", 401),
    "rate_limit": ("rate_limit", 429),
    "server_error": ("server_error", 500),
    "overloaded": ("overloaded", 503),
}


def error_of(scenario: dict[str, Any], spoken: Format) -> Body:
    """The error of a scenario as its provider sends it: ``{"status", "headers", "body"}``."""
    error = scenario["upstream_error"]
    kind, status = KINDS[error["kind"]]
    wait = error.get("retry_after")
    failure = Failure(kind, status, error["message"], None if wait is None else str(wait))
    status, body = spoken.encode_error(failure)
    reply: Body = {"status": status, "headers": headers_of(failure), "body": body}
    return spoken.provider.dress_error(reply, error["kind"], scenario["id"])
