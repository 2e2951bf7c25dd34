"""Shows how far a run is, in place of pytest's dot for each item.

A terminal has one line that is rewritten, other outputs a line for each family. pytest's own progress stays if the user
asked for more or for something else (``-v``, ``-s``, live logs), if another plugin has replaced its reporter, and for
the user's own tests.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.engine.items.selection import PREFIX
from toolcall_conformance.engine.output.printing import overwrite_line, print_line

if TYPE_CHECKING:
    from collections.abc import Collection

# The line is rewritten so often a second, and after so many seconds it estimates the time that is left.
_UPDATES_PER_SECOND = 8
_FIRST_ESTIMATE_SECONDS = 2.0
# Variables of CI systems, whose logs cannot show a line that is rewritten.
_CI_VARIABLES = ("CI", "BUILD_NUMBER")
_MINUTE, _HOUR = 60, 3600


@dataclass
class _Family:
    """Counts of the items of a family: to run, run, failed, failed as known; and their seconds."""

    items: int
    done: int = 0
    failed: int = 0
    known: int = 0
    seconds: float = 0.0

    def summary_line(self, name: str, width: int) -> str:
        """``shell      180 items, 12 failed, 4.1 s``."""
        count = f"{self.items:>6,}" if self.done == self.items else f"{self.done:,} of {self.items:,}"
        failed = f", {self.failed:,} failed" if self.failed else ""
        known_count = f", {self.known:,} known" if self.known else ""
        return (
            f"{name:<{width}} {count} item{'' if self.items == 1 else 's'}{failed}{known_count}, {self.seconds:.1f} s"
        )


@dataclass(eq=False)
class Progress:
    """Active in the process that the user started. ``expected_ids`` returns the ids of our items that are to run."""

    config: pytest.Config
    expected_ids: Callable[[], Collection[str]]
    _session: pytest.Session | None = None
    _families: dict[str, _Family] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)
    _is_our_report: bool = False  # a report of ours is with pytest's reporter
    _case: str = ""
    _start: float = 0.0
    _written: float = 0.0
    _reporter: Any = None
    _rewrites: bool = False
    _shows_paths: bool | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if not self._is_shown():
            return
        ours = nodeid.startswith(f"{PREFIX}::")
        if self._shows_paths is None:
            self._shows_paths = self._reporter.showfspath
        # Else pytest writes the name of a file that does not exist, and dots after it.
        self._reporter.showfspath = self._shows_paths and not ours
        if ours:
            self._case = nodeid.split("::")[1]
            self._reporter.currentfspath = None
            self._update_line()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        self._is_our_report = report.nodeid.startswith(f"{PREFIX}::") and self._is_shown()
        try:
            yield
        finally:
            counts, self._is_our_report = self._is_our_report, False
        if counts:
            self._count_report(report)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Any, Any]:
        """Hide the letter of an item from pytest's reporter; other callers get the whole status."""
        status = yield
        if not self._is_our_report or status is None:
            return status
        # Without the word, too, pytest neither counts the item nor writes a percentage.
        return status[0], "", "" if self._has_only_our_items else status[2]

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        try:
            return (yield)
        finally:
            self._finish_display()

    def _is_shown(self) -> bool:
        """Whether progress is shown; decided at the first item, when other plugins have replaced what they replace."""
        if self._start:
            return self._reporter is not None
        self._start = time.monotonic()
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        # A subclass is another plugin's, with an output of its own.
        if type(reporter) is not pytest.TerminalReporter or not _wants_progress(self.config) or not self.expected_ids():
            return False
        self._reporter = reporter
        for nodeid in self.expected_ids():
            family = nodeid.split("::")[1].partition("/")[0]
            self._families.setdefault(family, _Family(0)).items += 1
        here = (
            bool(reporter.isatty) and os.environ.get("TERM") != "dumb" and not any(map(os.environ.get, _CI_VARIABLES))
        )
        self._rewrites = here and self._has_only_our_items
        self._end_dots()
        return True

    @property
    def _has_only_our_items(self) -> bool:
        """Whether the run has no tests of the user's own."""
        assert self._session is not None
        return self._session.testscollected == len(self.expected_ids())

    def _count_report(self, report: pytest.TestReport) -> None:
        """Count a report of one of our items, once for each item."""
        ran = report.when == "call" or (report.when != "teardown" and not report.passed)
        if report.nodeid in self._done or not ran or str(report.outcome) == "rerun":
            return
        self._done.add(report.nodeid)
        name = report.nodeid.split("::")[1].partition("/")[0]
        family = self._families.setdefault(name, _Family(0))
        family.done += 1
        family.items = max(family.items, family.done)
        family.failed += report.failed
        family.known += report.skipped and hasattr(report, "wasxfail")
        family.seconds += report.duration
        if self._rewrites:
            self._update_line()
        elif family.done == family.items:
            self._print_family(name)

    def _print_family(self, name: str) -> None:
        self._end_dots()
        family = self._families[name]
        print_line(
            self._reporter, family.summary_line(name, max(map(len, self._families))), "bad" if family.failed else ""
        )

    def _end_dots(self) -> None:
        """End a line of dots, if the last line is one."""
        if self.config.get_terminal_writer().width_of_current_line:
            print_line(self._reporter, "")

    def _update_line(self) -> None:
        now = time.monotonic()
        if self._rewrites and now - self._written >= 1 / _UPDATES_PER_SECOND:
            self._written = now
            overwrite_line(self._reporter, self._status_line(now - self._start))

    def _status_line(self, seconds: float) -> str:
        """``1,234 of 32,916 items, 12 failed, 4 min left, shell/seed``."""
        total = Counter[str]()
        for family in self._families.values():
            total.update(items=family.items, failed=family.failed, known=family.known)
        done, items = len(self._done), total["items"]
        parts = [f"{done:,} of {pluralize(items, 'item')}"]
        parts += [f"{total[name]:,} {name}" for name in ("failed", "known") if total[name]]
        if done and seconds >= _FIRST_ESTIMATE_SECONDS:
            parts.append(f"{_duration_text(seconds * (items - done) / done)} left")
        return ", ".join([*parts, self._case])

    def _finish_display(self) -> None:
        """Remove the line; where families have lines, print one for each family that did not run to its end."""
        if self._reporter is None:
            return
        if self._shows_paths is not None:
            self._reporter.showfspath = self._shows_paths
        if self._rewrites:
            overwrite_line(self._reporter, "")
            return
        for name, family in self._families.items():
            if 0 < family.done < family.items:
                self._print_family(name)


def _wants_progress(config: pytest.Config) -> bool:
    """Whether no option asks for more than this, or prints between the items."""
    if config.get_verbosity(pytest.Config.VERBOSITY_TEST_CASES) > 0 or config.getoption("capture", "no") == "no":
        return False
    logs = config.getoption("log_cli_level", None) is not None or bool(config.getini("log_cli"))
    return not (logs or config.getoption("setupshow", False))


def _duration_text(seconds: float) -> str:
    if seconds >= _HOUR:
        return f"{seconds / _HOUR:.1f} h"
    return f"{round(seconds / _MINUTE)} min" if seconds >= 1.5 * _MINUTE else f"{round(seconds)} s"
