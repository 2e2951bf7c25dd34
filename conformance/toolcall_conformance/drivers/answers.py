"""What the client received in an exchange: an answer, a stream, or a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.visible_text import one_line
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.foreign import is_a, text_of
from toolcall_conformance.drivers.streams import Streamed

_MAX_DEPTH = 50

ExchangeFailure = RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | BadOutput | ProtocolError
"""The outcomes without an answer to the client."""


@dataclass(frozen=True, slots=True)
class NoJSON:
    """Represents a body that is not JSON: ``sentence`` says so, ``beginning`` is its beginning."""

    sentence: str
    beginning: str


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """The client's answer. ``headers`` is None if the driver has none; ``body`` may be anything.

    ``url`` is the address that was asked; empty if the translator is a library.
    """

    status: int
    headers: dict[str, str] | None
    body: Any
    url: str = ""


@dataclass(frozen=True, slots=True)
class StreamAnswer:
    """The client's stream, if it asked for one and received one."""

    status: int
    headers: dict[str, str] | None
    streamed: Streamed


ExchangeOutcome = WholeAnswer | StreamAnswer | ExchangeFailure


def require_whole(answer: ExchangeOutcome) -> WholeAnswer | ExchangeFailure:
    """Turn a stream that the client did not ask for into a body that is not JSON."""
    if not isinstance(answer, StreamAnswer):
        return answer
    beginning = answer.streamed.data[:1_000].decode("utf-8", "replace").strip()
    return WholeAnswer(
        answer.status,
        answer.headers,
        NoJSON(f"a stream was sent with status {answer.status}: {beginning!r}", beginning),
    )


def quote_error(body: Any) -> str:
    """Quote the message of an error's body, which a translator made, in one line."""
    message: Any = body.beginning if isinstance(body, NoJSON) else body
    for _ in range(_MAX_DEPTH):
        if not is_a(message, dict) or not dict.__len__(message):
            break
        message = _message_member(message)
    text = "" if is_a(message, dict) and not dict.__len__(message) else one_line(text_of(message))
    return f": {text}" if text else ""


def _message_member(body: dict[str, Any]) -> Any:
    """The member of an error's body that is the most informative."""
    for key in ("message", "error", "detail"):
        if dict.__contains__(body, key):
            return dict.__getitem__(body, key)
    return next(iter(dict.values(body)))
