"""A file or folder of the user's that is called ``toolcall``: neither gets in the way of the other."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def folder(project: Any) -> Any:
    (project.path / "toolcall").mkdir()
    (project.path / "toolcall" / "test_theirs.py").write_text("def test_theirs(): pass", encoding="utf-8")
    return project


def test_the_folder_alone_runs_their_tests(folder: Any) -> None:
    folder.run("toolcall").assert_outcomes(passed=1)
    folder.run("toolcall/test_theirs.py::test_theirs").assert_outcomes(passed=1)


def test_colons_run_ours(folder: Any) -> None:
    folder.run("toolcall::box/one").assert_outcomes(passed=8)
    folder.run("toolcall::").assert_outcomes(passed=24)


def test_both_can_be_requested(folder: Any) -> None:
    folder.run("toolcall", "toolcall::box/one").assert_outcomes(passed=9)


def test_last_failed_knows_ours_from_theirs(folder: Any) -> None:
    spec = folder.write_translator("    def request(self, body):\n        raise KeyError('x')")
    (folder.path / "toolcall" / "test_theirs.py").write_text(
        "def test_theirs(): assert 0\ndef test_fine(): pass", encoding="utf-8"
    )
    folder.run("toolcall", "toolcall::box/one", spec=spec).assert_outcomes(failed=5, passed=1, skipped=4)
    folder.run("--lf", "toolcall", "toolcall::box/one", spec=spec).assert_outcomes(failed=5, deselected=4)


def test_a_file_without_suffix(project: Any) -> None:
    (project.path / "toolcall").write_text("notes", encoding="utf-8")
    project.run("toolcall::box/one").assert_outcomes(passed=8)


def test_without_such_a_folder_the_bare_word_is_explained(project: Any) -> None:
    result = project.run("toolcall")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*to run the suite write `toolcall::`*"])
