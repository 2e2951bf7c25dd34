"""Conversion between character and byte offsets of a text that arrives in pieces, without storing the text."""

from __future__ import annotations

import re

#: Runs of characters of equal length in UTF-8.
_RUNS = re.compile("([\x00-\x7f]+)|([\x80-\u07ff]+)|([\u0800-\uffff]+)|([\U00010000-\U0010ffff]+)")


def _run(match: re.Match[str]) -> tuple[int, int]:
    return match.lastindex or 1, len(match[0])


class TextOffsets:
    """Counts the characters and UTF-8 bytes of a text so far; stores the text itself only with ``keeps_text``.

    Memory grows with the number of changes between scripts, not with the text.
    """

    def __init__(self, text: str = "", *, keeps_text: bool = True) -> None:
        self._keeps_text = keeps_text
        self._pieces: list[str] = []
        self._runs: list[tuple[int, int]] = []  # bytes per character, and the number of such characters in a row
        self._length = 0
        self.add(text)

    def __len__(self) -> int:
        """The number of characters so far."""
        return self._length

    def add(self, piece: str) -> None:
        """Append a piece of the text."""
        self._length += len(piece)
        if self._keeps_text:
            self._pieces.append(piece)
        runs = [(1, len(piece))] if piece and piece.isascii() else map(_run, _RUNS.finditer(piece))
        for width, count in runs:
            if self._runs and self._runs[-1][0] == width:
                count += self._runs.pop()[1]
            self._runs.append((width, count))

    def bytes_before(self, place: int) -> int:
        """The number of bytes before the character at ``place``."""
        size = 0
        for width, count in self._runs:
            size += width * min(count, place)
            place -= min(count, place)
        return size

    def characters_before(self, place: int) -> int:
        """The number of characters that end at or before the byte at ``place``."""
        size = 0
        for width, count in self._runs:
            whole = min(count, place // width)
            size += whole
            if whole < count:
                break
            place -= width * whole
        return size

    def text_between(self, start: int, end: int) -> str:
        """The text from character ``start`` to before ``end``; empty if the text is not stored."""
        return "".join(self._pieces)[start:end]
