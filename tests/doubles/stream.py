"""Doubles of a stream: generators between the reference and one of its ends.

Each takes an iterator and yields what becomes of it, piece by piece, so that nothing comes later than it would. On
which level it works its ``layer`` says:

- ``events``: the events that the reference wrote for the client, each ``{"event"?, "data"}``
- ``each``: the same, one at a time: the change gets an event and mends it in place
- ``pieces``: the stream for the client as bytes
- ``source``: the events of the provider, before the reference gets them
- ``chunks``: the same as bytes, in the pieces in which they arrive
- ``stream``: the change gets the reference's own ``stream``, too, and sees how it ends: ``change(stream, chunks)``
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, ClassVar, Literal

from doubles.catalogue import (
    ANTHROPIC,
    CHAT,
    FORMATS,
    GEMINI,
    RESPONSES,
    ByFormat,
    Double,
    Kind,
    PlayedDouble,
    Rules,
    doubles,
    enter,
    formats_of,
    heading,
    rule_tuple,
    rules_of,
)
from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import cuts, dump, parse
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import Exchange, load_corpus
from toolcall_reference import ReferenceTranslator

__all__ = [
    "ANTHROPIC",
    "AROUND",
    "CALL_ALONE",
    "CHAT",
    "CUT",
    "FORMATS",
    "GEMINI",
    "HIDDEN",
    "NO_JSON",
    "ONE",
    "PARALLEL",
    "RESPONSES",
    "TEXT",
    "THINKING",
    "UNICODE",
    "Event",
    "broken",
    "frame",
    "harmless",
    "warning",
    "whole_events",
]

PARALLEL = "parallel/three-tools"  # a text, and three calls
AROUND = "parallel/text-around"  # texts before, between and behind two calls
CALL_ALONE = "write_file/required-and-single"  # one call, and nothing behind it
ONE = "shell/seed"  # a text, and one call
TEXT = "replace/choice-none"  # nothing but a text
CUT = "shell/length-cut"  # a text that max_tokens cut
UNICODE = "write_file/unicode-arguments"  # U+2028 and characters of four bytes in arguments
THINKING = "reasoning/parallel-calls"  # thinking with a signature, and two calls
HIDDEN = "reasoning/thinking-not-shown"  # thinking with a signature and no text, and a call

NO_JSON = ("anthropic/call-input-object", "translation/arguments")
"""What follows in Anthropic where the fragments of a call are no JSON."""

Event = dict[str, Any]
Layer = Literal["events", "each", "pieces", "source", "chunks", "stream"]
Change = Callable[..., Any]

# A provider whose calls come in fragments, so that the reference's stream has some, too.
_UPSTREAM = {ANTHROPIC: CHAT, CHAT: ANTHROPIC, RESPONSES: ANTHROPIC, GEMINI: ANTHROPIC}

COARSE = replace(HARNESS, fineness=cuts.SPARSE)
"""A dozen ways to cut a stream see the same faults as forty."""

IN_NO_FILE = frozenset(
    {f"translation/{slug}" for slug in ("stream-at-once", "crashed", "stream-line-ends", "stream-comments")}
)
"""Faults in when something came, in what was raised, or in one of many streams that were played."""
PIECES_ONLY = frozenset({"as-it-is", "single-bytes", "two-pieces-at-once", "tail-without-blank-line-dropped"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamDouble(Double):
    """A double of streams, played through ``variant`` of the check ``stream`` on one case and route.

    ``spares`` is a case, or a variant of the same case, on which the fault cannot show; None for one that shows in
    every stream.
    """

    layer: Layer
    change: Change
    upstream: str
    case: str
    variant: str
    spares: str | None = None
    exact: ClassVar[bool] = True

    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """Where it has to be seen, and where it cannot show."""
        del day
        yield self._played(self.case, self.variant)
        if self.spares is not None:
            case, variant = (self.spares, self.variant) if "/" in self.spares else (self.case, self.spares)
            yield self._played(case, variant, spared=True)

    def _played(self, case: str, variant: str, *, spared: bool = False) -> PlayedDouble:
        result = run(self, case, variant, self.upstream).result
        return PlayedDouble(f"{case} {variant}", result.findings, result.verdict, result.reason, spared=spared)

    def shown(self) -> dict[str, Any] | None:
        """The stream that shows the fault; None if no bytes do.

        Of a habit that is the same in several formats one is shown.
        """
        example = self._guilty()
        if example is None or (self.kind == "harmless" and self is not _first_habit(self.title)):
            return None
        number, recorded_stream, usual = example
        corpus = load_corpus()
        case = corpus.cases[self.case]
        client_exchange, golden = (case.exchanges(end)[number - 1] for end in (self.format, self.upstream))
        assert golden.stream_path is not None
        content: dict[str, Any] = {
            "direction": "stream",
            "client": self.format,
            "upstream": self.upstream,
            "client_model": case.model(self.format),
            "upstream_model": case.model(self.upstream),
            "case": self.case,
            "exchange": number,
            "request": client_exchange.request_path.relative_to(corpus.root).as_posix(),
            "source": golden.stream_path.relative_to(corpus.root).as_posix(),
        }
        if self.variant == "cut":
            content |= _source_end(golden, recorded_stream, self.upstream)
        return content | {"output": recorded_stream.said} | ({} if usual is None else {"usual": usual.said})

    def _guilty(self) -> tuple[int, StreamRecord, StreamRecord | None] | None:
        """The exchange, what was fed and came out, and of a recut one what came usually."""
        if self.fault in PIECES_ONLY or not IN_NO_FILE.isdisjoint(self.rules):
            return None
        outcome = run(self, self.case, self.variant, self.upstream)
        if self.variant == "":
            guilty = [finding.body for finding in outcome.result.findings if finding.rule in self.rules]
            if any("broken" in name for name in guilty):  # a file has no room for the reply to the request sent again
                return None
            for number, stream in enumerate(outcome.told, 1):
                if not self.rules or any(name.startswith(f"{number:02d}-") for name in guilty):
                    return number, stream, None
        stream = outcome.told[-1]  # a check ends with the first that it finds
        if stream.raised or stream.said == b"":
            return None
        return 1, stream, outcome.told[0] if self.variant == "recut" else None


@cache
def _first_habit(title: str) -> StreamDouble:
    """The first habit of a title."""
    return next(double for double in doubles(StreamDouble, "harmless") if double.title == title)


def _source_end(golden: Exchange, stream: StreamRecord, upstream: str) -> dict[str, Any]:
    """How far the upstream's stream came, in bytes, and what came then: its end, nothing, or its own error."""
    assert golden.stream_path is not None
    whole, fed = golden.stream_path.read_bytes(), b"".join(stream.fed)
    failing = dump([HARNESS.corpus.transports[upstream]["stream"]["error"]])
    failed = fed.endswith(failing) and not whole.startswith(fed)
    length = len(fed) - len(failing) if failed else len(fed)
    assert whole.startswith(fed[:length])
    return {"source_bytes": length, "source_then": "error" if failed else "lost" if stream.lost else "end"}


