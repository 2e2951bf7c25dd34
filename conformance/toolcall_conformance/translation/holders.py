"""Which of many texts hold others. Each look-up asks only the few texts that have a rare run of its characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

LONGEST_RUN = 8
"""Runs of 1, 2, 4 and so many characters are listed, each kind when a text first asks for it."""
LONGEST_LISTED = 4096
"""Of a longer text no runs are listed, so that its list takes no more memory than many texts; it is always asked."""
MOST_RUNS = 256
"""As many runs of a text that is looked up are tried, spread over it."""


class Holders:
    """Texts in order, by their numbers."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._long = [number for number, text in enumerate(self._texts) if len(text) > LONGEST_LISTED]
        self._listed: dict[int, dict[str, list[int]]] = {}
        self._known: dict[str, frozenset[int]] = {}

    def of(self, piece: str) -> frozenset[int]:
        """The numbers of the texts with ``piece`` in them."""
        if piece not in self._known:
            self._known[piece] = frozenset(number for number in self._asked(piece) if piece in self._texts[number])
        return self._known[piece]

    def _asked(self, piece: str) -> Iterable[int]:
        if not piece:
            return range(len(self._texts))
        length = min(LONGEST_RUN, 1 << (len(piece).bit_length() - 1))
        if length not in self._listed:
            self._listed[length] = self._list(length)
        listed, step = self._listed[length], 1 + len(piece) // MOST_RUNS
        none: list[int] = []
        return [*min((listed.get(run, none) for run in _runs(piece, length, step)), key=len), *self._long]

    def _list(self, length: int) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, text in enumerate(self._texts):
            if len(text) <= LONGEST_LISTED:
                for run in set(_runs(text, length)):
                    found.setdefault(run, []).append(number)
        return found


def _runs(text: str, length: int, step: int = 1) -> Iterator[str]:
    return (text[at : at + length] for at in range(0, len(text) - length + 1, step))
