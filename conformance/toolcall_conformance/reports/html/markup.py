"""Texts as HTML: code between backticks, and names that do not break at a line's end."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from toolcall_conformance.reports.html.words import visible

# A line may break between the parts of a node id or title, and between the words of a command.
_JOINTS = re.compile(r"((?<=::)| (?=[·→] ))")
_WORDS = re.compile(r"((?<=::)| )")


def prose(text: str) -> Markup:
    """Return a sentence as HTML; a text between two backticks is code. `dom.js` does the same."""
    pieces = re.split("`([^`]+)`", visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece) for number, piece in enumerate(pieces)
    )


def whole(text: str) -> Markup:
    """Return a node id or title as HTML in parts that do not break, if they fit. `dom.js` does the same."""
    return _parts(_JOINTS.split(visible(text)))


def command(text: str) -> Markup:
    """Return a command as HTML in words and parts of node ids that do not break."""
    return _parts(_WORDS.split(visible(text)))


def _parts(pieces: list[str]) -> Markup:
    """Join parts with possible line breaks; odd ones are the separators."""
    return Markup("").join(
        Markup("{}<wbr>").format(piece) if number % 2 else Markup('<span class="whole">{}</span>').format(piece)
        for number, piece in enumerate(pieces)
    )
