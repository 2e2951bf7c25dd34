"""Foreign text as Markdown, where nothing in it has a meaning."""

from __future__ import annotations

import re

from toolcall_conformance.showing import visible

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
    """A sentence of ours as Markdown: what stands between two backticks is code, nothing else has a meaning."""
    pieces = re.split("`([^`]+)`", visible(text))
    return "".join(code(one) if number % 2 else _MARKUP.sub(r"\\\g<0>", one) for number, one in enumerate(pieces))


def link(text: str, url: str) -> str:
    """A link to an address of ours."""
    return f"[{words(text)}](<{url.replace('<', '%3C').replace('>', '%3E')}>)"
