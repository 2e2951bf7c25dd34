"""The one way from a subcommand to its user: foreign text is made visible here, and only we colour anything."""

from __future__ import annotations

import os
import sys

from toolcall_conformance.showing import visible, visible_json, visible_lines

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


def say(*pieces: str | tuple[str, str], error: bool = False) -> None:
    """Print a line; a piece with a kind has its colour on a terminal. ``error`` prints to standard error."""
    line = "".join(_piece(one, error=error) for one in pieces)
    print(line, file=sys.stderr if error else sys.stdout, flush=True)


def say_lines(text: str, *, error: bool = False) -> None:
    """Print a text of several lines."""
    print(visible_lines(text), file=sys.stderr if error else sys.stdout)


def say_json(text: str) -> None:
    """Print JSON text: each value stays what it is."""
    print(visible_json(text))


def say_script(text: str) -> None:
    """Print what a shell reads. Nothing foreign is in it."""
    print(text)


def _piece(piece: str | tuple[str, str], *, error: bool) -> str:
    text, kind = (piece, "") if isinstance(piece, str) else piece
    return _coloured(visible(text), kind, sys.stderr if error else sys.stdout)


def _coloured(text: str, kind: str, stream: object) -> str:
    plain = not getattr(stream, "isatty", bool)() or bool(os.environ.get("NO_COLOR"))
    return text if plain or kind not in _COLOURS else f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m"
