"""Texts of the output in place of media: each is read once, however many media are lost."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from toolcall_conformance.basics.reading import Media, Reading, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.failures import strings_in
from toolcall_conformance.judge.translation.results.placeholders import (
    ReferencedMedia,
    media_words,
    remarks_in,
    without_placeholders,
)

_UNKNOWN_MEDIA = ReferencedMedia([Media("", None, "")])
"""Media of which nothing is known: only remarks about media in general can be in their place."""


def text_in_place_of(pair: Pair, media: Media) -> str | None:
    """Return the first text of the output in place of the media that the source does not have, or None."""
    return pair.view(_StandIns).first_for(media)


def readable_texts(reading: Reading) -> Iterator[str]:
    """Yield the texts of turns and results; of a result that is an object, its own strings."""
    for turn in reading.turns:
        for item in turn.items:
            for part in item.parts if isinstance(item, Result) else (item,):
                if isinstance(part, Text):
                    yield part.text
                elif isinstance(part, Value) and isinstance(part.value, dict):
                    yield from (text for text in part.value.values() if isinstance(text, str))


def all_texts(reading: Reading) -> Iterator[str]:
    """Yield the texts of turns and results; of a result that is a JSON value, all strings in it, however deep."""
    for turn in reading.turns:
        for item in turn.items:
            for part in item.parts if isinstance(item, Result) else (item,):
                if isinstance(part, Text):
                    yield part.text
                elif isinstance(part, Value):
                    yield from strings_in(part.value)


def media_in(reading: Reading) -> Iterator[Media]:
    """Yield the media of turns and of results."""
    for turn in reading.turns:
        for item in turn.items:
            parts = item.parts if isinstance(item, Result) else (item,)
            yield from (part for part in parts if isinstance(part, Media))


class _StandIns:
    """The texts of the output that the source does not have, and the remarks in them in alphabetical order."""

    def __init__(self, pair: Pair) -> None:
        source_texts = {text.strip() for text in readable_texts(pair.source)}
        self._texts = [text for text in readable_texts(pair.output) if text.strip() not in source_texts]
        general = (
            at
            for at, text in enumerate(self._texts)
            if without_placeholders(pair.corpus, [text], _UNKNOWN_MEDIA) != [text]
        )
        self._general = next(general, len(self._texts))
        self._remarks = sorted(
            (remark, at) for at, text in enumerate(self._texts) for remark in remarks_in(pair.corpus, text)
        )
        self._first: dict[str, int] = {}

    def first_for(self, media: Media) -> str | None:
        """Return the first text in place of the media."""
        at = min((self._general, *(self._first_text_with(word) for word in media_words(media))))
        return self._texts[at] if at < len(self._texts) else None

    def _first_text_with(self, word: str) -> int:
        """Return the number of the first text with a remark that begins with a word."""
        if word not in self._first:
            self._first[word] = min(_texts_with_remark(self._remarks, word), default=len(self._texts))
        return self._first[word]


def _texts_with_remark(remarks: Sequence[tuple[str, int]], word: str) -> Iterator[int]:
    """Yield the numbers of the texts with a remark that begins with a word."""
    for place in range(bisect_left(remarks, (word, -1)), len(remarks)):
        remark, number = remarks[place]
        if not remark.startswith(word):
            return
        yield number
