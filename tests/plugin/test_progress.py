"""How far a run is: a line a family, in a terminal a line that is rewritten; all else is as pytest writes it."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from typing import Any

import pytest

from miniature import CONFTEST, write_case
from project import QUIET

LOSES = """
    def request(self, body):
        lost = self.route.upstream == "beta" and "two" in body["text"]
        return {"text": "lost"} if lost else super().request(body)
"""
LINES = [r"box   +16 items, 2 failed, \d+\.\d s", r"crate +8 items, \d+\.\d s"]
USERS = "import pytest\n@pytest.mark.parametrize('n', range(12))\ndef test_mine(n): pass\n"


def progress_lines(result: pytest.RunResult) -> list[str]:
    """The lines between the head of a run and its summary."""
    lines = result.outlines
    end = next(number for number, line in enumerate(lines) if re.search("== (toolcall conf|short test sum)", line))
    start = next((number for number, line in enumerate(lines) if re.match(r"collected|\d workers? \[", line)), -1)
    return [line for line in lines[start + 1 : end] if line and "bringing up nodes" not in line]


def matches(lines: list[str], patterns: list[str]) -> bool:
    return len(lines) == len(patterns) and all(map(re.fullmatch, patterns, lines))


@pytest.mark.parametrize("options", [(), ("-q",), ("-qq",), ("--tb=no", "-rA")], ids=" ".join)
def test_a_line_a_family(project: Any, options: tuple[str, ...]) -> None:
    result = project.run("toolcall::", *options, spec=project.write_translator(LOSES))
    if options == ("-qq",):
        assert any(re.fullmatch(LINES[0], line) for line in result.outlines)
        return
    assert matches(progress_lines(result), LINES), progress_lines(result)
    result.assert_outcomes(passed=22, failed=2)
    if "-rA" in options:
        # Who asks for the word of a report has it.
        result.stdout.re_match_lines([r"PASSED toolcall::box/one::", r"FAILED toolcall::box/two::"])


@pytest.mark.parametrize("workers", ["1", "2"])
def test_with_workers(project: Any, workers: str) -> None:
    pytest.importorskip("xdist")
    result = project.run("toolcall::", "-n", workers, spec=project.write_translator(LOSES))
    assert matches(sorted(progress_lines(result)), LINES), progress_lines(result)


def test_known_failures_are_none(project: Any) -> None:
    options = ("--toolcall-known-failures=known.toml", "--toolcall-known-failures-update")
    result = project.run("toolcall::box", *options, spec=project.write_translator(LOSES))
    assert matches(progress_lines(result), [LINES[0].replace("failed", "known")]), progress_lines(result)


def test_a_run_that_stops_says_how_far_it_came(project: Any) -> None:
    result = project.run("toolcall::", "-x", spec=project.write_translator(LOSES))
    assert matches(progress_lines(result), [r"box   \d+ of 16 items, 1 failed, \d+\.\d s", "!!!.*"][:1]), (
        progress_lines(result)
    )


@pytest.mark.parametrize("option", ["-v", "-s", "--log-cli-level=INFO", "--setup-show"])
def test_a_verbose_run_has_what_pytest_writes(project: Any, option: str) -> None:
    result = project.run("toolcall::", option, spec=project.write_translator(LOSES))
    assert not any(re.fullmatch(pattern, line) for line in result.outlines for pattern in LINES)
    if option == "-s":
        assert "toolcall .........F.F............" in result.outlines
    result.assert_outcomes(passed=22, failed=2)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_progress_next_to_a_users_own_tests(project: Any, workers: str) -> None:
    pytest.importorskip("xdist")
    project.pytester.makepyfile(test_mine=USERS)
    result = project.run("test_mine.py", "toolcall::", "-n", workers, spec=project.write_translator(LOSES))
    result.assert_outcomes(passed=34, failed=2)
    lines = progress_lines(result)
    assert sum(line.partition(" [")[0].count(".") for line in lines if not re.search(r"\d s$", line)) >= 12
    assert sum(any(re.fullmatch(pattern, line) for pattern in LINES) for line in lines) == 2
    assert lines[-1].strip() == "[100%]"  # of all, ours among them
    if workers == "0":
        assert lines[0].startswith("test_mine.py ............")


REPLACES = """
import pytest

class Mine(pytest.TerminalReporter):
    def pytest_runtest_logreport(self, report):
        super().pytest_runtest_logreport(report)
        if report.when == "call":
            letter = self.config.hook.pytest_report_teststatus(report=report, config=self.config)[1]
            self.write_line(f"mine {report.nodeid} {letter}")

