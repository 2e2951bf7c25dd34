"""What fails between the client and the provider, as errors of the client's own API."""

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

_SHOWN = 500
HIDDEN = "[the gateway's key]"


class FailedError(Exception):
    """An exchange ends here with a failure."""

    def __init__(self, failure: Failure, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.headers = dict(headers or {})


def wrong_request(message: str, status: int = 400) -> FailedError:
    """The client asked for something that it cannot get."""
    return FailedError(Failure(failures.failure_kind(status), status, message))


def own_fault(message: str) -> FailedError:
    """The gateway itself failed."""
    return FailedError(Failure("server_error", 500, message))


def unreadable(upstream: Upstream, message: str) -> FailedError:
    """The provider answered what nobody can read."""
    return FailedError(Failure("server_error", 502, f"the upstream {upstream.name} {message}"))


def headless(upstream: Upstream) -> FailedError:
    """The provider sends something, and no whole header."""
    message = f"the upstream {upstream.name} sent no whole header of a reply in {upstream.timeout:g} seconds"
    return FailedError(Failure("timeout", 504, message))


def unreachable(upstream: Upstream, error: Exception) -> FailedError:
    """The provider was not reached, or fell silent."""
    return FailedError(broken_off(upstream, error))


def broken_off(upstream: Upstream, error: Exception) -> Failure:
    """Why a provider says nothing, or nothing more."""
    if isinstance(error, TimeoutError):
        message = f"the upstream {upstream.name} was silent for {upstream.timeout:g} seconds"
        return Failure("timeout", 504, message)
    what = " ".join(str(error).split()) or type(error).__name__
    return Failure("server_error", 502, f"the upstream {upstream.name} cannot be reached, or broke off: {what}")


def without_key(content: bytes, key: str | None) -> bytes:
    """What a provider sent, without the gateway's own key: some quote it when they refuse it."""
    if not key:
        return content
    raw = key.encode("utf-8", "surrogateescape")
    return content.replace(raw, HIDDEN.encode()).replace(raw.replace(b"/", b"\\/"), HIDDEN.encode())


def provider_error(
    session: Session, client: Format, status: int, content: bytes, headers: Headers
) -> tuple[int, Body, Headers]:
    """The client's error for the provider's; a page of a proxy in between becomes its text."""
    body = read_body(content)
    if body is not None:
        return session.error(status, body, headers)
    words = " ".join(content.decode("utf-8", "replace").split())[:_SHOWN]
    failure = failures.read_failure(status, {"message": words}, headers)
    return (*client.encode_error(failure), failures.client_headers(failure))


def read_body(content: bytes) -> dict[str, Any] | None:
    """The JSON object that ``content`` is; None where it is none."""
    try:
        body = parse(content.decode())
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
