"""Makes a translator's texts fit to be sent and shown: visible, and of bounded length.

It handles reports, captured output, warnings, and live logs (``log_cli``, ``log_file``), which pytest writes without a
report.
"""

from __future__ import annotations

import contextlib
import copy
import linecache
import logging
import os
import warnings
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import pytest

from toolcall_conformance.basics.visible_text import shorten, strip_colours, visible, visible_lines
from toolcall_conformance.drivers.python.foreign import read_attribute, text_of, type_name

# How many characters of one item a terminal shows: of its own text, of its traceback, of all its captured output.
# Nobody reads more; the item's files have the rest.
MAX_TEXT, MAX_TRACEBACK, MAX_CAPTURED = 20_000, 10_000, 10_000
# How many captured characters of all items it shows: a library that logs a page for each item fills no CI log.
MAX_CAPTURED_OF_ALL = 200_000
_MAX_FILE = 1_000_000
# A shorter captured text takes no more room than the notice that would replace it.
_MIN_CUT = 200
# The attributes of pytest's logging plugin that hold its live handlers.
_LIVE_HANDLERS = ("log_cli_handler", "log_file_handler")


def sanitize_report(report: pytest.TestReport, files: str | None = None) -> None:
    """Sanitize the texts of a report, which the translator wrote, or which quote it.

    ``files`` is the folder that has the whole texts.
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
    """Sanitizes the output that pytest captures of the tests of a ``ConformanceSuite``."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if "toolcall_item" in getattr(item, "fixturenames", ()):
            report.sections = _sanitize_sections(report.sections, None)
        return report


def _sanitize_sections(sections: list[tuple[str, str]], files: str | None) -> list[tuple[str, str]]:
    """The captured texts, cut to what is shown of one item."""
    room, excerpts = MAX_CAPTURED, []
    for name, text in sections:
        cut = sanitize(strip_colours(text), room)
        if len(text) > room:
            cut += f"\n({files} has it whole)" if files else "\n(a failing item's files have it whole)"
        excerpts.append((visible(name), cut))
        room = max(room - len(text), 0)
    return excerpts


def sanitize(text: str, limit: int = MAX_TEXT) -> str:
    """A text of several lines, made visible and cut to ``limit`` characters."""
    return visible_lines(shorten(text, limit))


def write_captured(folder: Path, report: pytest.TestReport) -> None:
    """Write the captured output of a failing item into its folder. It is sanitized: terminals show these files, too."""
    for name, text in report.sections:
        if text:
            _write_text(folder / f"{name.lower().replace(' ', '-')}.txt", text)


def write_findings(folder: Path, text: str) -> None:
    """Write an item's own text, which is too long to be shown whole."""
    _write_text(folder / "findings.txt", text)


def _write_text(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):  # the verdict matters more
        path.write_text(visible_lines(shorten(text, _MAX_FILE)), encoding="utf-8")


def sanitize_warning(warned: warnings.WarningMessage) -> None:
    """Sanitize a warning of the translator, with the line of code that pytest prints below it."""
    message = visible_lines(text_of(warned.message))
    name = type_name(warned.message)
    try:
        fits = str(warned.message) == message and name == visible(name) == read_attribute(warned.category, "__name__")
    except Exception:
        fits = False
    if not fits:
        warned.message, warned.category = UserWarning(message), UserWarning
    line = warned.line if warned.line is not None else linecache.getline(warned.filename, warned.lineno)
    warned.line, warned.filename = visible(shorten(line.strip())), visible(shorten(warned.filename))


def cut_captured(reports: Iterable[pytest.TestReport], room: int = MAX_CAPTURED_OF_ALL) -> None:
    """Cut the captured texts of reports, in order, to ``room`` characters. A failing item's files have them whole."""
    first: dict[str, str] = {}
    for report in reports:
        sections = []
        for name, text in report.sections:
            content = text
            if len(text) > _MIN_CUT:
                content = _excerpt(text, first.setdefault(text, report.nodeid), report.nodeid, room)
            sections.append((name, content))
            room -= len(content)
        report.sections = sections


def _excerpt(text: str, first_nodeid: str, nodeid: str, max_length: int) -> str:
    if first_nodeid != nodeid:
        return f"(the same as of {first_nodeid})"
    if len(text) > max_length:
        return (
            f"({len(text):,} characters: left out; the files of a failing item have them, and a run of only "
            "this item shows them)"
        )
    return text


@contextlib.contextmanager
def sanitize_live_logs(config: pytest.Config) -> Iterator[None]:
    """Let pytest's live handlers write sanitized records.

    pytest has no public name for these handlers; where its plugin has none of these attributes, nothing is changed.
    ``tests/plugin/test_translator_output.py`` reads such logs.
    """
    plugin = config.pluginmanager.get_plugin("logging-plugin")
    candidates = [getattr(plugin, name, None) for name in _LIVE_HANDLERS]
    handlers = [
        handler for handler in candidates if isinstance(handler, logging.Handler) and not _writes_nowhere(handler)
    ]
    before = [handler.formatter for handler in handlers]
    for handler, formatter in zip(handlers, before, strict=True):
        handler.setFormatter(_SanitizingFormatter(formatter or logging.Formatter()))
    try:
        yield
    finally:
        for handler, formatter in zip(handlers, before, strict=True):
            handler.setFormatter(formatter)


def _writes_nowhere(handler: logging.Handler) -> bool:
    """Whether nobody reads what a handler writes: the user wants no live logs."""
    return isinstance(handler, logging.NullHandler) or (
        isinstance(handler, logging.StreamHandler) and getattr(handler.stream, "name", "") == os.devnull
    )


class _SanitizingFormatter(logging.Formatter):
    """Passes sanitized records to another formatter, which may add colours."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        clone = copy.copy(record)
        clone.msg, clone.args = visible_lines(shorten(record.getMessage())), None
        clone.name, clone.filename = visible(record.name), visible(record.filename)
        if record.exc_info:
            clone.exc_text = visible_lines(shorten(self.formatException(record.exc_info)))
            clone.exc_info = None
        clone.stack_info = visible_lines(record.stack_info) if record.stack_info else None
        return self._inner.format(clone)
