"""The data of a stream's events, rewritten in place: line ends, comments and all other bytes stay as they came."""

from __future__ import annotations

import re
from collections.abc import Callable

_LINES = re.compile("[^\r\n]*(?:\r\n|\n|\r|$)")
_DATA = re.compile("\ufeff?data(?:: ?|$)")


def with_data(stream: bytes, rewrite: Callable[[str], str]) -> bytes:
    """The stream with ``rewrite`` applied to the data of each event, which must keep its number of lines."""
    text = stream.decode("utf-8", "surrogateescape")  # bytes that are no UTF-8 stay as they are, too
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
    """The lines of one event; those that hold data hold what ``rewrite`` makes of it."""
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
