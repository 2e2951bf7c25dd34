"""How long a text is that goes by in pieces: what the place of a source in it needs, without the text itself."""

from __future__ import annotations

import re

#: Neighbouring characters that take equally many bytes in UTF-8.
_RUNS = re.compile("([\x00-\x7f]+)|([\x80-\u07ff]+)|([\u0800-\uffff]+)|([\U00010000-\U0010ffff]+)")


def _run(match: re.Match[str]) -> tuple[int, int]:
    return match.lastindex or 1, len(match[0])


class Spoken:
    """A text as far as it was said, counted in characters and in bytes; its words only if it is to keep them.

    What it holds grows with the changes between scripts, not with the text.
    """

    def __init__(self, text: str = "", *, keeps: bool = True) -> None:
        self._keeps = keeps
        self._pieces: list[str] = []
        self._runs: list[tuple[int, int]] = []  # how wide these characters are, and how many follow each other
        self._length = 0
        self.add(text)

    def __len__(self) -> int:
        """How many characters were said."""
        return self._length

    def add(self, piece: str) -> None:
        """More is said."""
        self._length += len(piece)
        if self._keeps:
            self._pieces.append(piece)
        runs = [(1, len(piece))] if piece and piece.isascii() else map(_run, _RUNS.finditer(piece))
        for width, count in runs:
            if self._runs and self._runs[-1][0] == width:
                count += self._runs.pop()[1]
            self._runs.append((width, count))

    def bytes_before(self, place: int) -> int:
        """How many bytes stand before a character."""
        size = 0
        for width, count in self._runs:
            size += width * min(count, place)
            place -= min(count, place)
        return size

    def characters_before(self, place: int) -> int:
        """How many characters end before a byte, or there."""
        size = 0
        for width, count in self._runs:
            whole = min(count, place // width)
            size += whole
            if whole < count:
                break
            place -= width * whole
        return size

    def words(self, start: int, end: int) -> str:
        """The words from one character to before another; empty where they were not kept."""
        return "".join(self._pieces)[start:end]
