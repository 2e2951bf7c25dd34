"""The starters of ``new-adapter`` for tests: written, changed, built, and loaded as translators."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from languages import exec_spec
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.cli import main
from toolcall_conformance.drivers import Driver, Opened, SessionDriver, load_driver

LANGUAGES = ("python", "typescript", "go")
#: What a starter has between formats.
BETWEEN = {"request", "response", "error", "stream"}
#: What a double does not hold, at the ends of 64 bits and beyond; and what looks like it.
NUMBERS: dict[str, Any] = {
    "whole": [2**53, 2**53 + 1, -(2**53) - 1, 2**63, -(2**63), 2**64 - 1, 10**30],
    "others": [1.5, 0.1, 1e25, 0, -1, 12345678901234.5, 9007199254740991],
    "text 9007199254740993": 'a \\" 9007199254740993 "quoted" 9007199254740993',
}

Change = Callable[[str], str]
Prepare = Callable[..., str]


def _unchanged(text: str) -> str:
    return text


@pytest.fixture
def prepare(tmp_path: Path, request: pytest.FixtureRequest) -> Prepare:
    """Writes a starter into the test's folder and gives what names it as a translator, once a change was made to it."""

    def write(language: str, change: Change = _unchanged) -> str:
        assert main(["new-adapter", "--language", language, str(tmp_path)]) == 0
        (source,) = tmp_path.glob("adapter.*")
        before = source.read_text(encoding="utf-8")
        source.write_text(change(before), encoding="utf-8")
        assert change is _unchanged or source.read_text(encoding="utf-8") != before
        if language == "python":
            return exec_spec([sys.executable, str(source)])
        command = request.getfixturevalue(language)
        return exec_spec(command(tmp_path if language == "go" else source))

    return write


@contextmanager
def load_translator(spec: str, folder: Path) -> Iterator[Driver]:
    """The driver of a translator, closed at the end."""
    driver = load_driver(spec, directory=folder)
    try:
        yield driver
    finally:
        driver.close()


def open_session(driver: Driver) -> SessionDriver:
    """A session from a format to itself, which an untouched starter supports."""
    opened = driver.open(Route("a", "a", "m", "m"))
    assert isinstance(opened, Opened)
    return opened.session


def run_suite(pytester: pytest.Pytester, spec: str, *selection: str) -> pytest.RunResult:
    """Run items of the suite inside this process."""
    quiet = ("-q", "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:cacheprovider")
    return pytester.runpytest_inprocess(*quiet, "--toolcall-translator", spec, *selection)
