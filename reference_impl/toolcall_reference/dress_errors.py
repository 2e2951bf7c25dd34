"""How errors look when the provider itself sends them: its headers, request ids and details.

Each function takes an upstream error of a scenario and its body as the encoder made it, and returns the whole reply as
the provider would have sent it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import formats
from .failures import Failure, headers_of
from .intermediate import Body
from .jsontext import digest
from .scenario import letters

#: Kind and status of the neutral kinds of a scenario; a format that has a status of its own for a kind takes that.
KINDS = {
    "invalid_request": ("invalid_request", 400),
    "unauthorized": ("unauthorized", 401),
    "invalid_key": ("unauthorized", 401),
    "rate_limit": ("rate_limit", 429),
    "server_error": ("server_error", 500),
    "overloaded": ("overloaded", 503),
}


def reply_to(format_name: str, scenario: dict[str, Any]) -> Body:
    """The error of a scenario as one provider sends it: ``{"status", "headers", "body"}``."""
    told = scenario["upstream_error"]
    kind, status = KINDS[told["kind"]]
    wait = told.get("retry_after")
    failure = Failure(kind, status, told["message"], None if wait is None else str(wait))
    status, body = formats.get(format_name).encode_error(failure)
    reply: Body = {"status": status, "headers": headers_of(failure), "body": body}
    return _DRESSES[format_name](reply, told["kind"], scenario["id"])


def _anthropic(reply: Body, kind: str, seed: str) -> Body:
    """The request's id in the body and in a header."""
    del kind
    request_id = "req_011C" + letters(20, "error", seed)
    reply["headers"]["request-id"] = reply["body"]["request_id"] = request_id
    return reply


def _openai(reply: Body, kind: str, seed: str) -> Body:
    """The request's id in a header; a limit of tokens has their name as its type."""
    reply["headers"]["x-request-id"] = "req_" + digest("error", seed, length=32)
    if kind == "rate_limit":
        reply["body"]["error"]["type"] = "tokens"
    return reply


def _gemini(reply: Body, kind: str, seed: str) -> Body:
    """No header says how long to wait. A wrong key is a wrong request, which only the details tell apart."""
    del seed
    reply["headers"].pop("retry-after", None)
    reply["headers"]["content-type"] = "application/json; charset=UTF-8"
    error = reply["body"]["error"]
    if kind == "invalid_key":
        reply["status"] = error["code"] = 400
        error["status"] = "INVALID_ARGUMENT"
        service = {"service": "generativelanguage.googleapis.com"}
        error["details"] = [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": service,
            }
        ]
    return reply


_DRESSES: dict[str, Callable[[Body, str, str], Body]] = {
    "anthropic": _anthropic,
    "openai_chat": _openai,
    "openai_responses": _openai,
    "gemini": _gemini,
}
