"""The fuzzer itself, and a sample of what it plays; ``python tests hostility`` plays thousands."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux alone")

TESTS = Path(__file__).parents[1]
SURE = (
    "translator/constructor-raises=exit@1",
    "translator/stream-raises=weird@1",
    "translator/error-returns=pair-odd@1",
    "translator/exchange-returns=itself@1",
    "translator/name-is=object.__getattribute__.raises@1",
    "translator in pytest/response-returns=dict.__len__.raises-weird@1",
    "child/request=grandchild-apart@1",
    "gateway/ready=redirects-away@1",
    "provider/stream-gemini=deep@1",
    "cassette/file=file-laughs@1",
    "judged cassette/file=half@2",
    "isolated translator/request-ends=fork@1",
    "test class/cases=text@1",
    "known failures/lines=stars@2",
    "filters/file=expression-deep@1",
    "ended run/alone-open=exit-0@1",
    "changed file/known=files@1",
    "output/judged=unread@1",
    "provider that says the key/stream=CR / Chat's text / of five / plain@1",
    "gateway's provider/stream-gemini=event-endless@1",
    "gateway's client/anthropic=head:half-a-head@1",
)
"""One at each kind of place where code guards; the others are drawn."""


KINDS = (
    "judged body",
    "command line",
    "settings",
    "policy",
    "report",
    "cassette",
    "corpus",
    "known failures",
    "filters",
)
SAMPLE = ["--count", "20", "--seed", "11", *(word for kind in KINDS for word in ("--kind", kind))]
TROUBLES = """
import os, subprocess, sys, time
from pathlib import Path

from hostility.forked_play import run_forked
from toolcall_conformance import load_corpus

def orphan():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    return 0

for play, seconds in (
    (lambda: 0, 5),
    (lambda: load_corpus("x"), 5),
    (lambda: print("/x/toolcall_conformance/suite.py:7: in items") or 1, 5),
    (lambda: time.sleep(60), 0.2),
    (lambda: os.kill(os.getpid(), 11), 5),
    (lambda: print("INTERNALERROR>") or 3, 5),
    (orphan, 5),
):
    print("trouble:", run_forked(play, seconds, Path()).trouble())
"""
PLAYED = """
from hostility.__main__ import main

main({sure!r})
main({sample!r})
"""


@pytest.fixture(scope="module")
def sample_output() -> str:
    """What the fuzzer prints of all; it must be alone in its process, and what it reads first it reads but once."""
    played = PLAYED.format(sure=[word for name in SURE for word in ("--only", name)], sample=SAMPLE)
    command = [sys.executable, "-c", textwrap.dedent(TROUBLES) + played]
    process = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=True)
    return process.stdout


def test_these_end_as_they_should(sample_output: str) -> None:
    assert sample_output.count("as it should be") == len(SURE), sample_output


def test_a_sample_ends_as_it_should(sample_output: str) -> None:
    assert "| all | 20 | 20 |" in sample_output, sample_output


def test_trouble_is_seen(sample_output: str) -> None:
    troubles = [line.removeprefix("trouble: ") for line in sample_output.splitlines() if line.startswith("trouble: ")]
    assert troubles[:3] == ["None", "a bare traceback", "a bare traceback"]
    assert troubles[3:6] == ["over the limit", "ended by signal 11", "pytest's INTERNALERROR"]
    assert troubles[6].startswith("left running: ")
