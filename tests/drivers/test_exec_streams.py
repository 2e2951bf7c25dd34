"""Streams through a child: the same pieces at the same time as in this interpreter, and what a child does wrong."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from drivers import stream_generators
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Opened,
    ProtocolError,
    RefusedOutcome,
    Source,
    Streamed,
    StreamOutcome,
    TimedOut,
    UnsupportedOutcome,
    load_driver,
    protocol,
)
from toolcall_conformance.drivers.child.driver import ExecDriver
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.streams import OutputPiece

pytestmark = pytest.mark.skipif(os.name != "posix", reason="exec: needs pipes that can be polled")

HERE = Path(__file__).parent
PIECES = (b"a\xe2", b"\x80\xa8", b"c")


def stream(driver: Any, source: Source, name: str = "", case: str = "") -> StreamOutcome:
    driver.begin_item(case)
    opened = driver.open(Route("a", "a", name, "m", stream=True))
    assert isinstance(opened, Opened)
    outcome: StreamOutcome = opened.session.stream(source)
    driver.end_item()
    return outcome


@pytest.fixture(scope="module")
def driver() -> Iterator[ExecDriver]:
    driver = start_driver("exec_python.py", "stream_generators:Translator")
    yield driver
    driver.close()


def start_driver(*words: str, timeout: float = 5) -> ExecDriver:
    exec_driver = load_driver("exec:" + shlex.join([sys.executable, *words]), directory=HERE, timeout=timeout)
    assert isinstance(exec_driver, ExecDriver)
    return exec_driver


@pytest.mark.parametrize("end", ["plain", "lost"])
@pytest.mark.parametrize("name", stream_generators.METHODS)
def test_the_same_as_in_this_interpreter(name: str, end: Literal["plain", "lost"], driver: ExecDriver) -> None:
    for pieces in (PIECES, PIECES[:1], ()):
        here = stream(PythonDriver(stream_generators.Translator(), "t"), Source(pieces, end), name)
        there = stream(driver, Source(pieces, end), name)
        assert _comparable(there) == _comparable(here)


def _comparable(outcome: StreamOutcome) -> Any:
    """What must be equal in both processes: not the stack, nor the losses of a stream that broke off."""
    if not isinstance(outcome, Streamed) or outcome.raised is None:
        return outcome
    raised = outcome.raised.sentence if isinstance(outcome.raised, Crashed) else outcome.raised
    return outcome.pieces, raised


def test_the_time_of_each_piece(driver: ExecDriver) -> None:
    late = stream(driver, Source(PIECES), "one_behind")
    assert when(late) == [(b"a", 2), (b"\xe2", 2), (b"\x80", 3), (b"\xa8", 3), (b"c", 3)]
    assert isinstance(late, Streamed)
    assert (late.pieces[0].is_after_end, late.pieces[-1].is_after_end, late.losses) == (False, True, ("reasoning",))
    assert when(stream(driver, Source(PIECES), "before_anything"))[0] == (b"<", 0)


def when(outcome: StreamOutcome) -> list[tuple[bytes, int]]:
    assert isinstance(outcome, Streamed)
    assert outcome.raised is None
    return [(piece.data, piece.source_count) for piece in outcome.pieces]


# What the starter's own `stream` is replaced by; the same methods as above, but for those that are async.
@pytest.mark.parametrize("name", [name for name in stream_generators.METHODS if "upper_" not in name])
def test_the_starter_in_python_with_other_generators(name: str, tmp_path: Path) -> None:
    text = (protocol.STARTERS / "python" / "adapter.py").read_text(encoding="utf-8")
    assert text.count("yield from chunks") == 1
    text = text.replace("yield from chunks", f"return stream_generators.{name}(chunks)")
    text = text.replace("import json\n", "import json\nimport stream_generators\n", 1)
    text = text.replace("class Refused(Exception)", "class Refused(stream_generators.Refused)")
    text = text.replace("class Unsupported(Exception)", "class Unsupported(stream_generators.Unsupported)")
    text = text.replace("isinstance(error, Refused)", "isinstance(error, stream_generators.Refused)")
    text = text.replace("isinstance(error, Unsupported)", "isinstance(error, stream_generators.Unsupported)")
    (tmp_path / "stream_generators.py").write_bytes((HERE / "stream_generators.py").read_bytes())
    (tmp_path / "adapter.py").write_text(text, encoding="utf-8")
    driver = load_driver(f"exec:{sys.executable} adapter.py", directory=tmp_path, timeout=5)
    try:
        for end in ("plain", "lost"):
            source = Source(PIECES, "plain" if end == "plain" else "lost")
            here = stream(PythonDriver(stream_generators.Translator(), "t"), source, name)
            there = stream(driver, source)
            here = replace(here, losses=()) if isinstance(here, Streamed) else here
            report = str(_comparable(there)).replace("raised ConnectionError:", "raised SourceLost:")
            assert report == str(_comparable(here))
    finally:
        driver.close()


FAULTS: list[tuple[str, type, str]] = [
    ("dies", Crashed, "died with exit code 3"),
    ("garbage", ProtocolError, "the line {garbage} is not JSON"),
    ("wrong-seq", ProtocolError, "answer each question once, in order, with its own seq"),
    ("endless-line", ProtocolError, "it wrote a line of more than 16,777,216 bytes"),
    ("no-base64", ProtocolError, "piece 1 of `chunks`, 'a line\\n', is not base64; use the standard alphabet"),
    ("bytes-as-text", ProtocolError, "piece 0 of `chunks`, 'data: ä', is not base64"),
    ("one-chunk", ProtocolError, "`chunks` is 'QUFB'; make it a list of pieces in base64"),
    ("number", ProtocolError, "piece 0 of `chunks` is 1; make it the bytes in base64"),
    ("no-chunks", ProtocolError, "the answer has no 'chunks', which an answer to stream-chunk needs"),
    ("body", ProtocolError, "the answer has the key 'body', which has no place there"),
    ("losses", ProtocolError, "the answer has the key 'losses', which has no place there"),
    ("two-results", ProtocolError, "the answer has refused and failed at once; give only one"),
    ("too-much", BadOutput, "stream yielded more than 16777216 bytes"),
]


@pytest.mark.parametrize(("fault", "kind", "sentence"), FAULTS)
def test_a_fault_in_the_middle_of_a_stream(fault: str, kind: type, sentence: str) -> None:
    driver = start_driver("exec_stream_faulty.py", fault)
    try:
        source = Source((b"a",) * 4)
        outcome = stream(driver, source, case="box/two")
        assert type(outcome) is kind
        assert sentence in outcome.sentence  # type: ignore[union-attr]
        if isinstance(outcome, Crashed):
            assert outcome.died
            assert "these are my last words" in outcome.traceback
        assert driver._child.why_ended is not None
        # A child that was started again plays the next one.
        again = stream(driver, source, case="box/one")
        assert when(again) == [(b"a", 1), (b"a", 2), (b"a", 3), (b"a", 4)]
    finally:
        driver.close()


def test_a_child_that_hangs_in_the_middle_of_a_stream() -> None:
    driver = start_driver("exec_stream_faulty.py", "hangs", timeout=0.4)
    try:
        outcome = stream(driver, Source((b"a",) * 4), case="box/two")
        assert outcome == TimedOut(0.4, "The last that the process printed:\nthese are my last words")
        assert isinstance(stream(driver, Source((b"a",)), case="box/one"), Streamed)
    finally:
        driver.close()


def test_what_a_child_says_in_the_middle_instead() -> None:
    before, half = OutputPiece(b"a", 1, False), OutputPiece(b"AAA", 2, False)
    expected = {
        "refuses": Streamed((before, half), RefusedOutcome("not this one")),
        "raises": Streamed((before,), Crashed(Exception(), "at mine.js:7:1")),
        "unsupported": Streamed((before,), Crashed(Exception(), "")),
    }
    for fault, outcome in expected.items():
        driver = start_driver("exec_stream_faulty.py", fault)
        try:
            assert stream(driver, Source((b"a",) * 4), case="box/two") == outcome
            # It is no fault of the child's process: the same one goes on.
            assert driver.open(Route("a", "b", "", "")) == UnsupportedOutcome("another format")
            assert driver._opened == 2
        finally:
            driver.close()


SLOW = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    told = {"hello": {"protocol": 1}, "open": {"operations": ["stream"]}, "close": {}}
    if message["op"] == "stream-chunk":
        time.sleep(0.15)
    print(json.dumps({"seq": message["seq"], **told.get(message["op"], {"chunks": []})}), flush=True)
"""


@pytest.mark.timing
def test_a_stream_has_the_time_of_one_call(tmp_path: Path) -> None:
    """Else one that says each word late would hold the run up for as long as it has words."""
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    driver = load_driver(f"exec:{sys.executable} slow.py", directory=tmp_path, timeout=0.5)
    try:
        start = time.monotonic()
        outcome = stream(driver, Source((b"a",) * 100))
        assert outcome == TimedOut(0.5)
        assert time.monotonic() - start < 3
    finally:
        driver.close()


def test_a_session_without_streams(tmp_path: Path) -> None:
    (tmp_path / "none.py").write_text(SLOW.replace('["stream"]', '["request"]'), encoding="utf-8")
    driver = load_driver(f"exec:{sys.executable} none.py", directory=tmp_path)
    try:
        assert stream(driver, Source((b"a",))) == UnsupportedOutcome("the session has no operation stream")
    finally:
        driver.close()
