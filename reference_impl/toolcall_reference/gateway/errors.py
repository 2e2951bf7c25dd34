"""Failures of an exchange, to be answered as errors of the client's own API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_reference.basics.jsontext import parse
from toolcall_reference.conversation import failures
from toolcall_reference.conversation.failures import Failure, Headers
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats import Format
from toolcall_reference.gateway.config import Upstream
from toolcall_reference.translator import Session

_MAX_SHOWN_LETTERS = 500
HIDDEN_KEY = "[the gateway's key]"


class ExchangeError(Exception):
    """An exchange ends with a failure."""

    def __init__(self, failure: Failure, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.headers = dict(headers or {})


def bad_request(message: str, status: int = 400) -> ExchangeError:
    """The client's request is wrong."""
    return ExchangeError(Failure(failures.failure_kind(status), status, message))


def gateway_error(message: str) -> ExchangeError:
    """The gateway itself failed."""
    return ExchangeError(Failure("server_error", 500, message))


def bad_reply(upstream: Upstream, message: str) -> ExchangeError:
    """The provider's reply cannot be read."""
    return ExchangeError(Failure("server_error", 502, f"the upstream {upstream.name} {message}"))


def missing_headers(upstream: Upstream) -> ExchangeError:
    """The provider sent no complete headers in time."""
    message = f"the upstream {upstream.name} sent no whole header of a reply in {upstream.timeout:g} seconds"
    return ExchangeError(Failure("timeout", 504, message))


def unreachable_upstream(upstream: Upstream, error: Exception) -> ExchangeError:
    """The provider cannot be reached, or is silent."""
    return ExchangeError(connection_failure(upstream, error))


def connection_failure(upstream: Upstream, error: Exception) -> Failure:
    """The failure of a connection to a provider."""
    if isinstance(error, TimeoutError):
        message = f"the upstream {upstream.name} was silent for {upstream.timeout:g} seconds"
        return Failure("timeout", 504, message)
    reason = " ".join(str(error).split()) or type(error).__name__
    return Failure("server_error", 502, f"the upstream {upstream.name} cannot be reached, or broke off: {reason}")


def hide_key(content: bytes, key: str | None) -> bytes:
    """Replace the gateway's key in a provider's content: some quote it when they refuse it."""
    if not key:
        return content
    raw = key.encode("utf-8", "surrogateescape")
    return content.replace(raw, HIDDEN_KEY.encode()).replace(raw.replace(b"/", b"\\/"), HIDDEN_KEY.encode())


def translate_error(
    session: Session, client: Format, status: int, content: bytes, headers: Headers
) -> tuple[int, Body, Headers]:
    """Translate a provider's error; the page of a proxy becomes its text."""
    body = read_body(content)
    if body is not None:
        return session.error(status, body, headers)
    words = " ".join(content.decode("utf-8", "replace").split())[:_MAX_SHOWN_LETTERS]
    failure = failures.read_failure(status, {"message": words}, headers)
    return (*client.encode_error(failure), failures.client_headers(failure))


def read_body(content: bytes) -> dict[str, Any] | None:
    """The JSON object in ``content``; None if it is not one."""
    try:
        body = parse(content.decode())
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
