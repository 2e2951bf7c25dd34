"""The fuzzer itself, and a sample of what it plays; ``python -m hostility`` plays thousands."""

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
)
"""One at each kind of place where code guards; the others are drawn."""


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder of the tests: the fuzzer must be alone in its process."""
    return subprocess.run([sys.executable, *arguments], cwd=TESTS, capture_output=True, text=True, check=False)


def test_these_end_as_they_should() -> None:
    given = [word for one in SURE for word in ("--only", one)]
    found = ran("-m", "hostility", *given)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.count("as it should be") == len(SURE)


def test_a_sample_ends_as_it_should() -> None:
    kinds = ("judged body", "command line", "settings", "policy", "report", "cassette", "corpus")
    found = ran("-m", "hostility", "--count", "20", "--seed", "11", *(w for kind in kinds for w in ("--kind", kind)))
    assert found.returncode == 0, found.stdout + found.stderr
    assert "| all | 20 | 20 |" in found.stdout


TROUBLES = """
import os, subprocess, sys, time
from pathlib import Path

from hostility.apart import apart
from toolcall_conformance import load_corpus

def orphan():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    return 0

for play, seconds in (
    (lambda: 0, 5),
    (lambda: load_corpus("x"), 5),
    (lambda: time.sleep(60), 0.2),
    (lambda: os.kill(os.getpid(), 11), 5),
    (lambda: print("INTERNALERROR>") or 3, 5),
    (orphan, 5),
):
    print(apart(play, seconds, Path()).trouble())
"""


def test_trouble_is_seen() -> None:
    said = ran("-c", textwrap.dedent(TROUBLES)).stdout.splitlines()
    assert said[:5] == ["None", "a bare traceback", "over the limit", "ended by signal 11", "pytest's INTERNALERROR"]
    assert said[5].startswith("left running: ")
