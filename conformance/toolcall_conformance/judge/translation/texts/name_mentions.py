"""Which of many names a text says: its places are looked up among the names, not each name in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_GOES_ON = re.compile(r"[\w-]")


class SaidNames:
    """Names of any form; what is no text, or blank, is no name."""

    def __init__(self, names: Iterable[str | None]) -> None:
        self._names = {name for name in names if name}
        self._pieces = _Pieces(self._names, r"(?<![\w.-])")

    def said_in(self, text: str) -> set[str]:
        """The names for which ``says_name`` holds."""
        pieces = self._pieces.of(text)
        return {piece for at, piece in pieces if piece in self._names and not _GOES_ON.match(text, at + len(piece))}


class NamesInAnyCase:
    """Names to be looked for whatever their case."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, list[str]] = {}
        for name in names:
            self._names.setdefault(_folded(name), []).append(name)
        self._pieces = _Pieces(self._names, "")

    def perhaps_in(self, text: str) -> list[str]:
        """All names that a pattern without regard to case may find in a text, and few others."""
        pieces = {piece for _, piece in self._pieces.of(_folded(text)) if piece in self._names}
        return [name for piece in pieces for name in self._names[piece]]


class _Pieces:
    """The pieces of texts that begin like one of some words and are as long as one."""

    def __init__(self, words: Iterable[str], before: str) -> None:
        word_list = list(words)
        self._lengths = sorted({len(word) for word in word_list})
        firsts = "".join(sorted({word[0] for word in word_list}))
        self._start = re.compile(f"{before}[{re.escape(firsts)}]") if firsts else None

    def of(self, text: str) -> Iterator[tuple[int, str]]:
        for start in self._start.finditer(text) if self._start else ():
            at = start.start()
            yield from ((at, text[at : at + length]) for length in self._lengths)


def _folded(text: str) -> str:
    """A text in which characters that a pattern without regard to case takes for the same are the same."""
    return text.replace("İ", "I").lower().upper()
