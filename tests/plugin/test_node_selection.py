"""Which items run: node ids, prefixes, several arguments, -k and -m, and ids that name nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.any_python


def ids(result: pytest.RunResult) -> list[str]:
    """The node ids that a --collect-only -q run printed."""
    return [line for line in result.outlines if line.startswith("toolcall::")]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["toolcall::"], 24),
        (["toolcall::box"], 16),
        (["toolcall::box/one"], 8),
        (["toolcall::box/one::"], 8),
        (["toolcall::box/one::request"], 4),
        (["toolcall::box::request"], 8),
        (["toolcall::box/one::request::alpha-to-beta"], 1),
        (["toolcall::box/one::request", "toolcall::crate"], 12),
        (["toolcall::box", "toolcall::box/one"], 16),
        (["toolcall::", "-k", "alpha-to-beta"], 6),
        (["toolcall::", "-k", "crate/deep and response"], 4),
        (["toolcall::", "-k", "nested"], 0),
        (["toolcall::", "-k", "plain"], 24),
        (["toolcall::", "-m", "toolcall(upstream='beta', check='request')"], 6),
        (["toolcall::", "-m", "toolcall(family='crate')"], 8),
        (["toolcall::", "-m", "not toolcall"], 0),
        (["toolcall::box/one", "--deselect", "toolcall::box/one::request"], 4),
    ],
)
def test_selects(project: Any, arguments: list[str], count: int) -> None:
    assert len(ids(project.run("--collect-only", "-q", *arguments))) == count


def test_ids_are_sorted_and_say_case_check_and_route(project: Any) -> None:
    nodeids = ids(project.run("--collect-only", "-q", "toolcall::box/two"))
    assert nodeids == [
        f"toolcall::box/two::{check}::{client}-to-{upstream}"
        for check in ("request", "response")
        for client in ("alpha", "beta")
        for upstream in ("alpha", "beta")
    ]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("toolcall::box/oen", "there is no case or family 'box/oen'; did you mean box/one"),
        ("toolcall::crates", "there is no case or family 'crates'; did you mean crate"),
        ("toolcall::box/one::requests", "there is no check 'requests'; did you mean request"),
        ("toolcall::box/one::request::alpha-beta", "there is no route 'alpha-beta'; did you mean alpha-to-beta"),
        ("toolcall::box/one::request::alpha-to-gamma", "there is no route 'alpha-to-gamma'; did you mean alpha-to-"),
        ("toolcall::box/one::request::alpha-to-beta::x", "an id has three parts"),
    ],
)
def test_an_unknown_id_is_a_usage_error(project: Any, wrong: str, sentence: str) -> None:
    result = project.run(wrong)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {wrong}: {sentence}*"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_an_unknown_id_is_a_usage_error_with_workers_too(project: Any) -> None:
    result = project.run_in_subprocess("toolcall::box/oen", "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *did you mean box/one*"])


def test_a_route_that_a_case_is_not_rendered_in(project: Any, add_case: Callable[..., Path]) -> None:
    folder = add_case("box/half")
    for file in (folder / "beta").iterdir():
        file.unlink()
    (folder / "beta").rmdir()
    result = project.run("toolcall::box/half::request::alpha-to-beta")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the case has no bodies of beta; there are those of alpha"])
    assert len(ids(project.run("--collect-only", "-q", "toolcall::box/half"))) == 2


def test_own_tests_run_next_to_ours_when_both_are_requested(project: Any) -> None:
    project.write_module("test_own", "def test_own(): pass")
    result = project.run("toolcall::box/one", "test_own.py")
    result.assert_outcomes(passed=9)


def test_nothing_of_ours_runs_unasked(project: Any) -> None:
    project.write_module("test_own", "def test_own(): pass")
    project.run().assert_outcomes(passed=1)
    (project.path / "pytest.ini").write_text("[pytest]\ntoolcall_translator = good:T\n", encoding="utf-8")
    result = project.run(spec=None)
    result.assert_outcomes(passed=1)
    project.run("test_own.py::test_own", spec=None).assert_outcomes(passed=1)


def test_the_ini_setting_names_the_translator(project: Any) -> None:
    (project.path / "pytest.ini").write_text("[pytest]\ntoolcall_translator = good:T\n", encoding="utf-8")
    project.run("toolcall::", spec=None).assert_outcomes(passed=24)


def test_a_translator_without_our_argument_is_pointed_out(project: Any) -> None:
    project.write_module("test_own", "def test_own(): pass")
    project.run("test_own.py").stdout.fnmatch_lines(["toolcall: *no argument starts with `toolcall::`*"])


def test_ids_as_pytest_prints_them_in_a_folder_below_the_root(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.path / "pytest.ini").write_text("[pytest]\npythonpath = .\n", encoding="utf-8")
    below = project.path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    result = project.run("../toolcall::box/one::request::alpha-to-beta", "-v")
    result.assert_outcomes(passed=1)
