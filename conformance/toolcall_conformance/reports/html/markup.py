"""Texts as elements of the page: code between backticks, and names that are not torn at a line's end."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from toolcall_conformance.reports.html.words import visible

# Between the parts of a node id and of a title, and between the words of a command, a line may end.
_JOINTS = re.compile(r"((?<=::)| (?=[·→] ))")
_WORDS = re.compile(r"((?<=::)| )")


def prose(text: str) -> Markup:
    """A sentence; what stands between two backticks is code. `dom.js` has the same."""
    pieces = re.split("`([^`]+)`", visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece) for number, piece in enumerate(pieces)
    )


def whole(text: str) -> Markup:
    """A node id or a title in parts, each of which stays in one line where it has the room. `dom.js` has the same."""
    return _parts(_JOINTS.split(visible(text)))


def command(text: str) -> Markup:
    """A command, whose words and the parts of whose node ids stay whole."""
    return _parts(_WORDS.split(visible(text)))


def _parts(pieces: list[str]) -> Markup:
    """Parts and, between them, what stands at each joint."""
    return Markup("").join(
        Markup("{}<wbr>").format(piece) if number % 2 else Markup('<span class="whole">{}</span>').format(piece)
        for number, piece in enumerate(pieces)
    )
