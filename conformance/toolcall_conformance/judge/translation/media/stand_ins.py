"""Texts of the output that stand for media: each is read once, however many media are lost."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from toolcall_conformance.basics.reading import Media, Reading, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.failures import strings_in
from toolcall_conformance.judge.translation.results.placeholders import (
    Described,
    remarks_in,
    without_placeholders,
    words_for,
)

_ANY = Described([Media("", None, "")])
"""Media of which nothing is known: only what speaks of media in general stands for them."""


def stands_for(pair: Pair, media: Media) -> str | None:
    """The text of the output that stands for the media and that the source does not have, if there is one."""
    return pair.view(_StandIns).of(media)


def texts_of(reading: Reading) -> Iterator[str]:
    """The texts of turns and results; of a result that is an object, its own strings."""
    for turn in reading.turns:
        for item in turn.items:
            for part in item.parts if isinstance(item, Result) else (item,):
                if isinstance(part, Text):
                    yield part.text
                elif isinstance(part, Value) and isinstance(part.value, dict):
                    yield from (text for text in part.value.values() if isinstance(text, str))


def all_texts_of(reading: Reading) -> Iterator[str]:
    """The texts of turns and results; of a result that is a JSON value, all strings in it, however deep."""
    for turn in reading.turns:
        for item in turn.items:
            for part in item.parts if isinstance(item, Result) else (item,):
                if isinstance(part, Text):
                    yield part.text
                elif isinstance(part, Value):
                    yield from strings_in(part.value)


def media_in(reading: Reading) -> Iterator[Media]:
    """The media of turns and of results."""
    for turn in reading.turns:
        for item in turn.items:
            parts = item.parts if isinstance(item, Result) else (item,)
            yield from (part for part in parts if isinstance(part, Media))


class _StandIns:
    """The texts of the output that the source does not have, and the remarks in them in the order of the alphabet."""

    def __init__(self, pair: Pair) -> None:
        source_texts = {text.strip() for text in texts_of(pair.source)}
        self._texts = [text for text in texts_of(pair.output) if text.strip() not in source_texts]
        general = (
            at for at, text in enumerate(self._texts) if without_placeholders(pair.corpus, [text], _ANY) != [text]
        )
        self._general = next(general, len(self._texts))
        self._remarks = sorted(
            (remark, at) for at, text in enumerate(self._texts) for remark in remarks_in(pair.corpus, text)
        )
        self._first: dict[str, int] = {}

    def of(self, media: Media) -> str | None:
        """The first of the texts that stands for the media."""
        at = min((self._general, *(self._begun_with(word) for word in words_for(media))))
        return self._texts[at] if at < len(self._texts) else None

    def _begun_with(self, word: str) -> int:
        """The number of the first text with a remark that begins with a word."""
        if word not in self._first:
            self._first[word] = min(_beginning(self._remarks, word), default=len(self._texts))
        return self._first[word]


def _beginning(remarks: Sequence[tuple[str, int]], word: str) -> Iterator[int]:
    for place in range(bisect_left(remarks, (word, -1)), len(remarks)):
        remark, number = remarks[place]
        if not remark.startswith(word):
            return
        yield number
