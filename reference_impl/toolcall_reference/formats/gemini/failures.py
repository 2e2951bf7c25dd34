"""Errors of Gemini: https://ai.google.dev/gemini-api/docs/generate-content/api-errors"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolcall_reference.conversation import failures
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses

_TYPE_PREFIX = "type.googleapis.com/google.rpc."
_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)s")

#: Name and HTTP status of google.rpc.Code by failure kind.
NAMES = {
    "unauthorized": ("UNAUTHENTICATED", 401),
    "unpaid": ("RESOURCE_EXHAUSTED", 402),
    "forbidden": ("PERMISSION_DENIED", 403),
    "not_found": ("NOT_FOUND", 404),
    "conflict": ("ABORTED", 409),
    "rate_limit": ("RESOURCE_EXHAUSTED", 429),
    "server_error": ("INTERNAL", 500),
    "overloaded": ("UNAVAILABLE", 503),
    "timeout": ("DEADLINE_EXCEEDED", 504),
}


def decode_error(status: int, body: Body, headers: Mapping[str, str], losses: Losses, /) -> Failure:
    """The failure. The details tell a wrong key from a wrong request, and how long to wait."""
    failure = failures.read_failure(status, body, headers)
    for detail in _error_details(body):
        kind = str(detail.get("@type")).removeprefix(_TYPE_PREFIX)
        if kind == "ErrorInfo" and detail.get("reason") == "API_KEY_INVALID":
            failure.kind = "unauthorized"
        elif kind == "RetryInfo":
            delay = _SECONDS.fullmatch(str(detail.get("retryDelay")))
            if delay is not None and failure.retry_after is None:
                failure.retry_after = failures.whole_seconds(float(delay[1]))
        else:
            losses.add("error", "the provider's details; dropped", kind)
    return failure


def decode_error_event(body: Body, losses: Losses, /) -> Failure:
    """The failure that an error in a stream reports."""
    error = failures.error_object(body)
    statuses = dict(NAMES.values()) | {"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "RESOURCE_EXHAUSTED": 429}
    return decode_error(failures.event_status(error, statuses), body, {}, losses)


def _error_details(body: Body) -> list[dict[str, Any]]:
    details = failures.error_object(body).get("details")
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def encode_error(failure: Failure, /) -> tuple[int, Body]:
    """The HTTP status and body, with a status of ``NAMES`` for a provider's failure: clients retry only these."""
    name, status = NAMES.get(failure.kind, ("INVALID_ARGUMENT", failure.status))
    error: dict[str, Any] = {"code": status, "message": failure.message, "status": name}
    if failure.retry_after is not None and failure.retry_after.isdigit():
        error["details"] = [{"@type": _TYPE_PREFIX + "RetryInfo", "retryDelay": f"{failure.retry_after}s"}]
    return status, {"error": error}
