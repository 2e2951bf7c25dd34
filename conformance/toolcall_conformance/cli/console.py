"""The one way from a subcommand to its user: foreign text is made visible here, and only we colour anything."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from toolcall_conformance.basics.visible_text import visible, visible_json, visible_lines

_BAR = 30
_COLOURS = {
    "head": "1",
    "MUST": "31;1",
    "SHOULD": "33;1",
    "NOTE": "36",
    "error": "31;1",
    "wrong": "31;1",
    "warning": "33;1",
    "ok": "32",
}
# Standard output and standard error, while what others print is held back.
_own_streams: list[tuple[TextIO, TextIO]] = []


def say(*pieces: str | tuple[str, str], error: bool = False) -> None:
    """Print a line; a piece with a kind has its colour on a terminal. ``error`` prints to standard error."""
    stream = _stream(error=error)
    with ignore_closed_pipe(stream):
        print("".join(_piece(piece, stream) for piece in pieces), file=stream, flush=True)


def say_lines(text: str, *, error: bool = False) -> None:
    """Print a text of several lines."""
    stream = _stream(error=error)
    with ignore_closed_pipe(stream):
        print(visible_lines(text), file=stream)


def say_progress(done: int, count: int) -> None:
    """Draw a bar in place of the last one on standard error; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        return
    full = _BAR * done // count
    end = "\n" if done == count else ""
    print(f"\r[{'#' * full}{' ' * (_BAR - full)}] {done:,} of {count:,}", end=end, file=sys.stderr, flush=True)


def say_json(text: str) -> None:
    """Print JSON text: each value stays what it is."""
    with ignore_closed_pipe(sys.stdout):
        print(visible_json(text))


def say_script(text: str) -> None:
    """Print what a shell reads. Nothing foreign is in it."""
    with ignore_closed_pipe(sys.stdout):
        print(text)


@contextlib.contextmanager
def ignore_closed_pipe(stream: TextIO) -> Iterator[None]:
    """Let a command continue to its verdict when the reader of its output (``head``, ``less``) has gone."""
    try:
        yield
    except BrokenPipeError:
        discard(stream)


def discard(stream: TextIO) -> None:
    """Send what is still printed, and Python's own flush at exit, to the null device."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def hold_back_output() -> Iterator[None]:
    """Hold back what a translator in this process prints and logs; at the end show the beginning of it."""
    from toolcall_conformance.drivers.python.held_output import hold_back_output

    _own_streams.append((sys.stdout, sys.stderr))
    try:
        with hold_back_output() as printed:
            yield
    finally:
        _own_streams.pop()
        if printed.lines:
            say("the translator printed:", error=True)
        for line in printed.lines:
            say(line, error=True)


def _stream(*, error: bool) -> TextIO:
    return _own_streams[-1][error] if _own_streams else sys.stderr if error else sys.stdout


def _piece(piece: str | tuple[str, str], stream: TextIO) -> str:
    text, kind = (piece, "") if isinstance(piece, str) else piece
    plain = not stream.isatty() or bool(os.environ.get("NO_COLOR")) or kind not in _COLOURS
    return visible(text) if plain else f"\x1b[{_COLOURS[kind]}m{visible(text)}\x1b[0m"
