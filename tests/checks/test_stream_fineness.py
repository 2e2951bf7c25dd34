"""How finely the check ``stream`` cuts: by default, by number, and at every place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.checks.stream import run, variants
from toolcall_conformance.drivers import Opened
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import plan_items, route_of
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
OTHER = "shell/seed"
SHORT = "state/seed"  # of one event in Gemini's stream

Change = Callable[[Any, Iterable[bytes]], Iterator[bytes]]


class Noting:
    """The reference, changed, and the sources that it was given: in how many pieces, and how many bytes."""

    def __init__(self, change: Change) -> None:
        self.change = change
        self.given: list[list[bytes]] = []

    def open(self, route: Route) -> Any:
        inner = ReferenceTranslator().open(route)
        outer = self

        class Session:
            request = inner.request

            def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
                chunks_read: list[bytes] = []
                outer.given.append(chunks_read)
                return outer.change(inner.stream, _record_chunks(chunks, chunks_read))

        return Session()


def _record_chunks(chunks: Iterable[bytes], pieces: list[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        pieces.append(chunk)
        yield chunk


def pass_through(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from stream(chunks)


def end_within_key(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Drops what comes after a first piece that ends in the middle of the key of a call."""

    def chunks_until_key() -> Iterator[bytes]:
        for chunk in chunks:
            yield chunk
            if chunk.startswith(b"data:") and chunk.endswith(b'"func'):
                return

    yield from stream(chunks_until_key())


def ends_as_if_whole(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """After 7 events makes an end in order, where the source has none."""
    pieces: list[bytes] = []
    for piece in stream(_record_chunks(chunks, pieces)):
        if b"event: error" in piece and len(pieces) == 7:
            yield b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
            return
        yield piece


def play(
    change: Change,
    variant: str,
    fineness: cuts.Fineness | None,
    *,
    upstream: str = "openai_chat",
    case: str = OTHER,
    costly_pieces: bool = False,
) -> tuple[ItemResult, list[list[bytes]]]:
    noting = Noting(change)
    driver = PythonDriver(noting, "noting")

    def opened(route: Route) -> Any:
        outcome = driver.open(route)
        if isinstance(outcome, Opened) and costly_pieces:
            outcome.session.costly_pieces = True  # type: ignore[misc]
        return outcome

    try:
        result = run(
            CORPUS.cases[case],
            route_of(CORPUS.cases[case], "anthropic", upstream),
            opened,
            make_harness(CORPUS, fineness),
            variant,
        )
    finally:
        driver.close()
    return result, noting.given


def test_every_place_is_cut_once() -> None:
    result, streams = play(pass_through, "recut", cuts.ALL, upstream="gemini", case=SHORT)
    assert result.verdict is Verdict.PASS
    size = len(b"".join(streams[0]))
    firsts = {len(pieces[0]) for pieces in streams if len(pieces) == 2}
    assert firsts >= set(range(1, size))


def test_a_fault_at_one_place_is_found_by_all() -> None:
    assert play(end_within_key, "recut", None, upstream="gemini", case=SHORT)[0].findings == ()
    (finding,) = play(end_within_key, "recut", cuts.ALL, upstream="gemini", case=SHORT)[0].findings
    assert finding.rule == "translation/stream-cuts"
    way = re.search(r"in two at byte (\d+)", finding.message)
    stream = CORPUS.cases[SHORT].exchanges("gemini")[0].stream_path
    assert way is not None
    assert stream is not None
    assert stream.read_bytes()[: int(way[1])].endswith(b'"func')


def test_it_breaks_off_after_every_event() -> None:
    result, streams = play(pass_through, "cut", cuts.ALL)
    assert result.verdict is Verdict.PASS
    stream = CORPUS.cases[OTHER].exchanges("openai_chat")[0].stream_path
    assert stream is not None
    events = len(cuts.split_events(stream.read_bytes()))
    assert events > cuts.USUAL.ends
    plain = {len(pieces) for pieces in streams}
    assert plain >= set(range(events - 2))  # the last two are the usage and [DONE], behind the end


def test_a_fault_after_one_event_is_found_by_all() -> None:
    case = "parallel/three-tools"
    assert play(ends_as_if_whole, "cut", cuts.Fineness(cuts=1, ends=3), case=case)[0].findings == ()
    (finding,) = play(ends_as_if_whole, "cut", cuts.ALL, case=case)[0].findings
    assert finding.rule in {"translation/stream-cut-end", "translation/stream-cut-call"}
    assert "after 7 of" in finding.message


@pytest.mark.parametrize(
    ("fineness", "costly_pieces", "least", "most"),
    [
        (None, False, 38, 46),
        (None, True, 8, 14),
        (cuts.Fineness(3, 3), False, 5, 9),
        (cuts.Fineness(20, 20), True, 20, 26),
    ],
)
def test_how_many_ways(fineness: cuts.Fineness | None, costly_pieces: bool, least: int, most: int) -> None:
    """Those of other pieces, five of other frames, and the usual one."""
    _, streams = play(pass_through, "recut", fineness, costly_pieces=costly_pieces)
    assert least <= len(streams) <= most
    _, streams = play(pass_through, "cut", fineness, costly_pieces=costly_pieces)
    ends = (fineness or (cuts.SPARSE if costly_pieces else cuts.USUAL)).ends
    assert len(streams) <= 2 * ends + max(ends, 3)


def test_where_it_cuts() -> None:
    case = CORPUS.cases[OTHER]
    assert variants(CORPUS, case, "anthropic", "gemini") == ("",)
    assert variants(CORPUS, case, "anthropic", "gemini", cut_everywhere=True) == ("", "recut", "cut")
    few, many = (
        {
            (item.case.id, item.variant)
            for item in plan_items(CORPUS, cut_everywhere=everywhere)
            if item.check == "stream"
        }
        for everywhere in (False, True)
    )
    assert few < many
    assert (OTHER, "cut") in many - few
    # A dialect has no stream, wherever it is cut.
    assert {case for case, _ in many} == {case for case, _ in few}
    assert replace(cuts.ALL, everywhere=False) == cuts.Fineness(8192, 8192, 8192)
