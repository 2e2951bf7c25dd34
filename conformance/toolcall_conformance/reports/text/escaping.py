"""Foreign text as Markdown, where nothing in it has a meaning."""

from __future__ import annotations

import re

from toolcall_conformance.basics.visible_text import visible

_LINKED = r"[^\s`]*(?:@\w|#\d|://|www\.)[^\s`]*"
_MARKUP = re.compile(r"[\\`*_\[\]<>|~&#]")


def code(text: str, *, most: int = 200, cell: bool = False) -> str:
    """Foreign text as code in Markdown, where nothing in it has a meaning: no HTML, no link, no mention.

    ``most``: of a longer one the beginning. ``cell``: within a table.
    """
    visible_text = visible(text)
    visible_text = visible_text if len(visible_text) <= most else f"{visible_text[:most]}…"
    fence = "`" * (max(map(len, re.findall("`+", visible_text)), default=0) + 1)
    # Markdown takes one blank away on each side.
    space = " " if not visible_text.strip() or {visible_text[0], visible_text[-1]} & {"`", " "} else ""
    visible_text = f"{fence}{space}{visible_text}{space}{fence}"
    return visible_text.replace("|", "\\|") if cell else visible_text


def words(text: str) -> str:
    """A sentence as Markdown: what stands between two backticks is code, nothing else has a meaning.

    So is what GitHub makes a mention, a reference or a link though its characters have backslashes.
    """
    pieces = re.split(f"`([^`]+)`|({_LINKED})", visible(text))
    return "".join(
        code(piece) if number % 3 else _MARKUP.sub(r"\\\g<0>", piece) for number, piece in enumerate(pieces) if piece
    )


def link(text: str, url: str) -> str:
    """A link to an address of ours."""
    return f"[{words(text)}](<{url.replace('<', '%3C').replace('>', '%3E')}>)"
