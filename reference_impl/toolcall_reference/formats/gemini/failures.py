"""Errors of Gemini: https://ai.google.dev/gemini-api/docs/generate-content/api-errors"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolcall_reference.conversation import failures
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses

_TYPE = "type.googleapis.com/google.rpc."
_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)s")

#: The kinds that have a status of their own: the name, and the HTTP status of google.rpc.Code.
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
    """The failure. A wrong key comes as a wrong request, and how long to wait stands among the details."""
    failure = failures.read_failure(status, body, headers)
    for detail in _details(body):
        kind = str(detail.get("@type")).removeprefix(_TYPE)
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
    """The failure that an error in a stream tells of."""
    error = failures.error_object(body)
    statuses = dict(NAMES.values()) | {"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "RESOURCE_EXHAUSTED": 429}
    return decode_error(failures.event_status(error, statuses), body, {}, losses)


def _details(body: Body) -> list[dict[str, Any]]:
    details = failures.error_object(body).get("details")
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def encode_error(failure: Failure, /) -> tuple[int, Body]:
    """Status and body. The client retries none but the statuses of ``NAMES``, so a provider's failure becomes one."""
    name, status = NAMES.get(failure.kind, ("INVALID_ARGUMENT", failure.status))
    error: dict[str, Any] = {"code": status, "message": failure.message, "status": name}
    if failure.retry_after is not None and failure.retry_after.isdigit():
        error["details"] = [{"@type": _TYPE + "RetryInfo", "retryDelay": f"{failure.retry_after}s"}]
    return status, {"error": error}
