"""Playing a stream double through the check ``stream``, and what was fed to it and came out the last time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from doubles.running import JUDGES
from doubles.streams.model import GEMINI, Event, StreamDouble
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.python import PythonDriver
from toolcall_conformance.findings import Level
from toolcall_conformance.library import load_corpus
from toolcall_conformance.streaming import cuts, dump, parse
from toolcall_reference import ReferenceTranslator

COARSE = replace(JUDGES, fineness=cuts.DEAR)
"""A dozen ways to cut a stream see the same faults as forty."""


@dataclass
class Told:
    """One stream that was translated: the pieces that were fed, whether reading failed then, and what came out.

    ``taken`` is for each piece that came out how many had been fed.
    """

    fed: list[bytes]
    came: list[bytes]
    taken: list[int]
    lost: bool = False
    raised: bool = False

    @property
    def said(self) -> bytes:
        return b"".join(self.came)


class Doubled:
    """A translator: the reference with a double's change in its streams. It keeps what was said to it, and by it."""

    def __init__(self, double: StreamDouble) -> None:
        self.double = double
        self.told: list[Told] = []

    def open(self, route: Route, /) -> DoubledSession:
        return DoubledSession(self, route)


class DoubledSession:
    """One conversation of a doubled translator."""

    history = "own"  # so only the first reply is streamed, which has the calls: the next would show the same

    def __init__(self, home: Doubled, route: Route) -> None:
        self._home = home
        self._route = route
        self._session = ReferenceTranslator().open(route)

    def request(self, body: dict[str, Any], /) -> Any:
        return self._session.request(body)

    def response(self, body: dict[str, Any], /) -> Any:
        return self._session.response(body)

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        told = Told([], [], [])
        self._home.told.append(told)
        try:
            for piece in changed(self._home.double, self._session.stream, _noted(chunks, told), self._route):
                told.came.append(piece)
                told.taken.append(len(told.fed))
                yield piece
        except GeneratorExit:
            raise
        except BaseException:
            told.raised = True
            raise


def _noted(chunks: Iterable[bytes], told: Told) -> Iterator[bytes]:
    try:
        for chunk in chunks:
            told.fed.append(chunk)
            yield chunk
    except ConnectionError:
        told.lost = True
        raise


def changed(double: StreamDouble, stream: Any, chunks: Iterator[bytes], route: Route) -> Iterator[bytes]:
    """What a translator with the double's fault, or habit, makes of a stream."""
    if double.layer == "stream":
        yield from double.change(stream, chunks)
    elif double.layer == "pieces":
        yield from double.change(iter(stream(chunks)))
    elif double.layer == "chunks":
        yield from stream(double.change(chunks))
    elif double.layer == "events":
        yield from _framed(double.change(_events(stream(chunks))), route.client)
    else:
        yield from stream(_framed(double.change(_events(whole_events(chunks))), route.upstream))


def _events(pieces: Iterable[bytes]) -> Iterator[Event]:
    for piece in pieces:
        yield from parse(piece)["events"]


def _framed(events: Iterable[Event], format_name: str) -> Iterator[bytes]:
    for event in events:
        yield frame(event, format_name)


def frame(event: Event, format_name: str) -> bytes:
    """An event as its format's provider frames it."""
    written = dump([event])
    return written.replace(b"\n", b"\r\n") if format_name == GEMINI else written


def whole_events(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The events of a stream as soon as they are whole, however it was cut; what stands behind the last one is lost."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        pieces = cuts.events(rest)
        whole = [piece for piece in pieces if len(piece) > 1 and piece.endswith((b"\n\n", b"\n\r\n"))]
        rest = b"".join(pieces[len(whole) :])
        yield from whole


@dataclass(frozen=True)
class Run:
    """How a double fared: the check's result, and every stream that it translated, in order."""

    result: ItemResult
    told: tuple[Told, ...]

    def named(self, level: Level) -> set[str]:
        return {finding.rule for finding in self.result.findings if finding.level is level}


@cache
def play(double: StreamDouble, case: str, variant: str, upstream: str) -> Run:
    """A case from an upstream through a variant of the check, with the double as the translator."""
    found = load_corpus().cases[case]
    route = Route(double.client, upstream, found.model(double.client), found.model(upstream))
    translator = Doubled(double)
    driver = PythonDriver(translator, f"double:{double.name}")
    try:
        result = CHECKS["stream"](found, route, driver.open, COARSE, variant, None)
    finally:
        driver.close()
    return Run(result, tuple(translator.told))


def run(double: StreamDouble) -> Run:
    """The double where it has to be seen, or to pass."""
    return play(double, double.case, double.variant, double.upstream)


def surprise(double: StreamDouble, found: Run) -> str:
    """What is wrong with the judge's word on a double, empty if nothing is."""
    must, should = found.named(Level.MUST), found.named(Level.SHOULD)
    said = f"MUST {sorted(must)}, SHOULD {sorted(should)}"
    if found.result.reason or found.result.verdict.name == "ERROR":
        said += f" {found.result.verdict.name} {found.result.reason}"
    if double.kind == "broken":
        right = set(double.rules) <= must <= {*double.rules, *double.follows}
    elif double.kind == "warning":
        right = not must and set(double.rules) <= should
    else:
        right = not must and should <= set(double.warns)
    return "" if right and not found.result.reason else said