@dataclass
class StreamRecord:
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


@dataclass(frozen=True)
class Run:
    """How a double fared: the check's result, and every stream that it translated, in order."""

    result: ItemResult
    told: tuple[StreamRecord, ...]


@cache
def run(double: StreamDouble, case: str, variant: str, upstream: str) -> Run:
    """A case from an upstream through a variant of the check, with the double as the translator."""
    corpus_case = load_corpus().cases[case]
    route = Route(double.format, upstream, corpus_case.model(double.format), corpus_case.model(upstream))
    translator = _Doubled(double)
    driver = PythonDriver(translator, f"double:{double.name}")
    try:
        result = CHECKS["stream"](corpus_case, route, driver.open, COARSE, variant, None)
    finally:
        driver.close()
    return Run(result, tuple(translator.told))


class _Doubled:
    """A translator: the reference with a double's change in its streams. It records its inputs and outputs."""

    def __init__(self, double: StreamDouble) -> None:
        self.double = double
        self.told: list[StreamRecord] = []

    def open(self, route: Route, /) -> _Session:
        return _Session(self, route)


class _Session:
    """One conversation of a doubled translator."""

    history = "own"  # so only the first reply is streamed, which has the calls: the next would show the same

    def __init__(self, home: _Doubled, route: Route) -> None:
        self._home = home
        self._route = route
        self._session = ReferenceTranslator().open(route)

    def request(self, body: dict[str, Any], /) -> Any:
        return self._session.request(body)

    def response(self, body: dict[str, Any], /) -> Any:
        return self._session.response(body)

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        stream_record = StreamRecord([], [], [])
        self._home.told.append(stream_record)
        try:
            for piece in change_stream(
                self._home.double, self._session.stream, _record_chunks(chunks, stream_record), self._route
            ):
                stream_record.came.append(piece)
                stream_record.taken.append(len(stream_record.fed))
                yield piece
        except GeneratorExit:
            raise
        except BaseException:
            stream_record.raised = True
            raise


