"""Markdown: foreign text in which nothing has a meaning, and the details of a root cause."""

from __future__ import annotations

import re

from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.reports.text.outline import Outline
from toolcall_conformance.reports.vocabulary import FIELDS

_AUTOLINK = r"[^\s`]*(?:@\w|#\d|://|www\.)[^\s`]*"
_MARKUP = re.compile(r"[\\`*_\[\]<>|~&#]")


def code(text: str, *, limit: int = 200, cell: bool = False) -> str:
    """Return foreign text as code, in which nothing has a meaning: no HTML, no link, no mention.

    A text longer than ``limit`` is cut. ``cell``: the text is within a table.
    """
    visible_text = visible(text)
    visible_text = visible_text if len(visible_text) <= limit else f"{visible_text[:limit]}…"
    fence = "`" * (max(map(len, re.findall("`+", visible_text)), default=0) + 1)
    # Markdown takes one blank away on each side.
    space = " " if not visible_text.strip() or {visible_text[0], visible_text[-1]} & {"`", " "} else ""
    visible_text = f"{fence}{space}{visible_text}{space}{fence}"
    return visible_text.replace("|", "\\|") if cell else visible_text


def prose(text: str) -> str:
    """Return a sentence in which only a text between two backticks is code, and nothing else has a meaning.

    What GitHub makes a mention, a reference or a link in spite of backslashes becomes code, too.
    """
    pieces = re.split(f"`([^`]+)`|({_AUTOLINK})", visible(text))
    return "".join(
        code(piece) if number % 3 else _MARKUP.sub(r"\\\g<0>", piece) for number, piece in enumerate(pieces) if piece
    )


def link(text: str, url: str) -> str:
    """Return a link to a trusted address."""
    return f"[{prose(text)}](<{url.replace('<', '%3C').replace('>', '%3E')}>)"


_MAX_VALUE = 300
# A validator's first error is whole in it.
_MAX_MESSAGE = 1_000
# Longer commands are left out: the JSON report has them.
_MAX_COMMAND = 1_000


def cause_details(outline: Outline, indent: str) -> list[str]:
    """Return list items with the example, its message, both values, the usual repair and the command."""
    place = dict(outline.place_fields)
    item, message, pointer, fix, run = (FIELDS[key] for key in ("item", "message", "pointer", "fix", "command"))
    at = f" {pointer} {code(place[pointer])}" if pointer in place else ""
    names = (FIELDS[key] for key in ("want", "got"))
    values = [f"{name} {code(place[name], limit=_MAX_VALUE)}" for name in names if name in place]
    lines = [f"{item} {code(outline.item)}{at}"]
    lines += [f"{message} {code(place[message], limit=_MAX_MESSAGE)}"] if message in place else []
    lines += [", ".join(values)] if values else []
    lines += [f"{fix} {prose(outline.fix)}"] if outline.fix else []
    lines += [f"{run} {code(outline.command, limit=_MAX_COMMAND)}"] if len(outline.command) <= _MAX_COMMAND else []
    return [f"{indent}- {line}" for line in lines]
