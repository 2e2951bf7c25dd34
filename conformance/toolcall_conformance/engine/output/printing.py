"""Prints on pytest's terminal. All output goes through here: foreign text is made visible, and only we colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import pytest

from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.reports.text.failure import Line

_MARKUP = {
    "head": {"bold": True},
    "good": {"green": True},
    "bad": {"red": True},
    "MUST": {"red": True},
    "SHOULD": {"yellow": True},
    "NOTE": {"cyan": True},
    "": {},
}


class LineWriter(Protocol):
    """pytest's terminal writer, which has no public name."""

    def line(self, s: str = "", **markup: bool) -> None:
        """Write a line."""


def print_line(reporter: pytest.TerminalReporter, text: str, kind: str = "") -> None:
    """Print a line."""
    reporter.line(visible(text), **_MARKUP[kind])


def overwrite_line(reporter: pytest.TerminalReporter, text: str) -> None:
    """Write a line over the last line that this function wrote; an empty text removes it."""
    room = max(0, reporter.config.get_terminal_writer().fullwidth - 1)
    line = visible(text)
    shortened_line = line if len(line) <= room else f"{line[: max(0, room - 1)]}…"
    reporter.rewrite(shortened_line, erase=True)
    if not text:
        reporter.rewrite("")
    reporter.flush()


def print_pieces(reporter: pytest.TerminalReporter, pieces: Iterable[Line]) -> None:
    """Print a line of several pieces, each with its colour."""
    for piece in pieces:
        reporter.write(visible(piece.text), **_MARKUP[piece.kind])
    reporter.line("")


def write_lines(writer: LineWriter, lines: Iterable[Line]) -> None:
    """Write the lines of an item's text, its levels in bold."""
    for line in lines:
        bold = {"bold": True} if line.kind in ("MUST", "SHOULD") else {}
        writer.line(visible(line.text), **_MARKUP[line.kind], **bold)


def print_annotation(reporter: pytest.TerminalReporter, line: str) -> None:
    """Print a command for GitHub's runner; ``reports.text.github`` makes it of visible text."""
    reporter.line(line)


def print_title(reporter: pytest.TerminalReporter, title: str) -> None:
    """Print a line with a title in its middle."""
    reporter.section(visible(title))
