"""Whether staged cases may come into the corpus: the corpus's own tests say so, run over the stage."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import forked_runs

TESTS = Path(__file__).resolve().parents[1]
#: Schemas, pairing, canonical text, growing histories; the rules of the formats, and read back against the scenario.
JUDGES = ("corpus/test_corpus.py", "corpus/test_goldens.py")

#: Lines that are told of a failure, and characters of a line.
SAID, WIDTH = 6, 300


def complete(stage: Path, corpus: Path, cases: Iterable[str]) -> None:
    """Make the stage a corpus of the changed cases: every file that did not change is copied."""
    for entry in corpus.iterdir():
        if entry.is_dir() and entry.name not in ("scenarios", "verdicts"):
            shutil.copytree(entry, stage / entry.name)
        elif entry.is_file():
            shutil.copy(entry, stage)
    for case in cases:
        for path in (corpus / "scenarios" / case).rglob("*"):
            target = stage / path.relative_to(corpus)
            if path.is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)


def objections(stage: Path, cases: Iterable[str]) -> list[str]:
    """What the corpus's tests have against the cases, line by line; empty if they may come in."""
    # Tests of the whole corpus (every family has its witnesses, ...) carry no case in their id and are left out.
    chosen = " or ".join(cases)
    arguments = [*(str(TESTS / name) for name in JUDGES), f"--corpus={stage}", "-k", chosen]
    quiet = ["-q", "--tb=short", "-rN", "--color=no", *without("cacheprovider", "hypothesispytest", "anyio", "xdist")]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    done = forked_runs.run([*arguments, *quiet], TESTS.parent, {**environment, "COLUMNS": "300"})
    if done.returncode == 0:
        return []
    lines = (done.stdout + done.stderr).splitlines()
    return list(_gist(lines)) or lines[-20:]


def without(*plugins: str) -> list[str]:
    """Arguments that keep plugins of pytest out: they are of no use to such a run, and slow to import."""
    return [word for plugin in plugins for word in ("-p", f"no:{plugin}")]


def _gist(lines: Iterable[str]) -> Iterator[str]:
    """Of pytest's account of failures, the tests' names and the first lines of what each says."""
    line_count = 0
    for line in lines:
        if line.startswith("____"):
            line_count = 0
            yield line.strip("_ ")
        elif line.startswith("E  ") and line_count < SAID:
            line_count += 1
            yield f"    {line[1:].strip()[:WIDTH]}"