@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    manager = config.pluginmanager
    manager.unregister(manager.get_plugin("terminalreporter"))
    manager.register(Mine(config), "terminalreporter")
"""


def test_a_replaced_reporter_is_left_alone(project: Any) -> None:
    (project.path / "conftest.py").write_text(CONFTEST + REPLACES, encoding="utf-8")
    result = project.run("toolcall::", spec=project.write_translator(LOSES))
    lines = [line for line in result.outlines if line.startswith("mine ")]
    assert len(lines) == 24
    assert sorted(line[-2:] for line in lines)[:2] == [" .", " ."]
    assert sum(line.endswith(" F") for line in lines) == 2
    assert not any(re.fullmatch(pattern, line) for line in result.outlines for pattern in LINES)


def test_no_reporter_at_all(project: Any) -> None:
    project.run("toolcall::", "-p", "no:terminal", "--toolcall-report=report.json")
    assert (project.path / "report.json").is_file()


# A user's own status: the letter goes with ours, the category stays.
STATUS = """
def pytest_report_teststatus(report):
    if report.when == "call" and report.passed:
        return "splendid", "S", "SPLENDID"
"""


def test_the_categories_of_other_plugins_stay(project: Any) -> None:
    (project.path / "conftest.py").write_text(CONFTEST + STATUS, encoding="utf-8")
    result = project.run("toolcall::", spec=project.write_translator(LOSES))
    assert matches(progress_lines(result), LINES), progress_lines(result)
    result.stdout.fnmatch_lines(["*2 failed*22 splendid*"])


def screen_output(project: Any, *arguments: str, session: str = LOSES, **environment: str) -> str:
    """All that a run writes to a terminal of 80 columns."""
    pty = pytest.importorskip("pty")
    (project.path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", *QUIET, "-p", "no:cacheprovider", "--tb=no", "--color=no"]
    words += ["--toolcall-translator", project.write_translator(session), *arguments]
    mine, theirs = pty.openpty()
    variables = {name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER")}
    run = subprocess.Popen(
        words,
        cwd=project.path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**variables, "TERM": "xterm", "COLUMNS": "80", **environment},
    )
    os.close(theirs)
    output, end = b"", time.monotonic() + 60
    while time.monotonic() < end and select.select([mine], [], [], 60)[0]:
        try:
            data = os.read(mine, 4096)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        output += data
    os.close(mine)
    run.wait(timeout=60)
    return output.decode().replace("\r\n", "\n")


SLOW = "    def response(self, body):\n        __import__('time').sleep(0.2)\n        return super().response(body)\n"


def test_in_a_terminal_one_line_is_rewritten(project: Any) -> None:
    write_case(project.corpus, f"box/long-{'name-' * 14}", 1)
    screen = screen_output(project, "toolcall::", session=LOSES + SLOW)
    progress = screen.partition("toolcall conformance ==")[0]
    lines = [line for part in progress.split("\n") for line in part.split("\r") if " of 32 items" in line]
    assert len(lines) > 4
    assert re.match(r"0 of 32 items, box/", lines[0])
    assert any(re.match(r"\d+ of 32 items, [12] failed, \d+ s left, (box|crate)/", line) for line in lines), lines
    assert all(len(line) < 80 for line in lines)
    assert any(line.rstrip().endswith("…") for line in lines)
    # It is gone at last, and the summary begins at the left.
    assert re.search(r"\r +\r\n?=+ *$", progress), progress[-200:]
    assert progress.count("\n") < 12
    assert "[100%]" not in progress


def test_in_a_terminal_known_failures_are_counted(project: Any) -> None:
    options = ("--toolcall-known-failures=known.toml", "--toolcall-known-failures-update")
    screen = screen_output(project, "toolcall::box", *options, session=LOSES + SLOW)
    assert re.search(r"\r\d+ of 16 items, [12] known, ", screen), screen


def test_on_a_screen_that_keeps_all_lines_it_is_a_line_a_family(project: Any) -> None:
    screen = screen_output(project, "toolcall::", CI="true")
    assert all(re.search(f"^{pattern}$", screen, re.MULTILINE) for pattern in LINES), screen


def test_progress_in_a_terminal_next_to_a_users_own_tests(project: Any) -> None:
    project.pytester.makepyfile(test_mine=USERS)
    screen = screen_output(project, "test_mine.py", "toolcall::")
    assert re.search(r"^test_mine\.py \.{12}", screen, re.MULTILINE)
    assert all(re.search(f"^{pattern}$", screen, re.MULTILINE) for pattern in LINES), screen
