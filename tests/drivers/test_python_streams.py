"""Streams through a Python translator: its input, its output and their order, and how it breaks off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import BadOutput, Crashed, Opened, RefusedOutcome, TimedOut, UnsupportedOutcome
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.streams import OutputPiece, Source, SourceLost, Streamed, StreamOutcome

SOURCE = Source((b"a", b"b", b"c"))
ROUTE = Route("alpha", "beta", "a", "b", stream=True)


class Refused(Exception):  # noqa: N818
    pass


class Unsupported(Exception):  # noqa: N818
    pass


def stream(method: Any, source: Source = SOURCE, timeout: float = 5.0, limit: int = 1000) -> StreamOutcome:
    """What comes of a session's ``stream``."""

    class Session:
        losses = ("reasoning",)

        def stream(self, chunks: Any) -> Any:
            return method(chunks)

    class Translator:
        def open(self, _route: Route) -> Any:
            return Session()

    driver = PythonDriver(Translator(), "t", timeout=timeout, output_limit=limit)
    opened = driver.open(ROUTE)
    assert isinstance(opened, Opened)
    try:
        return opened.session.stream(source)
    finally:
        driver.close()


def upper(chunks: Any) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk.upper()
    yield b"."


async def upper_async(chunks: Any) -> AsyncIterator[bytes]:
    async for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk.upper()
    yield b"."


async def upper_later(chunks: Any) -> Any:
    return upper_async(chunks)


async def upper_sync_later(chunks: Any) -> Any:
    return upper(chunks)


@pytest.mark.parametrize("method", [upper, upper_async, upper_later, upper_sync_later])
def test_generators_of_all_kinds(method: Any) -> None:
    pieces = (
        OutputPiece(b"A", 1, False),
        OutputPiece(b"B", 2, False),
        OutputPiece(b"C", 3, False),
        OutputPiece(b".", 3, True),
    )
    assert stream(method) == Streamed(pieces, losses=("reasoning",))


def test_all_at_the_end_is_seen() -> None:
    outcome = stream(lambda chunks: [b"".join(chunks)])
    assert outcome == Streamed((OutputPiece(b"abc", 3, True),), losses=("reasoning",))


def test_empty_pieces_are_dropped() -> None:
    outcome = stream(lambda _chunks: [b"", b"x", bytearray(b"y"), memoryview(b"z")])
    assert isinstance(outcome, Streamed)
    assert [piece.data for piece in outcome.pieces] == [b"x", b"y", b"z"]
    assert outcome.data == b"xyz"


@pytest.mark.parametrize("method", [upper, upper_async])
def test_a_source_that_is_lost_raises_where_it_is_read(method: Any) -> None:
    outcome = stream(method, Source((b"a",), end="lost"))
    assert isinstance(outcome, Streamed)
    assert outcome.data == b"A"
    assert isinstance(outcome.raised, Crashed)
    assert isinstance(outcome.raised.exception, SourceLost)


def test_a_lost_source_that_is_survived() -> None:
    def survive(chunks: Any) -> Iterator[bytes]:
        try:
            yield from chunks
        except ConnectionError:
            yield b"!"

    outcome = stream(survive, Source((b"a",), end="lost"))
    assert isinstance(outcome, Streamed)
    assert (outcome.data, outcome.raised) == (b"a!", None)


@pytest.mark.parametrize(
    ("error", "expected"),
    [(KeyError("x"), Crashed), (SystemExit(3), Crashed), (Refused("no"), RefusedOutcome), (Unsupported("n"), Crashed)],
)
def test_pieces_before_the_exception_remain(error: BaseException, expected: type) -> None:
    def broken(chunks: Any) -> Iterator[bytes]:
        yield next(chunks)
        raise error

    outcome = stream(broken)
    assert isinstance(outcome, Streamed)
    assert outcome.data == b"a"
    assert isinstance(outcome.raised, expected)


def test_unsupported_before_anything_came() -> None:
    def unsupported(_chunks: Any) -> Iterator[bytes]:
        raise Unsupported("no streams")
        yield b""

    assert stream(unsupported) == UnsupportedOutcome("no streams")


def test_no_method() -> None:
    class Translator:
        def open(self, _route: Route) -> Any:
            return object()

    opened = PythonDriver(Translator(), "t").open(ROUTE)
    assert isinstance(opened, Opened)
    assert isinstance(opened.session.stream(SOURCE), UnsupportedOutcome)


@pytest.mark.parametrize("output", [None, b"bytes", "text", {"a": 1}, 7, ["text"], [{"a": 1}], [None]])
def test_what_is_no_stream_of_bytes(output: Any) -> None:
    outcome = stream(lambda _chunks: output)
    assert isinstance(outcome, BadOutput)
    assert "yield the client's stream as bytes" in outcome.sentence


def test_a_stream_without_end() -> None:
    def endless(_chunks: Any) -> Iterator[bytes]:
        while True:
            yield b"x" * 100

    outcome = stream(endless)
    assert outcome == BadOutput("stream yielded more than 1000 bytes")


def test_a_stream_that_hangs() -> None:
    def hang(chunks: Any) -> Iterator[bytes]:
        yield next(chunks)
        time.sleep(30)

    async def hang_async(_chunks: Any) -> AsyncIterator[bytes]:
        yield b"a"
        await asyncio.sleep(30)

    for method in (hang, hang_async):
        assert stream(method, timeout=0.2) == TimedOut(0.2)
