"""Which of many texts holds another: they are searched as one long text, not one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

_BETWEEN = "\n\0\n"


class FirstHolding:
    """Texts in order."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._starts: list[int] = []
        end, text_list = 0, list(texts)
        for text in text_list:
            self._starts.append(end)
            end += len(text) + len(_BETWEEN)
        self._whole = _BETWEEN.join(text_list)

    def of(self, piece: str) -> int | None:
        """The number of the first text with ``piece`` in it; None where there is none."""
        at = self._whole.find(piece)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            end = self._starts[number + 1] - len(_BETWEEN) if number + 1 < len(self._starts) else len(self._whole)
            if at + len(piece) <= end:
                return number if self._starts else None
            at = self._whole.find(piece, at + 1)  # it lies across two texts
        return None
