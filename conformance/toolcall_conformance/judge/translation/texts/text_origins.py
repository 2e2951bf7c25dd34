"""Which texts of an output the source says already: who says them there, and where."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from toolcall_conformance.basics.reading import Text
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_chunks import is_phrase, squeeze
from toolcall_conformance.judge.translation.texts.text_runs import TextRun, source_runs


class Origins:
    """The texts of the source: chunks and joined runs, each with the sides that say it."""

    def __init__(self, pair: Pair) -> None:
        self._corpus = pair.corpus
        self._sides: dict[str, set[str]] = {}
        self._chunks: list[Text] = []
        for run in [TextRun("system", list(pair.source.system)), *source_runs(pair)]:
            self._chunks.extend(run.chunks)
            for text in [*run.texts, "".join(run.texts)]:
                self._sides.setdefault(squeeze(text), set()).add(run.side)
        self._squeezed = [squeeze(chunk.text) for chunk in self._chunks]
        self._first: dict[str, int] = {}
        for at, squeezed in enumerate(self._squeezed):
            self._first.setdefault(squeezed, at)
        # What is squeezed has no line break.
        self._whole = "\n".join(self._squeezed)
        self._starts = [0, *accumulate(len(text) + 1 for text in self._squeezed)]

    def first(self, text: str) -> str | None:
        """Where the source says a text, or its first line that it says."""
        keys = [squeeze(line) for line in (text, *text.splitlines())]
        for key in filter(None, keys):
            at = self._first.get(key, -1)
            start = self._whole.find(key) if at < 0 else self._starts[at]
            if start >= 0:
                return self._chunks[bisect_right(self._starts, start) - 1].pointer
        inner = (chunk for chunk, text in zip(self._chunks, self._squeezed, strict=True) if text in keys[0])
        return next((chunk.pointer for chunk in inner), None)

    def side_of(self, text: str) -> str:
        """Whose text it is, in words."""
        return "conversation" if self._sides.get(squeeze(text)) != {"system"} else "system prompt"

    def is_doubled(self, text: str, side: str) -> bool:
        """Whether text is there once more. A prompt may repeat a line of its own, but not the whole of itself."""
        if side == "system" and is_phrase(self._corpus, text) and squeeze(text) in self._sides:
            return True
        return bool(self._said_by(text, side) - ({"system"} if side == "system" else set()))

    def _said_by(self, text: str, side: str) -> set[str]:
        """The sides that say a text, or a line of it, in the source. A few words count only on the same side."""
        matches: set[str] = set()
        for line in {text, *text.splitlines()}:
            sides = self._sides.get(squeeze(line), set())
            if is_phrase(self._corpus, line.strip()):
                matches |= sides
            elif line == text:
                matches |= sides & {side}
        return matches
