"""Reads the stream of a Python translator: generators and iterators of bytes, sync or async."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Protocol

from toolcall_conformance.drivers.outcomes import BadOutput, Crashed, UnsupportedOutcome
from toolcall_conformance.drivers.python.exception_outcomes import exception_outcome
from toolcall_conformance.drivers.python.foreign import is_a, type_name
from toolcall_conformance.drivers.python.limits import TimeIsUp
from toolcall_conformance.drivers.python.tracebacks import format_own_frames
from toolcall_conformance.drivers.streams import Feed, OutputPiece, Source, Streamed, lead_count

CollectedStream = Streamed | BadOutput | UnsupportedOutcome
# Marks the end of a stream in place of a piece.
END = object()
_ADVICE = "yield the client's stream as bytes, in pieces of any size"


def collect_interleaved(
    methods: Sequence[Callable[..., Any]], sources: Sequence[Source], limit: int
) -> tuple[CollectedStream, ...] | Coroutine[Any, Any, tuple[CollectedStream, ...]]:
    """Call ``stream`` of two sessions and collect both outputs in turns; returns a coroutine if one is async.

    The first is read to its middle before the second is asked for anything. TimeIsUp is raised.
    """
    streams = [_OpenStream(method, source, limit) for method, source in zip(methods, sources, strict=True)]
    streams[0].begin()
    playing = _read_interleaved(streams, lead_count(sources[0]), len(sources[0].pieces))
    if streams[0].is_async:
        return playing
    # Without anything to await it ends in one step. Not in a loop: a sync translator may run its own.
    try:
        playing.send(None)
    except StopIteration as played:
        collected: tuple[CollectedStream, ...] = played.value
        return collected
    raise AssertionError("a sync session and an async one of the same translator")


async def _read_interleaved(
    streams: Sequence[_OpenStream], lead_count: int, piece_count: int
) -> tuple[CollectedStream, ...]:
    first, second = streams
    while first.feed.read_count < lead_count and await first.advance():
        pass
    alone = first.feed.read_count == piece_count  # its end is not asked for after the API's own last event
    second.begin()
    while any([await first.advance(), await second.advance()]):
        pass
    if alone and isinstance(first.result, Streamed):
        first.result = replace(first.result, alone=True)
    return tuple(stream.result for stream in streams)


class _OpenStream:
    """A stream that is open; ``result`` is there when ``advance`` has returned false."""

    def __init__(self, method: Callable[..., Any], source: Source, limit: int) -> None:
        self.feed = Feed(source)
        self.is_async = False
        self.result: CollectedStream = Streamed(())
        self._method = method
        self._collector = StreamCollector(self.feed, limit, "stream")
        self._returned: Any = None
        self._next: Callable[[], Any] | None = None

    def begin(self) -> None:
        """Call the translator."""
        try:
            self._returned = self._method(self.feed)
            self.is_async = hasattr(self._returned, "__aiter__") or inspect.isawaitable(self._returned)
            self._next = self._first_piece
        except (TimeIsUp, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.result = self._collector.read_exception(error)

    async def advance(self) -> bool:
        """Read one piece of the output; returns whether there may be more."""
        if self._next is None:
            return False
        try:
            piece = self._next()
            outcome = self._collector.take_piece(await piece if inspect.isawaitable(piece) else piece)
        except (TimeIsUp, KeyboardInterrupt):
            raise
        except BaseException as error:
            outcome = self._collector.read_exception(error)
        if outcome is not None:
            self.result, self._next = outcome, None
        return self._next is not None

    def _first_piece(self) -> Any:
        """The first piece, or an awaitable of it: the returned object may have to be awaited."""
        return self._await_first_piece() if inspect.isawaitable(self._returned) else self._begin_reading(self._returned)

    async def _await_first_piece(self) -> Any:
        piece = self._begin_reading(await self._returned)
        return await piece if inspect.isawaitable(piece) else piece

    def _begin_reading(self, output: Any) -> Any:
        if hasattr(output, "__aiter__"):
            pieces = aiter(output)
            self._next = lambda: anext(pieces, END)
        elif is_iterable(output):
            left = iter(output)
            self._next = lambda: next(left, END)
        else:
            return output
        return self._next()


def is_iterable(value: Any) -> bool:
    """Whether ``value`` can be a stream that is read with ``for``."""
    return hasattr(value, "__iter__") and not is_a(value, str, bytes, bytearray, dict)


class SourceProgress(Protocol):
    """How much of the source was read while the translator yields its stream."""

    def mark_output(self) -> tuple[int, bool]:
        """Note output; return how many pieces were read before it, and whether the end was."""


def collect_stream(
    method: Callable[..., Any], source: Source, limit: int
) -> CollectedStream | Coroutine[Any, Any, CollectedStream]:
    """Call ``stream`` and collect its output; returns a coroutine if it is async.

    The result holds an exception together with the output before it; TimeIsUp is raised.
    """
    feed = Feed(source)
    collector = StreamCollector(feed, limit, "stream")
    try:
        output = method(feed)
        if hasattr(output, "__aiter__") or inspect.isawaitable(output):
            return collector.collect_async(output)
        return collector.collect(output)
    except (TimeIsUp, KeyboardInterrupt):
        raise
    except BaseException as error:
        return collector.read_exception(error)


class StreamCollector:
    """Collects a stream from an iterator; ``operation`` names its source in sentences."""

    def __init__(self, progress: SourceProgress, limit: int, operation: str) -> None:
        self._progress = progress
        self._limit = limit
        self._what = operation
        self._size = 0
        self._pieces: list[OutputPiece] = []

    def collect(self, output: Any) -> CollectedStream:
        """Collect a sync stream. Raises what it raises."""
        if not is_iterable(output):
            return self._bad_output(output)
        for piece in output:
            wrong = self._add_piece(piece)
            if wrong is not None:
                return wrong
        return Streamed(tuple(self._pieces))

    async def collect_async(self, output: Any) -> CollectedStream:
        """Collect an async stream, or one that is awaited first; the result holds what it raises."""
        try:
            if inspect.isawaitable(output):
                output = await output
            if not hasattr(output, "__aiter__"):
                return self.collect(output)
            async for piece in output:
                wrong = self._add_piece(piece)
                if wrong is not None:
                    return wrong
        except (TimeIsUp, KeyboardInterrupt):
            raise
        except BaseException as error:
            return self.read_exception(error)
        return Streamed(tuple(self._pieces))

    def take_piece(self, piece: Any) -> CollectedStream | None:
        """Take one piece, or END; returns the result if the stream is over."""
        return Streamed(tuple(self._pieces)) if piece is END else self._add_piece(piece)

    def read_exception(self, error: BaseException) -> CollectedStream:
        """Turn an exception of the translator into an outcome, by its class name."""
        raised = exception_outcome(error)
        if isinstance(raised, UnsupportedOutcome):
            if not self._pieces:
                return raised
            raised = Crashed(error, format_own_frames(error), exception_text=raised.reason)
        return Streamed(tuple(self._pieces), raised)

    def _add_piece(self, piece: Any) -> BadOutput | None:
        if not is_a(piece, bytes, bytearray, memoryview):
            return self._bad_output(piece)
        data = bytes(memoryview(piece))
        self._size += len(data)
        if self._size > self._limit:
            return BadOutput(f"{self._what} yielded more than {self._limit} bytes")
        if data:
            self._pieces.append(OutputPiece(data, *self._progress.mark_output()))
        return None

    def _bad_output(self, output: Any) -> BadOutput:
        name = "None" if output is None else f"an object of type {type_name(output)}"
        return BadOutput(f"{self._what} gave {name}; {_ADVICE}")
