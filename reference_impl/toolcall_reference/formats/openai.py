"""What OpenAI's two formats share: errors (https://platform.openai.com/docs/guides/error-codes) and kinds of ids."""

from __future__ import annotations

from collections.abc import Mapping

from toolcall_reference.basics.jsontext import copied, digest
from toolcall_reference.basics.seeded import letters
from toolcall_reference.conversation import failures
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses

VENDOR = "openai"
"""Whose file ids these are."""

#: Type, code and status of the kinds that have their own; all others are invalid_request_error or server_error.
TYPES: dict[str, tuple[str, str | None, int]] = {
    "unauthorized": ("invalid_request_error", "invalid_api_key", 401),
    "rate_limit": ("rate_limit_error", "rate_limit_exceeded", 429),
    "overloaded": ("service_unavailable_error", "server_is_overloaded", 503),
}


def decode_error(status: int, body: Body, headers: Mapping[str, str], losses: Losses, /) -> Failure:
    """The failure; its error object goes through whole to the other of the two formats."""
    del losses
    failure = failures.read(status, body, headers)
    error = failures.error_of(body)
    if {"message", "type", "param", "code"} <= error.keys():
        failure.openai = copied(dict(error))
    return failure


STATUSES = {
    "server_error": 500,
    "invalid_request_error": 400,
    "tokens": 429,
    "requests": 429,
    "insufficient_quota": 429,
}


def decode_error_event(body: Body, losses: Losses, /) -> Failure:
    """The failure that an error in a stream tells of."""
    named = [(name, status) for kind, code, status in TYPES.values() for name in (code, kind) if name is not None]
    return decode_error(failures.status_of(failures.error_of(body), dict(named) | STATUSES), body, {}, losses)


def encode_error(failure: Failure, /) -> tuple[int, Body]:
    """Status and body."""
    if failure.openai:
        return failure.status, {"error": failure.openai}
    plain = "server_error" if failure.status >= 500 else "invalid_request_error"
    kind, code, status = TYPES.get(failure.kind, (plain, None, failure.status))
    return status, {"error": {"message": failure.message, "type": kind, "param": None, "code": code}}


def dress_error(reply: Body, kind: str, seed: str) -> Body:
    """The request's id in a header; a limit of tokens has their name as its type."""
    reply["headers"]["x-request-id"] = "req_" + digest("error", seed, length=32)
    if kind == "rate_limit":
        reply["body"]["error"]["type"] = "tokens"
    return reply


def call_id(model: str, scenario: str, key: str) -> str:
    """``call_`` and 24 letters and digits."""
    del model
    return "call_" + letters(24, scenario, key)
