"""Libraries that stream: what ``exchange`` may return if ``route.stream`` is true, and its outcome."""

from __future__ import annotations

import asyncio
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from miniature import TRANSPORTS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Misdirected,
    Opened,
    Produced,
    RefusedOutcome,
    SessionDriver,
    Source,
    Streamed,
    TimedOut,
    UnsupportedOutcome,
    habits,
)
from toolcall_conformance.drivers.python.driver import PythonDriver

ROUTE = Route("alpha", "beta", "a", "b", stream=True)
BODY = {"format": "alpha", "text": "hello", "stream": True}
EVENTS = tuple(f"data: {number}\n\n".encode() for number in range(5))
STREAM = b"".join(EVENTS)


class Refused(Exception):  # noqa: N818 - known by its name
    pass


def ask_upstream(url: str, path: str = "/beta/b:askStream?alt=sse") -> Any:
    """The upstream's answer, before any of it was read."""
    headers = {"content-type": "application/json", "x-beta-key": "Key k", "x-beta-version": "2"}
    return urllib.request.urlopen(urllib.request.Request(url + path, b"{}", headers), timeout=20)


def pieces(reply: Any) -> Iterator[bytes]:
    with reply:
        while piece := reply.read1(65536):
            yield piece


class Later:
    """An object that is read with ``async for``."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.made = chunks

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        piece = await asyncio.to_thread(next, self.made, None)
        if piece is None:
            raise StopAsyncIteration
        return piece


def generator(url: str) -> Any:
    yield from pieces(ask_upstream(url))


def iterator(url: str) -> Any:
    return pieces(ask_upstream(url))


async def coroutine(url: str) -> Any:
    return pieces(await asyncio.to_thread(ask_upstream, url))


async def async_generator(url: str) -> Any:
    async for piece in Later(pieces(await asyncio.to_thread(ask_upstream, url))):
        yield bytearray(piece)


async def coroutine_of_async(url: str) -> Any:
    return Later(pieces(await asyncio.to_thread(ask_upstream, url)))


def an_object(url: str) -> Any:
    return Later(pieces(ask_upstream(url)))


def all_at_once(url: str) -> Any:
    with ask_upstream(url) as reply:
        return [reply.read()]


WAYS = [generator, iterator, coroutine, async_generator, coroutine_of_async, an_object, all_at_once]
Exchange = Callable[[str], Any]


class Opening:
    """A driver of a library with this ``exchange``, and a session in which the upstream has been asked."""

    def __init__(self, exchange: Exchange, timeout: float = 20.0) -> None:
        class Session:
            def exchange(self, _body: Any, url: str) -> Any:
                return exchange(url)

        class Library:
            def open(self, _route: Route) -> Session:
                return Session()

        self.driver = PythonDriver(Library(), "mine:T", transports=lambda: TRANSPORTS, timeout=timeout)

    def session(self) -> SessionDriver:
        opened = self.driver.open(ROUTE)
        assert isinstance(opened, Opened)
        return opened.session

    def play(self, source: Source) -> Any:
        session = self.session()
        outcome = session.request(BODY)
        assert isinstance(outcome, Produced), outcome
        return session.stream(source)


@pytest.fixture
def opening() -> Iterator[Callable[..., Opening]]:
    openings: list[Opening] = []

    def make(exchange: Exchange, timeout: float = 20.0) -> Opening:
        openings.append(Opening(exchange, timeout))
        return openings[-1]

    yield make
    for entry in openings:
        entry.driver.close()
    end = time.monotonic() + 8
    while (left := [t.name for t in threading.enumerate() if t.name.startswith("toolcall")]) and time.monotonic() < end:
        time.sleep(0.02)
    assert left == []


@pytest.mark.parametrize("exchange", WAYS, ids=lambda way: way.__name__)
def test_what_it_may_give(opening: Any, exchange: Exchange) -> None:
    outcome = opening(exchange).play(Source(EVENTS))
    assert isinstance(outcome, Streamed), outcome
    assert (outcome.data, outcome.raised) == (STREAM, None)
    assert not any(piece.is_after_end for piece in outcome.pieces)  # unwatched, so unknown
    assert outcome.pieces[-1].source_count == len(EVENTS)


@pytest.mark.parametrize("exchange", WAYS, ids=lambda way: way.__name__)
def test_a_translator_that_buffers_is_found(opening: Any, exchange: Exchange) -> None:
    waits = exchange is all_at_once
    outcome = opening(exchange).play(Source(EVENTS, watched=True))
    assert isinstance(outcome, Streamed), outcome
    assert outcome.data == STREAM
    assert all(piece.is_after_end for piece in outcome.pieces) is waits


@pytest.mark.timing
def test_the_end_is_held_back_less_long_after_buffering(opening: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(habits, "PATIENT_SECONDS", 1.2)
    monkeypatch.setattr(habits, "IMPATIENT_SECONDS", 0.3)
    library = opening(all_at_once)
    took = []
    for _ in range(2):
        started = time.monotonic()
        outcome = library.play(Source(EVENTS, watched=True))
        took.append(time.monotonic() - started)
        assert all(piece.is_after_end for piece in outcome.pieces)
    assert took[1] < took[0] - 0.5


@pytest.mark.timing
def test_a_broken_off_source_is_not_waited_for(opening: Any) -> None:
    started = time.monotonic()
    opening(generator).play(Source(EVENTS, "lost", watched=True))
    assert time.monotonic() - started < 1.5


@pytest.mark.parametrize("exchange", [generator, coroutine, async_generator], ids=lambda way: way.__name__)
def test_pieces_before_the_lost_source_remain(opening: Any, exchange: Exchange) -> None:
    outcome = opening(exchange).play(Source(EVENTS[:3], "lost"))
    assert isinstance(outcome, Streamed), outcome
    assert outcome.data == b"".join(EVENTS[:3])
    assert isinstance(outcome.raised, Crashed)
    assert outcome.raised.sentence.startswith("raised IncompleteRead")


def raise_after(error: BaseException, after: int) -> Exchange:
    def exchange(url: str) -> Any:
        for number, piece in enumerate(pieces(ask_upstream(url))):
            if number == after:
                raise error
            yield piece

    return exchange


def test_an_exception_in_the_middle(opening: Any) -> None:
    outcome = opening(raise_after(KeyError("oops"), 0)).play(Source(EVENTS))
    assert isinstance(outcome, Crashed)
    assert "in exchange" in outcome.traceback
    assert "toolcall_conformance" not in outcome.traceback
    assert isinstance(opening(raise_after(Refused("not so"), 0)).play(Source(EVENTS)), RefusedOutcome)
    session = opening(raise_after(KeyError("oops"), 1))
    outcome = session.play(Source((b"data: 0\n\n", *(b"data: %d\n\n" % n * 9000 for n in range(1, 9)))))
    assert isinstance(outcome, Streamed)
    assert outcome.data.startswith(b"data: 0\n\n")
    assert isinstance(outcome.raised, Crashed)


WRONG = [
    ({"text": "whole"}, "exchange returned a whole body where route.stream is true; return an iterable"),
    ("data: 0\n\n", "exchange gave an object of type str; yield the client's stream as bytes"),
    (None, "exchange gave None; yield the client's stream as bytes"),
    (["data: 0\n\n"], "exchange gave an object of type str; yield"),
    ([b"x" * 9_000_000] * 2, "exchange yielded more than 16777216 bytes"),
]


@pytest.mark.parametrize(("output", "sentence"), WRONG, ids=range(len(WRONG)))
@pytest.mark.parametrize("way", ["def", "async def"])
def test_what_is_no_stream(opening: Any, output: Any, sentence: str, way: str) -> None:
    def exchange(url: str) -> Any:
        with ask_upstream(url) as reply:
            reply.read()
            return output

    async def later(url: str) -> Any:
        return await asyncio.to_thread(exchange, url)

    outcome = opening(exchange if way == "def" else later).play(Source(EVENTS))
    assert isinstance(outcome, BadOutput), outcome
    assert outcome.sentence.startswith(sentence)


def test_before_the_upstream_was_asked(opening: Any) -> None:
    def wordless(_url: str) -> Any:
        yield b"data: from a cache\n\n"

    def unable(_url: str) -> Any:
        raise type("Unsupported", (Exception,), {})("no streams")

    outcome = opening(wordless).session().request(BODY)
    assert outcome == BadOutput("exchange answered 200 without asking the upstream: data: from a cache")
    session = opening(unable).session()
    assert session.request(BODY) == UnsupportedOutcome("no streams")
    assert session.stream(Source(EVENTS)) == UnsupportedOutcome("no streams")


def test_a_library_that_does_not_return(opening: Any) -> None:
    def exchange(url: str) -> Any:
        yield from pieces(ask_upstream(url))
        time.sleep(1.5)

    assert opening(exchange, 0.5).play(Source(EVENTS)) == TimedOut(0.5)


def test_a_library_that_asks_for_no_stream_makes_one_by_itself(opening: Any) -> None:
    """It asks for a whole reply, gets it, and is known to have waited for all of it."""

    def exchange(url: str) -> Any:
        with ask_upstream(url, "/beta/b:ask") as reply:
            text = json.load(reply)["text"]
        yield from (f"data: {word}\n\n".encode() for word in text.split())

    outcome = opening(exchange).play(Source(EVENTS, watched=True, reply={"text": "one two"}))
    assert isinstance(outcome, Streamed), outcome
    assert outcome.data == b"data: one\n\ndata: two\n\n"
    assert all(piece.is_after_end for piece in outcome.pieces)
    assert opening(exchange).play(Source(EVENTS)) == Misdirected(
        "the client wants a stream, and the upstream was asked at POST /beta/b:ask for none; a stream of beta is asked "
        "for by POST /beta/{model}:askStream?alt=sse"
    )


def test_a_library_that_asks_for_a_stream_of_another_kind(opening: Any) -> None:
    def exchange(url: str) -> Any:
        yield from pieces(ask_upstream(url, "/beta/b:askStream?alt=json"))

    outcome = opening(exchange).play(Source(EVENTS, reply={"text": "one"}))
    assert outcome == UnsupportedOutcome(
        "the upstream was asked at POST /beta/b:askStream for a stream that is not text/event-stream; the suite does "
        "not play such streams"
    )


def failing(url: str) -> Any:
    try:
        reply = ask_upstream(url)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error), {"retry-after": error.headers["retry-after"]}
    return pieces(reply)


async def failing_later(url: str) -> Any:
    return await asyncio.to_thread(failing, url)


@pytest.mark.parametrize("exchange", [failing, failing_later])
def test_an_error_before_the_stream_is_no_stream(opening: Any, exchange: Exchange) -> None:
    session = opening(exchange).session()
    for _ in range(2):
        assert isinstance(session.request(BODY), Produced)
        outcome = session.error({"status": 429, "headers": {"retry-after": "7"}, "body": {"error": "busy"}})
        assert isinstance(outcome, Produced), outcome
        assert outcome.value == {"status": 429, "headers": {"retry-after": "7"}, "body": {"error": "busy"}}
    assert isinstance(session.request(BODY), Produced)
    outcome = session.stream(Source(EVENTS))
    assert isinstance(outcome, Streamed)
    assert outcome.data == STREAM


def test_an_error_that_becomes_a_stream(opening: Any) -> None:
    def exchange(url: str) -> Any:
        try:
            ask_upstream(url)
        except urllib.error.HTTPError as error:
            error.close()
            yield b"data: all is well\n\n"

    session = opening(exchange).session()
    session.request(BODY)
    outcome = session.error({"status": 429, "body": {"error": "busy"}})
    assert outcome == BadOutput("a stream was sent with status 200: 'data: all is well'", "/body")


def test_an_unjudged_exchange_is_finished(opening: Any) -> None:
    session = opening(generator).session()
    session.request(BODY)
    session.finish_exchange({"status": 200, "headers": {}, "body": {"text": "whole"}})
    assert isinstance(session.request(BODY), Produced)