def _record_chunks(chunks: Iterable[bytes], stream_record: StreamRecord) -> Iterator[bytes]:
    try:
        for chunk in chunks:
            stream_record.fed.append(chunk)
            yield chunk
    except ConnectionError:
        stream_record.lost = True
        raise


def change_stream(double: StreamDouble, stream: Any, chunks: Iterator[bytes], route: Route) -> Iterator[bytes]:
    """What a translator with the double's fault, or habit, makes of a stream."""
    if double.layer == "each":
        yield from _frame_events(_change_each(double.change, _events(stream(chunks))), route.client)
    elif double.layer == "stream":
        yield from double.change(stream, chunks)
    elif double.layer == "pieces":
        yield from double.change(iter(stream(chunks)))
    elif double.layer == "chunks":
        yield from stream(double.change(chunks))
    elif double.layer == "events":
        yield from _frame_events(double.change(_events(stream(chunks))), route.client)
    else:
        yield from stream(_frame_events(double.change(_events(whole_events(chunks))), route.upstream))


def _events(pieces: Iterable[bytes]) -> Iterator[Event]:
    for piece in pieces:
        yield from parse(piece)["events"]


def _change_each(change: Change, events: Iterable[Event]) -> Iterator[Event]:
    for event in events:
        change(event)
        yield event


def _frame_events(events: Iterable[Event], format_name: str) -> Iterator[bytes]:
    for event in events:
        yield frame(event, format_name)


def frame(event: Event, format_name: str) -> bytes:
    """An event as its format's provider frames it."""
    written = dump([event])
    return written.replace(b"\n", b"\r\n") if format_name == GEMINI else written


def whole_events(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The events of a stream as soon as they are whole, however it was cut; what comes after the last one is lost."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        pieces = cuts.split_events(rest)
        whole = [piece for piece in pieces if len(piece) > 1 and piece.endswith((b"\n\n", b"\n\r\n"))]
        rest = b"".join(pieces[len(whole) :])
        yield from whole


def _entry(
    kind: Kind,
    rule: ByFormat = (),
    *,
    client: str | Sequence[str] | None = None,
    upstream: str | None = None,
    case: str = PARALLEL,
    variant: str = "",
    layer: Layer = "events",
    follows: ByFormat = (),
    warns: Rules = (),
    beside: ByFormat = (),
    never: ByFormat = (),
    spares: str | None = None,
    thread: str = "",
    fault: str = "",
    title: str = "",
) -> Callable[[Change], Change]:
    """A double in the streams for each of ``client``: by default the format that ``rule`` is about, or all."""

    def decorate(change: Change) -> Change:
        for format_name in formats_of(rule, client):
            enter(
                StreamDouble(
                    **heading(change, title),
                    fault=fault or change.__name__.replace("_", "-"),
                    format=format_name,
                    kind=kind,
                    layer=layer,
                    change=change,
                    upstream=upstream or _UPSTREAM[format_name],
                    case=case,
                    variant=variant,
                    rules=rules_of(rule, format_name),
                    follows=rules_of(follows, format_name),
                    warns=rule_tuple(warns),
                    beside=rules_of(beside, format_name),
                    never=rules_of(never, format_name),
                    spares=spares,
                    thread=thread,
                )
            )
        return change

    return decorate


broken = partial(_entry, "broken")
"""A fault that a MUST of each of ``rule`` names, and no other but ``follows``."""
warning = partial(_entry, "warning")
"""A fault that a SHOULD of each of ``rule`` names, and no MUST."""
harmless = partial(_entry, "harmless")
"""A habit that no judge may fail. ``warns`` are rules of which a SHOULD may come."""
