"""Plays a stream through a child: sends it one piece of the source, and reads its output before the next.

So the order of input and output is known as exactly as for a Python generator, and neither side can block the other.
"""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any, Protocol

from toolcall_conformance.drivers.child.answers import AnswerLosses, read_failure
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    ProtocolError,
    TimedOut,
    TranslatorError,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.declarations import read_losses
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES
from toolcall_conformance.drivers.streams import OutputPiece, Source, Streamed, StreamOutcome

# A stream may take the time of one call, and this for each message: checks send thousands of single bytes.
_MESSAGE_SECONDS = 0.01


# Plays a stream message by message, and returns its outcome.
Steps = Generator[None, None, StreamOutcome]


class Ask(Protocol):
    """Asks the child something of the session, within ``timeout`` seconds."""

    def __call__(
        self, operation: str, fields: dict[str, Any], timeout: float, /
    ) -> dict[str, Any] | Crashed | TimedOut | ProtocolError: ...


def play_interleaved(first: Steps, second: Steps, before: int) -> tuple[StreamOutcome, StreamOutcome]:
    """Play two streams in turns, a message of each, from when the first has sent ``before`` pieces."""
    outcomes: dict[int, StreamOutcome] = {}
    turn_count = 0
    while len(outcomes) < 2:
        for number, steps in enumerate((first, second)):
            if number in outcomes or (number == 1 and turn_count <= before and 0 not in outcomes):
                continue
            try:
                next(steps)
            except StopIteration as played:
                outcomes[number] = played.value
        turn_count += 1
    return outcomes[0], outcomes[1]


def play_to_end(steps: Steps) -> StreamOutcome:
    """Play a stream by itself."""
    while True:
        try:
            next(steps)
        except StopIteration as played:
            outcome: StreamOutcome = played.value
            return outcome


def play_steps(
    ask: Ask, source: Source, *, timeout: float, last_output: Callable[[], str], limit: int = MAX_OUTPUT_BYTES
) -> Steps:
    """Play ``source``, and yield after each message; ``last_output`` returns what the child printed last.

    After BadOutput the child's stream is still open.
    """
    end = time.monotonic() + timeout
    pieces: list[OutputPiece] = []
    size = 0
    answer: dict[str, Any] = {}
    for operation, fields, source_count in _stream_questions(source):
        end += _MESSAGE_SECONDS
        reply = ask(operation, fields, max(min(timeout, end - time.monotonic()), _MESSAGE_SECONDS))
        if isinstance(reply, TimedOut):
            return replace(reply, timeout=timeout)
        if not isinstance(reply, dict):
            return reply
        answer = reply
        for data in map(b64decode, answer.get("chunks", ())):
            size += len(data)
            if data:
                pieces.append(OutputPiece(data, source_count, operation == "stream-end"))
        if size > limit:
            return BadOutput(f"stream yielded more than {limit} bytes")
        raised = read_failure(answer, last_output)
        if isinstance(raised, UnsupportedOutcome):
            if not pieces:
                return raised
            raised = Crashed(TranslatorError(f"raised Unsupported: {raised.reason}"), last_output())
        if raised is not None:
            return Streamed(tuple(pieces), raised)
        yield
    return Streamed(tuple(pieces), losses=read_losses(AnswerLosses(answer)))


def _stream_questions(source: Source) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yield the questions of a stream, each with the number of pieces that the child has after it."""
    yield "stream-open", {}, 0
    for source_count, piece in enumerate(source.pieces, 1):
        yield "stream-chunk", {"chunk": b64encode(piece).decode()}, source_count
    yield "stream-end", {"end": source.end}, len(source.pieces)
