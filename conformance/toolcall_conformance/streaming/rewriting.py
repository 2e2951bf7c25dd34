"""Rewrites the data of a stream's events in place; line ends, comments and all other bytes stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable

_LINES = re.compile("[^\r\n]*(?:\r\n|\n|\r|$)")
_DATA = re.compile("\ufeff?data(?:: ?|$)")


def rewrite_data(stream: bytes, rewrite: Callable[[str], str]) -> bytes:
    """Apply ``rewrite`` to the data of each event; it must keep the number of lines."""
    text = stream.decode("utf-8", "surrogateescape")  # bytes that are not UTF-8 stay as they are, too
    written: list[str] = []
    block: list[str] = []
    for line in _LINES.findall(text):
        if line.strip("\r\n"):
            block.append(line)
        else:
            written += [*_rewritten(block, rewrite), line]
            block = []
    return "".join(written).encode("utf-8", "surrogateescape")


def _rewritten(block: list[str], rewrite: Callable[[str], str]) -> list[str]:
    """Apply ``rewrite`` to the data lines of one event."""
    starts = {place: found.end() for place, line in enumerate(block) if (found := _DATA.match(line))}
    bodies = {place: block[place][start:].rstrip("\r\n") for place, start in starts.items()}
    before = "\n".join(bodies.values())
    after = rewrite(before)
    if after == before:
        return block
    lines = list(block)
    for place, body in zip(starts, after.split("\n"), strict=True):
        line, start = block[place], starts[place]
        lines[place] = line[:start] + body + line[start + len(bodies[place]) :]
    return lines
