"""The one way from a run to pytest's terminal: foreign text is made visible here, and only we colour anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.reports.text.failure import Line

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter
    from _pytest.terminal import TerminalReporter

_MARKUP = {
    "head": {"bold": True},
    "good": {"green": True},
    "bad": {"red": True},
    "MUST": {"red": True},
    "SHOULD": {"yellow": True},
    "NOTE": {"cyan": True},
    "": {},
}


def print_line(reporter: TerminalReporter, text: str, kind: str = "") -> None:
    """Print a line."""
    reporter.line(visible(text), **_MARKUP[kind])


def overwrite_line(reporter: TerminalReporter, text: str) -> None:
    """Write a line over the last one that was written so; an empty text takes it away."""
    room = max(0, reporter.config.get_terminal_writer().fullwidth - 1)
    line = visible(text)
    line_end = line if len(line) <= room else f"{line[: max(0, room - 1)]}…"
    reporter.rewrite(line_end, erase=True)
    if not text:
        reporter.rewrite("")
    reporter.flush()


def print_pieces(reporter: TerminalReporter, pieces: Iterable[Line]) -> None:
    """Print a line of several pieces, each with its colour."""
    for piece in pieces:
        reporter.write(visible(piece.text), **_MARKUP[piece.kind])
    reporter.line("")


def write_lines(writer: TerminalWriter, lines: Iterable[Line]) -> None:
    """Print the lines of an item's text, its levels in bold."""
    for line in lines:
        bold = {"bold": True} if line.kind in ("MUST", "SHOULD") else {}
        writer.line(visible(line.text), **_MARKUP[line.kind], **bold)


def print_annotation(reporter: TerminalReporter, line: str) -> None:
    """Print a command to GitHub's runner, which `reports.github` has made of visible text."""
    reporter.line(line)


def print_title(reporter: TerminalReporter, title: str) -> None:
    """Print a line with a title in its middle."""
    reporter.section(visible(title))
