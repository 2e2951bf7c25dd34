"""How much a run prints of what a translator says: a bounded part, and where the rest is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from miniature import write_case
from toolcall_conformance.engine.output import sanitizer as crossing
from toolcall_conformance.engine.output.failure_texts import CrashLine, FailureText
from toolcall_conformance.reports.text.failure import Line

LOUD = """
import logging
import sys

import good

LONG = "long " * 2_000_000


class Session(good.Session):
    def request(self, body):
        text = body["text"]
        if "error" in text:
            raise ValueError(LONG)
        if "keys" in text:
            return {"format": "beta", "text": LONG, LONG: LONG}
        logging.getLogger("loud").error(f"{text} " + "log " * 2_000)
        print("banner " * 1_000)
        print(f"{text} out " * 1_000, file=sys.stderr)
        raise ValueError(f"{text} failed")


class T(good.T):
    def open(self, route):
        return Session(route)
"""


@pytest.fixture
def noisy_run(project: Any) -> Any:
    for number in range(60):
        write_case(project.corpus, f"loud/x{number}")
    write_case(project.corpus, "loud/error")
    write_case(project.corpus, "loud/keys")
    project.write_module("loud", LOUD)
    return project


def test_what_is_printed_of_an_item_and_of_all_is_bounded(noisy_run: Any) -> None:
    result = noisy_run.run(
        "toolcall::loud::request::alpha-to-beta", "-v", "-rA", "--toolcall-artifacts=bodies", spec="loud:T"
    )
    text = result.stdout.str()
    texts = text.partition("= FAILURES =")[2].partition("= toolcall conformance =")[0]
    count = sum(texts.count(word) for word in ("log ", "banner ", " out "))
    assert 0 < count * 4 < 2 * crossing.MAX_CAPTURED_OF_ALL
    assert texts.count("(the same as of toolcall::loud/x0::request::alpha-to-beta)") == 59
    assert "characters: left out; the files of a failing item have them" in texts
    assert "x59 request 1 failed" in texts, "the reason stands there all the same"
    for part in texts.split("\n____"):
        assert len(part) < crossing.MAX_TEXT + crossing.MAX_CAPTURED + 3_000
    assert len(text) < crossing.MAX_CAPTURED_OF_ALL + 62 * 4_000
    whole = (Path(noisy_run.path) / "bodies/loud/x59/request/alpha-to-beta/captured-stdout-call.txt").read_text()
    assert whole == "banner " * 1_000 + "\n"
    traceback = Path(noisy_run.path) / "bodies/loud/error/request/alpha-to-beta/traceback.txt"
    assert len(traceback.read_text()) > crossing.MAX_TRACEBACK


def test_an_item_with_more_findings_than_somebody_reads(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolcall_conformance.engine.output.failure_texts.MAX_TEXT", 300)
    spec = project.write_translator(
        "    def request(self, body):\n        return {'format': 'beta', 'text': '', 'extra': 1}"
    )
    item = "toolcall::box/one::request::alpha-to-beta"
    text = project.run(item, "--toolcall-artifacts=bodies", spec=spec).stdout.str()
    assert "lines are left out; findings.txt among the item's files has all" in text
    assert "again pytest" in text
    whole = (project.path / "bodies/box/one/request/alpha-to-beta/findings.txt").read_text(encoding="utf-8")
    assert "got   " in whole
    assert "got   " not in text.partition("= toolcall conformance =")[0]


def test_a_long_text_is_cut_once_and_between_lines() -> None:
    lines = [Line(f"{number}: {'x' * 90}", "MUST") for number in range(1_000)]
    text = FailureText.of(lines, CrashLine("here", 1, "rule"))
    assert crossing.sanitize(str(text)) == str(text)
    assert (text.lines[0], text.lines[-1], text.all_lines) == (lines[0], lines[-1], lines)
    assert len(str(text)) > crossing.MAX_TEXT * 0.9
