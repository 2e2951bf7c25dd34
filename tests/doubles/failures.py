"""Handles on an error reply, ``{"status", "headers", "body"}``, for the doubles that change one."""

from __future__ import annotations

from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES
from doubles.draft import Draft, need

OPENAI = (CHAT, RESPONSES)
FAMILY = {ANTHROPIC: ANTHROPIC, CHAT: "openai", RESPONSES: "openai", GEMINI: GEMINI}

_ANTHROPIC = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_GEMINI = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}


def error(draft: Draft) -> dict[str, Any]:
    """The error object of what was produced."""
    error_body: dict[str, Any] = draft.body["body"]["error"]
    return error_body


def provider_status(draft: Draft, *statuses: int) -> int:
    """The status that the provider gave, if it is one of these."""
    status: int = draft.source["status"]
    need(status in statuses)
    return status


def retry_delay(draft: Draft) -> str:
    """The time to wait that was handed on; there is nothing to change where there is none."""
    header: str = need(draft.body["headers"].get("retry-after"))
    return header


def retry_info(draft: Draft) -> dict[str, Any]:
    """The detail of a Gemini error that says how long to wait."""
    details = need(error(draft).get("details"))
    detail: dict[str, Any] = need([entry for entry in details if entry["@type"].endswith("/google.rpc.RetryInfo")])[0]
    return detail


def envelope(name: str, status: int, message: str) -> dict[str, Any]:
    """A body without a fault, in a format and for a status."""
    if FAMILY[name] == "openai":
        kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}
    if name == ANTHROPIC:
        kind = _ANTHROPIC.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}}
    kind = _GEMINI.get(status, "UNAVAILABLE" if status >= 500 else "INVALID_ARGUMENT")
    return {"error": {"code": status, "message": message, "status": kind}}


def set_status(draft: Draft, status: int) -> None:
    """The same error under another status, and in every other respect as its format has it."""
    need(draft.body["status"] != status)
    draft.body["status"] = status
    draft.body["body"] = envelope(draft.format, status, error(draft)["message"])
