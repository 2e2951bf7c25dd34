"""Errors of Anthropic: https://platform.claude.com/docs/en/api/errors"""

from __future__ import annotations

from collections.abc import Mapping

from toolcall_reference.conversation import failures
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses

#: Type and status by failure kind; all other kinds are invalid_request_error or api_error.
TYPES = {
    "unauthorized": ("authentication_error", 401),
    "unpaid": ("billing_error", 402),
    "forbidden": ("permission_error", 403),
    "not_found": ("not_found_error", 404),
    "conflict": ("conflict_error", 409),
    "too_large": ("request_too_large", 413),
    "rate_limit": ("rate_limit_error", 429),
    "timeout": ("timeout_error", 504),
    "overloaded": ("overloaded_error", 529),
}


def decode_error(status: int, body: Body, headers: Mapping[str, str], losses: Losses, /) -> Failure:
    """The failure. The type ``overloaded_error`` counts even if a gateway has changed the status."""
    failure = failures.read_failure(status, body, headers)
    if failures.error_object(body).get("type") == "overloaded_error" and status >= 500:
        failure.kind = "overloaded"
    if failures.error_object(body).get("details"):
        losses.add("error", "the provider's details; dropped")
    return failure


def decode_error_event(body: Body, losses: Losses, /) -> Failure:
    """The failure that an ``error`` event reports."""
    statuses = dict(TYPES.values()) | {"invalid_request_error": 400}
    return decode_error(failures.event_status(failures.error_object(body), statuses), body, {}, losses)


def encode_error(failure: Failure, /) -> tuple[int, Body]:
    """The HTTP status and body of a failure."""
    plain = "api_error" if failure.status >= 500 else "invalid_request_error"
    kind, status = TYPES.get(failure.kind, (plain, failure.status))
    error: Body = {"type": kind, "message": failure.message}
    if failure.details is not None:
        error["details"] = failure.details
    return status, {"type": "error", "error": error}
