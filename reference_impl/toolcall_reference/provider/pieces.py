"""Cuts texts as a model's tokens would, and makes the noise that providers add; all of it from a seed."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_reference.jsontext import digest
from toolcall_reference.scenario import letters

#: Into how many pieces a long text is cut; a short one has pieces of one to eight characters.
MOST_PIECES = 24


def pieces(text: str, seed: str) -> Iterator[str]:
    """``text`` in pieces of uneven length, without regard to words, escapes or JSON; none for an empty text."""
    scale = max(1, len(text) // (4 * MOST_PIECES))
    sizes = digest("pieces", seed, length=40)
    start = turn = 0
    while start < len(text):
        size = scale * (1 + int(sizes[turn % len(sizes)], 16) // 2)
        yield text[start : start + size]
        start, turn = start + size, turn + 1


def noise(seed: str) -> str:
    """The value of ``obfuscation``: some letters and digits, so that the length of a piece does not give it away."""
    return letters(8 + int(digest("noise", seed, length=1), 16) // 2, seed)


def padding(seed: str) -> str:
    """Up to fifteen spaces, which Anthropic puts before the last brace for the same reason."""
    return " " * int(digest("padding", seed, length=1), 16)
