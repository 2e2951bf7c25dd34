"""What the client received in an exchange: an answer, a stream, or a failure."""

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
    """Stands for a body that is not JSON: ``sentence`` says so, ``words`` is how it begins."""

    sentence: str
    words: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The client's answer. ``headers`` is None if the driver has none; ``body`` may be anything.

    ``url`` is the address that was asked; empty if the translator is a library.
    """

    status: int
    headers: dict[str, str] | None
    body: Any
    url: str = ""


@dataclass(frozen=True, slots=True)
class StreamAnswered:
    """The client's stream, if it asked for one and received one."""

    status: int
    headers: dict[str, str] | None
    streamed: Streamed


ExchangeOutcome = Answered | StreamAnswered | Failed


def as_answer(answer: ExchangeOutcome) -> Answered | Failed:
    """Turn a stream that the client did not ask for into a body that is not JSON."""
    if not isinstance(answer, StreamAnswered):
        return answer
    words = answer.streamed.data[:300].decode("utf-8", "replace").strip()
    return Answered(
        answer.status, answer.headers, NoJSON(f"a stream came with status {answer.status}: {words!r}", words)
    )


def quote_error(body: Any) -> str:
    """Quote the message of an error's body, shortened."""
    message = body.words if isinstance(body, NoJSON) else body
    while isinstance(message, dict) and message:
        message = message.get("message", message.get("error", message.get("detail", next(iter(message.values())))))
    text = str(message).strip()
    return f": {text[:300]}" if text and message != {} else ""
