"""Ids, pieces of text and noise as providers make them, always the same for the same seed."""

from __future__ import annotations

import string
from collections.abc import Iterator

from toolcall_reference.basics.jsontext import digest

#: Into how many pieces a long text is cut; a short one has pieces of one to eight characters.
MOST_PIECES = 24

_BASE62 = string.digits + string.ascii_letters


def letters(length: int, *seed: object) -> str:
    """Letters and digits that look like a provider's id, always the same for the same seed."""
    number = int(digest("letters", *[str(part) for part in seed], length=64), 16)
    text = ""
    while len(text) < length:
        number, place = divmod(number, 62)
        text += _BASE62[place]
        if number == 0:
            number = int(digest("more", text, *[str(part) for part in seed], length=64), 16)
    return text


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
