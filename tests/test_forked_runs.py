"""A forked run is what a run of its own would be: folder, environment, modules, words and end; none sees another."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import forked_runs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
RUN = """
import os, sys
from pathlib import Path
import beside

def test_one():
    told = [os.getcwd(), os.environ.get("GIVEN"), os.environ.get("HOME"), beside.WORD, "left" in sys.modules]
    sys.modules["left"] = beside
    os.environ["GIVEN"] = "left behind"
    print(told, file=sys.__stdout__, flush=True)
    {then}
"""
#: What a run of pytest in a run of pytest does.
WITHIN = "import forked_runs; assert forked_runs.run(['-q', 'test_within.py'], Path('within')).returncode == 1"


def run_generated_test(folder: Path, word: str, then: str) -> tuple[int, str]:
    (folder / "beside.py").write_text(f"WORD = {word!r}", encoding="utf-8")
    (folder / "test_told.py").write_text(RUN.format(then=then), encoding="utf-8")
    environment = {"GIVEN": word, "PYTHONPATH": str(forked_runs.TESTS), "PATH": os.environ["PATH"]}
    done = forked_runs.run([*QUIET, "-s"], folder, environment)
    return done.returncode, done.stdout + done.stderr


def test_runs_end_as_runs_of_their_own(tmp_path: Path) -> None:
    within = tmp_path / "two" / "within"
    within.mkdir(parents=True)
    (within / "test_within.py").write_text("def test_one(): assert False", encoding="utf-8")
    for name, then, code in (
        ("one", "assert False, 'no' + 'thing'", 1),
        ("two", WITHIN, 0),
        ("three", "os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("four", "import pytest; pytest.exit('enough', 7)", 7),
    ):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "pytest.ini").write_text("[pytest]\ntestpaths = test_told.py\n", encoding="utf-8")
        exit_code, output = run_generated_test(folder, name * 2, then)
        assert exit_code == code, output
        assert str([str(folder), name * 2, None, name * 2, False]) in output
        assert ("nothing" in output) == (name == "one")
