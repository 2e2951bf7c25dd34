"""The check ``stream`` through a child: the same findings as in this interpreter, and the faults of a child."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drivers import broken_streams
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks import stream
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.checks.streams import cuts as stream_cuts
from toolcall_conformance.drivers import Driver, Source, load_driver
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import probe, route_of
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus

pytestmark = pytest.mark.skipif(os.name != "posix", reason="exec: needs pipes that can be polled")

HERE = Path(__file__).parent
CORPUS = load_corpus()
CASE = CORPUS.cases["write_file/unicode-arguments"]
FINENESS = cuts.Fineness(cuts=7, ends=4, pieces=60)


def play(driver: Driver, variant: str, upstream: str, fineness: cuts.Fineness | None = FINENESS) -> ItemResult:
    route = route_of(CASE, "anthropic", upstream)
    driver.begin_item("box/two")  # where the children of these tests are faulty
    try:
        return stream.run(CASE, route, driver.open, make_harness(CORPUS, fineness), variant)
    finally:
        driver.end_item()


def child(*words: str, timeout: float = 10) -> Driver:
    return load_driver("exec:" + shlex.join([sys.executable, *words]), directory=HERE, timeout=timeout)


def assert_same_result(name: str, variant: str, upstream: str) -> ItemResult:
    here, there = PythonDriver(getattr(broken_streams, name)(), name), child("exec_python.py", f"broken_streams:{name}")
    try:
        expected = play(here, variant, upstream)
        result = play(there, variant, upstream)
        # The stack and the exception are of another process; findings, bodies and losses are not.
        assert replace(result, traceback="", exception=None) == replace(expected, traceback="", exception=None)
        return result
    finally:
        here.close()
        there.close()


@pytest.mark.parametrize(
    ("name", "variant", "upstream", "rule"),
    [
        ("Changed", "", "gemini", None),
        ("Changed", "recut", "openai_responses", None),
        ("Changed", "cut", "openai_chat", None),
        ("AtOnce", "", "openai_chat", "translation/stream-at-once"),
        ("AsText", "recut", "openai_chat", "translation/stream-cuts"),
        ("EndsWhatBrokeOff", "cut", "openai_chat", "translation/stream-cut-call"),
        ("SwallowsErrors", "cut", "openai_chat", "translation/stream-error-as-break"),
        ("Raises", "", "openai_responses", "translation/crashed"),
    ],
)
def test_the_same_findings_as_in_process(name: str, variant: str, upstream: str, rule: str | None) -> None:
    result = assert_same_result(name, variant, upstream)
    rules = {finding.rule for finding in result.findings}
    assert rule in rules if rule is not None else rules == set()


@pytest.mark.parametrize("variant", ["", "recut", "cut"])
@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("dies", "translation/crashed"),
        ("hangs", "translation/timed-out"),
        ("no-base64", "translation/protocol-error"),
        ("none", None),
    ],
)
def test_a_child_that_fails_in_the_middle(fault: str, rule: str | None, variant: str) -> None:
    """In every variant, a stream that was lost included: raising is a way to end one, a dead process is not."""
    driver = child("exec_stream_faulty.py", fault, timeout=0.4)
    try:
        result = play(driver, variant, "anthropic")
        if rule is None:
            assert (result.verdict, result.findings) == (Verdict.PASS, ())
        elif variant == "recut":
            # It fails however the stream is cut; the plain variant tells of it.
            assert result.verdict is Verdict.BLOCKED
        else:
            assert [finding.rule for finding in result.findings] == [rule]
            assert result.verdict is Verdict.FAIL
            assert ("last words" in result.traceback) == (fault in ("dies", "hangs"))
    finally:
        driver.close()


def test_about_a_dozen_streams_of_few_pieces_through_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    piece_counts: list[int] = []
    driver = child("exec_stream_faulty.py", "none")
    counted: Any = Source

    def source(pieces: Any, *rest: Any) -> Any:
        piece_counts.append(len(pieces))
        return counted(pieces, *rest)

    monkeypatch.setattr(stream_cuts, "Source", source)
    try:
        assert play(driver, "recut", "anthropic", None).verdict is Verdict.PASS
        assert len(piece_counts) in (13, 14)  # and once as usual
        assert max(piece_counts) == cuts.SPARSE.pieces
        piece_counts.clear()
        assert play(driver, "cut", "anthropic", None).verdict is Verdict.PASS
        assert 9 <= len(piece_counts) <= 13
    finally:
        driver.close()


COPIER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    told = {"body": message.get("body")} if message["op"] in ("request", "response") else {}
    if message["op"] == "hello":
        told = {"protocol": 1}
    elif message["op"] == "open":
        same = message["route"]["client"] == message["route"]["upstream"]
        told = {"operations": OPERATIONS} if same else {"unsupported": "another format"}
    elif message["op"].startswith("stream"):
        told = {"unsupported": "no streams"}
    print(json.dumps({"seq": message["seq"], **told}), flush=True)
"""


@pytest.mark.parametrize("operations", [["request", "response"], ["request", "response", "stream"]])
def test_without_streams_their_items_are_not_applicable(operations: list[str], tmp_path: Path) -> None:
    """Whether the child does not declare them, or says that they are not done when it is asked."""
    (tmp_path / "copier.py").write_text(COPIER.replace("OPERATIONS", str(operations)), encoding="utf-8")
    driver = load_driver(f"exec:{sys.executable} copier.py", directory=tmp_path)
    try:
        support = probe(driver, CORPUS)
    finally:
        driver.close()
    assert support.operations["gemini", "gemini"] == {"request", "response"}
    assert support.operations["gemini", "anthropic"] == set()
