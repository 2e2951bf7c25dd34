"""Reads the stream of a Python translator: generators and iterators of bytes, sync or async."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from toolcall_conformance.drivers.foreign import is_a, type_name
from toolcall_conformance.drivers.limits import TimeIsUp
from toolcall_conformance.drivers.outcomes import BadOutput, Crashed, UnsupportedOutcome
from toolcall_conformance.drivers.raised import failure_of
from toolcall_conformance.drivers.streams import Feed, OutputPiece, Source, Streamed
from toolcall_conformance.drivers.tracebacks import own_frames

CollectedStream = Streamed | BadOutput | UnsupportedOutcome
_WANTED = "yield the client's stream as bytes, in pieces of any size"


class SourceProgress(Protocol):
    """How much of the source was read while the translator yields its stream."""

    def mark_output(self) -> tuple[int, bool]:
        """Note output; return how many pieces had been read by then, and whether the end had."""


def collect_stream(
    method: Callable[..., Any], source: Source, limit: int
) -> CollectedStream | Coroutine[Any, Any, CollectedStream]:
    """Call ``stream`` and collect its output; returns a coroutine if it is async.

    The result holds an exception together with the output before it; TimeIsUp is raised.
    """
    feed = Feed(source)
    collector = StreamCollector(feed, limit, "stream")
    try:
        given = method(feed)
        if hasattr(given, "__aiter__") or inspect.isawaitable(given):
            return collector.collect_async(given)
        return collector.collect(given)
    except (TimeIsUp, KeyboardInterrupt):
        raise
    except BaseException as error:
        return collector.broken_off(error)


class StreamCollector:
    """Collects a stream from an iterator; ``what`` names its source in sentences."""

    def __init__(self, progress: SourceProgress, limit: int, what: str) -> None:
        self._progress = progress
        self._limit = limit
        self._what = what
        self._size = 0
        self._pieces: list[OutputPiece] = []

    def collect(self, given: Any) -> CollectedStream:
        """Collect a sync stream. Raises what it raises."""
        if not hasattr(given, "__iter__") or is_a(given, str, bytes, bytearray, dict):
            return self._wrong(given)
        for piece in given:
            wrong = self._take(piece)
            if wrong is not None:
                return wrong
        return Streamed(tuple(self._pieces))

    async def collect_async(self, given: Any) -> CollectedStream:
        """Collect an async stream, or one that is awaited first; the result holds what it raises."""
        try:
            if inspect.isawaitable(given):
                given = await given
            if not hasattr(given, "__aiter__"):
                return self.collect(given)
            async for piece in given:
                wrong = self._take(piece)
                if wrong is not None:
                    return wrong
        except (TimeIsUp, KeyboardInterrupt):
            raise
        except BaseException as error:
            return self.broken_off(error)
        return Streamed(tuple(self._pieces))

    def broken_off(self, error: BaseException) -> CollectedStream:
        """Turn an exception of the translator into an outcome, by its class name."""
        raised = failure_of(error)
        if isinstance(raised, UnsupportedOutcome):
            if not self._pieces:
                return raised
            raised = Crashed(error, own_frames(error), said=raised.reason)
        return Streamed(tuple(self._pieces), raised)

    def _take(self, piece: Any) -> BadOutput | None:
        if not is_a(piece, bytes, bytearray, memoryview):
            return self._wrong(piece)
        data = bytes(memoryview(piece))
        self._size += len(data)
        if self._size > self._limit:
            return BadOutput(f"{self._what} yielded more than {self._limit} bytes")
        if data:
            self._pieces.append(OutputPiece(data, *self._progress.mark_output()))
        return None

    def _wrong(self, given: Any) -> BadOutput:
        name = "None" if given is None else f"an object of type {type_name(given)}"
        return BadOutput(f"{self._what} gave {name}; {_WANTED}")
