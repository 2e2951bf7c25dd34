"""Two streams that are open at once: in one interpreter, in a child, and through a library that sends itself."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from doubles.harness import HARNESS
from doubles.sending_sessions import ADDRESSES
from doubles.sessions.shared_streams import ArgumentsOfAllStreams, ArgumentsOfEachStream, OneStreamBehindTheOther
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS, variants
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.drivers.base import Driver
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]
CHAT, ANTHROPIC = "openai_chat", "anthropic"
ROUTE = Route(CHAT, ANTHROPIC, CASE.model(CHAT), CASE.model(ANTHROPIC))


def run_concurrently(driver: Driver) -> ItemResult:
    try:
        return CHECKS["stream"](CASE, ROUTE, driver.open, HARNESS, "concurrent", None)
    finally:
        driver.close()


class Library:
    """Sends by itself; each of its sessions translates with one of these sessions."""

    def __init__(self, session: type[Any], lock: Any = None) -> None:
        self.session, self.lock = session, lock or nullcontext()
        self.shared: dict[str, Any] = {}
        self.order: list[int] = []

    def open(self, route: Route, /) -> Any:
        translator, library = self.session(route, self.shared), self

        class Sends:
            def exchange(self, body: dict[str, Any], upstream: str) -> Iterator[bytes]:
                path = ADDRESSES.request_path(route.upstream, route.upstream_model, stream=True)
                headers = ADDRESSES.request_headers(route.upstream, "key")
                data = json.dumps(translator.request(body)).encode()
                return library.read(translator, urllib.request.Request(upstream + path, data, headers))

        return Sends()

    def read(self, translator: Any, request: urllib.request.Request) -> Iterator[bytes]:
        with urllib.request.urlopen(request, timeout=20) as reply, self.lock:
            yield from translator.stream(self.record_pieces(reply, id(translator)))

    def record_pieces(self, reply: Any, number: int) -> Iterable[bytes]:
        while piece := reply.read1(65536):
            self.order.append(number)
            yield piece


def library_driver(library: Library) -> PythonDriver:
    return PythonDriver(library, "library:T", transports=lambda: CORPUS.transports, timeout=20.0)


def test_the_arguments_of_the_other_stream_are_named() -> None:
    named = False
    for _ in range(5):  # threads may mix the pieces of two calls so that no argument is whole
        result = run_concurrently(library_driver(Library(ArgumentsOfAllStreams)))
        assert result.verdict is Verdict.FAIL
        assert "translation/arguments" in {finding.rule for finding in result.findings}
        assert all("while another stream is open" in finding.message for finding in result.findings)
        named = any("the other stream says" in finding.message for finding in result.findings)
        if named:
            break
    assert named


def test_a_sound_library_reads_both_in_turns_and_passes() -> None:
    library = Library(ArgumentsOfEachStream)
    result = run_concurrently(library_driver(library))
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    turns = sum(stream != other for stream, other in zip(library.order, library.order[1:], strict=False))
    assert turns > 20, library.order


def test_reading_one_stream_after_the_other_passes() -> None:
    library = Library(ArgumentsOfAllStreams, threading.Lock())
    result = run_concurrently(library_driver(library))
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert len(set(library.order)) == 2


def test_a_translator_of_one_request_at_a_time_is_not_judged() -> None:
    class Once(ArgumentsOfEachStream):
        def request(self, body: dict[str, Any], /) -> Any:
            self.shared["asked"] = self.shared.get("asked", 0) + 1
            if self.shared["asked"] > 1:
                raise OverflowError("busy")
            return super().request(body)

    result = run_concurrently(library_driver(Library(Once)))
    assert (result.verdict, result.findings) == (Verdict.NOT_APPLICABLE, ())
    assert result.reason.startswith("no second exchange begins while one is open")


class Async:
    """The reference, whose streams are read with ``async for``."""

    def open(self, route: Route, /) -> Any:
        inner = ReferenceTranslator().open(route)

        class Session:
            request = staticmethod(inner.request)

            async def stream(self, chunks: Any, /) -> Any:
                for piece in inner.stream(chunks):
                    yield piece

        return Session()


@pytest.mark.parametrize("translator", [Async(), ReferenceTranslator()], ids=["async", "sync"])
def test_generators_of_both_kinds_are_read_in_turns(translator: Any) -> None:
    result = run_concurrently(PythonDriver(translator, "t:T"))
    assert (result.verdict, result.findings) == (Verdict.PASS, ())


class Collecting:
    """Reads a stream to its end before it gives anything."""

    def open(self, route: Route, /) -> Any:
        return OneStreamBehindTheOther(route, {})


def test_a_generator_that_collects_all_shows_nothing() -> None:
    result = run_concurrently(PythonDriver(Collecting(), "t:T"))
    assert (result.verdict, result.findings) == (Verdict.NOT_APPLICABLE, ())
    assert "read one after the other here" in result.reason


def test_few_cases_have_it() -> None:
    count = sum(
        "concurrent" in variants(CORPUS, "stream", case, client, upstream)
        for case in CORPUS.cases.values()
        for client in case.formats
        for upstream in case.formats
    )
    assert count == len(CORPUS.formats) ** 2
