"""What a translator said, on its way to another process, a terminal or a file: encodable, and of bounded length."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from toolcall_conformance.drivers.foreign import encodable, shortened, text_of

# Of one item a terminal shows this many characters of what was captured, and of its traceback.
SHOWN = 20_000
_KEPT = 1_000_000


def make_fit(report: pytest.TestReport) -> None:
    """Make the texts of a report fit to be sent and shown. They were written by the translator, or quote it."""
    report.sections = [(encodable(name), fit(text)) for name, text in report.sections]
    found = report.longrepr
    if isinstance(found, tuple):
        path, line, reason = found
        report.longrepr = path, line, fit(reason)
    elif found is not None and encodable(text := str(found)) != text:
        report.longrepr = fit(text)
    if hasattr(report, "wasxfail"):
        report.wasxfail = fit(str(report.wasxfail))


def fit(text: str) -> str:
    """A text as a terminal shows it."""
    return encodable(shortened(text, SHOWN))


def keep_captured(folder: Path, report: pytest.TestReport) -> None:
    """Write what was captured of an item beside its bodies, where it is too long to be shown."""
    for name, text in report.sections:
        if len(text) > SHOWN:
            path = folder / f"{name.lower().replace(' ', '-')}.txt"
            try:
                path.write_text(shortened(text, _KEPT), encoding="utf-8", errors="backslashreplace")
            except OSError:
                return  # the verdict matters more


def make_warning_fit(warned: warnings.WarningMessage) -> None:
    """Make a warning of the translator's fit to be sent and shown."""
    told = text_of(warned.message, SHOWN)
    try:
        fits = str(warned.message) == told
    except Exception:
        fits = False
    if not fits:
        warned.message, warned.category = UserWarning(told), UserWarning
