"""What a translator said, on its way to another process, a terminal or a file: visible, and of bounded length."""

from __future__ import annotations

import contextlib
import linecache
import warnings
from collections.abc import Generator
from pathlib import Path

import pytest

from toolcall_conformance.basics.visible_text import shorten, strip_colours, visible, visible_lines
from toolcall_conformance.drivers.python.foreign import attribute, text_of, type_name

# How many characters a terminal shows: of an item's own text, of its traceback, and of all that was captured of it.
# That is what somebody reads of one item; its files have the rest.
MAX_TEXT, MAX_TRACEBACK, MAX_CAPTURED = 20_000, 10_000, 10_000
# Of all items together this much of what was captured: a library that logs a page for each item fills no CI log.
MAX_CAPTURED_OF_ALL = 200_000
_MAX_FILE = 1_000_000


def sanitize_report(report: pytest.TestReport, files: str | None = None) -> None:
    """Make the texts of a report fit to be sent and shown. They were written by the translator, or quote it.

    ``files`` is the folder that has them whole.
    """
    report.sections = _sanitize_sections(report.sections, files)
    longrepr = report.longrepr
    if isinstance(longrepr, tuple):
        path, line, reason = longrepr
        report.longrepr = visible(path), line, visible(shorten(reason))
    elif longrepr is not None and sanitize(text := str(longrepr)) != text:
        report.longrepr = sanitize(text)
    if hasattr(report, "wasxfail"):
        report.wasxfail = visible(shorten(str(report.wasxfail)))


class SuiteOutputSanitizer:
    """Makes what is captured while a test of a ``ConformanceSuite`` runs fit to be shown."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if "toolcall_item" in getattr(item, "fixturenames", ()):
            report.sections = _sanitize_sections(report.sections, None)
        return report


def _sanitize_sections(sections: list[tuple[str, str]], files: str | None) -> list[tuple[str, str]]:
    """The captured texts, as much as is shown of one item."""
    room, excerpts = MAX_CAPTURED, []
    for name, text in sections:
        cut = sanitize(strip_colours(text), room)
        if len(text) > room:
            cut += f"\n({files} has it whole)" if files else "\n(a failing item's files have it whole)"
        excerpts.append((visible(name), cut))
        room = max(room - len(text), 0)
    return excerpts


def sanitize(text: str, limit: int = MAX_TEXT) -> str:
    """A text of several lines as a terminal shows it."""
    return visible_lines(shorten(text, limit))


def write_captured(folder: Path, report: pytest.TestReport) -> None:
    """Write what was captured of a failing item beside its bodies: readers show these files on terminals, too."""
    for name, text in report.sections:
        if text:
            _write_text(folder / f"{name.lower().replace(' ', '-')}.txt", text)


def write_findings(folder: Path, text: str) -> None:
    """Write an item's own text, where it is too long to be shown whole."""
    _write_text(folder / "findings.txt", text)


def _write_text(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):  # the verdict matters more
        path.write_text(visible_lines(shorten(text, _MAX_FILE)), encoding="utf-8")


def sanitize_warning(warned: warnings.WarningMessage) -> None:
    """Make a warning of the translator's fit to be sent and shown, with the line of code that pytest prints below."""
    message = visible_lines(text_of(warned.message))
    name = type_name(warned.message)
    try:
        fits = str(warned.message) == message and name == visible(name) == attribute(warned.category, "__name__")
    except Exception:
        fits = False
    if not fits:
        warned.message, warned.category = UserWarning(message), UserWarning
    line = warned.line if warned.line is not None else linecache.getline(warned.filename, warned.lineno)
    warned.line, warned.filename = visible(shorten(line.strip())), visible(shorten(warned.filename))
