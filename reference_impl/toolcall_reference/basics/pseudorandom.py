"""Pseudorandom ids, text pieces and noise in the shapes that providers use; equal seeds give equal results."""

from __future__ import annotations

import string
from collections.abc import Iterator

from toolcall_reference.basics.jsontext import digest

#: The approximate number of pieces of a long text; a short text has pieces of one to eight characters.
TARGET_PIECE_COUNT = 24

_BASE62 = string.digits + string.ascii_letters


def letters(length: int, *seed: object) -> str:
    """``length`` letters and digits, as in a provider's id."""
    number = int(digest("letters", *[str(part) for part in seed], length=64), 16)
    text = ""
    while len(text) < length:
        number, place = divmod(number, 62)
        text += _BASE62[place]
        if number == 0:
            number = int(digest("more", text, *[str(part) for part in seed], length=64), 16)
    return text


def pieces(text: str, seed: str) -> Iterator[str]:
    """Cut ``text`` into pieces of uneven length, even inside words, escapes and JSON; empty for an empty text."""
    scale = max(1, len(text) // (4 * TARGET_PIECE_COUNT))
    sizes = digest("pieces", seed, length=40)
    start = turn = 0
    while start < len(text):
        size = scale * (1 + int(sizes[turn % len(sizes)], 16) // 2)
        yield text[start : start + size]
        start, turn = start + size, turn + 1


def noise(seed: str) -> str:
    """A value for ``obfuscation``: random letters and digits that hide the length of a piece."""
    return letters(8 + int(digest("noise", seed, length=1), 16) // 2, seed)
