"""A few cases of the real corpus, so that commands on whole runs are cheap."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolcall_conformance import library

CASES = ("shell/seed", "errors/upstream-rate-limit", "policy/filtered")


@pytest.fixture(scope="session")
def few_cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with all that the real one has, but for most of its cases."""
    whole, few = library.default_root(), tmp_path_factory.mktemp("few") / "corpus"
    few.mkdir()
    for path in whole.iterdir():
        if path.name not in ("scenarios", "verdicts"):
            (few / path.name).symlink_to(path)
    for case in CASES:
        there = few / "scenarios" / case
        there.parent.mkdir(parents=True, exist_ok=True)
        there.symlink_to(whole / "scenarios" / case)
    return few


@pytest.fixture
def small_corpus(few_cases: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands and runs of this process take these few cases for the corpus."""
    monkeypatch.setattr(library, "default_root", lambda: few_cases)
    return few_cases
