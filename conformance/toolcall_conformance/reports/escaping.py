"""Foreign text as Markdown, where nothing in it has a meaning."""

from __future__ import annotations

import re

from toolcall_conformance.showing import visible

_LINKED = r"[^\s`]*(?:@\w|#\d|://|www\.)[^\s`]*"
_MARKUP = re.compile(r"[\\`*_\[\]<>|~&#]")


def code(text: str, *, most: int = 200, cell: bool = False) -> str:
    """Foreign text as code in Markdown, where nothing in it has a meaning: no HTML, no link, no mention.

    ``most``: of a longer one the beginning. ``cell``: within a table.
    """
    shown = visible(text)
    shown = shown if len(shown) <= most else f"{shown[:most]}…"
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    # Markdown takes one blank away on each side.
    space = " " if not shown.strip() or {shown[0], shown[-1]} & {"`", " "} else ""
    shown = f"{fence}{space}{shown}{space}{fence}"
    return shown.replace("|", "\\|") if cell else shown


def words(text: str) -> str:
    """A sentence as Markdown: what stands between two backticks is code, nothing else has a meaning.

    So is what GitHub makes a mention, a reference or a link though its characters have backslashes.
    """
    pieces = re.split(f"`([^`]+)`|({_LINKED})", visible(text))
    return "".join(
        code(one) if number % 3 else _MARKUP.sub(r"\\\g<0>", one) for number, one in enumerate(pieces) if one
    )


def link(text: str, url: str) -> str:
    """A link to an address of ours."""
    return f"[{words(text)}](<{url.replace('<', '%3C').replace('>', '%3E')}>)"
