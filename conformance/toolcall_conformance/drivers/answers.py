"""What an exchange gave the client: an answer, a stream, or a failure of the medium's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.streams import Streamed

Failed = RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | BadOutput | ProtocolError


@dataclass(frozen=True, slots=True)
class NoJSON:
    """Stands for a body that is no JSON: ``sentence`` says so, ``words`` are the first of its own."""

    sentence: str
    words: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What an exchange gave the client. ``headers`` is None where the medium has none; ``body`` may be anything."""

    status: int
    headers: dict[str, str] | None
    body: Any


@dataclass(frozen=True, slots=True)
class StreamAnswered:
    """What an exchange gave a client that asked for a stream, and got one."""

    status: int
    headers: dict[str, str] | None
    streamed: Streamed


ExchangeOutcome = Answered | StreamAnswered | Failed


def as_answer(answer: ExchangeOutcome) -> Answered | Failed:
    """A stream where none was to come, as a body that is no JSON."""
    if not isinstance(answer, StreamAnswered):
        return answer
    words = answer.streamed.data[:300].decode("utf-8", "replace").strip()
    return Answered(
        answer.status, answer.headers, NoJSON(f"a stream came with status {answer.status}: {words!r}", words)
    )


def quote_error(body: Any) -> str:
    """An error's own words, shortened."""
    message = body.words if isinstance(body, NoJSON) else body
    while isinstance(message, dict) and message:
        message = message.get("message", message.get("error", message.get("detail", next(iter(message.values())))))
    text = str(message).strip()
    return f": {text[:300]}" if text and message != {} else ""
