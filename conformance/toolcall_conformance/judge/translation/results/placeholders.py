"""Text that stands for something a format cannot say: an empty result, a picture in a place for text only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from toolcall_conformance.basics.reading import Media
from toolcall_conformance.judge.translation.texts.words import WORD, words_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.library.equivalences import Equivalence


class Described:
    """Media that remarks may stand for: how many there are, and by which words a remark tells that it means one.

    ``beside`` are further ones, known together: many results may have the same media beside them.
    """

    def __init__(self, media: Sequence[Media], beside: Described | None = None) -> None:
        self._media, self._beside = media, beside

    def __len__(self) -> int:
        return len(self._media) + (0 if self._beside is None else len(self._beside))

    def begin(self, remark: str) -> bool:
        """Whether a remark begins with one of them, by MIME type, address or id."""
        # Of all words the one that sorts right before the remark begins it, or else one that begins that word.
        at = bisect_right(self._words, remark) - 1
        if at >= 0 and remark.startswith(self._words[at]):
            return True
        return self._beside is not None and self._beside.begin(remark)

    @cached_property
    def _words(self) -> list[str]:
        """The words in order, without those that another one begins."""
        words: list[str] = []
        for word in sorted({word for item in self._media for word in words_for(item)}):
            if not words or not word.startswith(words[-1]):
                words.append(word)
        return words


def words_for(media: Media) -> list[str]:
    """The words by which a remark tells that it means these media: MIME type, address, id."""
    return [word for word in (media.mime, media.url, media.file_id) if word]


def remarks_in(corpus: Corpus, text: str) -> Iterator[str]:
    """What a text says in brackets, line by line."""
    pattern = corpus.equivalence("media-placeholder").patterns["remark"]
    return (match[0][1:-1] for line in text.split("\n") for match in pattern.matches(line))


def says_nothing(corpus: Corpus, text: str) -> bool:
    """Whether text is a short stand-in for no output: blank, ``(no output)``, ``success``, ``{}`` and the like."""
    equivalence = corpus.equivalence("placeholder-for-empty")
    plain = " ".join(text.lower().split()).strip(equivalence.parameters["around"])
    return not plain or plain in equivalence.words["nothing"]


def without_placeholders(
    corpus: Corpus, chunks: Sequence[str], media: Described, source_lines: Collection[str] = ()
) -> list[str]:
    """The chunks without remarks in brackets and lines that only say that media belong here.

    At most as many remarks are removed as there are media, and no line that the source ``source_lines``.
    """
    equivalence = corpus.equivalence("media-placeholder")
    left = len(media)
    remaining: list[str] = []
    for chunk in chunks:
        lines: list[str] = []
        for line in chunk.split("\n"):
            if line.strip() in source_lines:
                lines.append(line)
                continue
            pieces, end = [], 0
            for match in equivalence.patterns["remark"].matches(line):
                if left and _describes(equivalence, match[0][1:-1], media):
                    pieces.append(line[end : match.start()])
                    end, left = match.end(), left - 1
            rest = "".join([*pieces, line[end:]])
            if left and rest == line and _points_at_media(equivalence, line):
                rest, left = "", left - 1
            if rest.strip() or rest == line:
                lines.append(rest)
        text = "\n".join(lines)
        remaining.append(chunk if text == chunk else text.strip("\n"))
    return [chunk for chunk in remaining if chunk.strip()]


def _describes(equivalence: Equivalence, remark: str, media: Described) -> bool:
    """Whether a remark begins with one of the media, or says first that there are media."""
    return _names_media(equivalence, remark) or media.begin(remark)


def _names_media(equivalence: Equivalence, remark: str) -> bool:
    """Whether a word for media, or a MIME type, stands first, but for words that may lead to it."""
    for match in WORD.finditer(remark):
        word = match[0].lower()
        if word in equivalence.words["media"] or (
            word in equivalence.words["type_beginnings"] and _goes_on_as_type(remark[match.end() :])
        ):
            return True
        if word not in equivalence.words["leading"]:
            return False
    return False


def _goes_on_as_type(rest: str) -> bool:
    return rest[:1] == "/" and (rest[1:2].isalnum() or rest[1:2] in tuple("_.+-"))


def _points_at_media(equivalence: Equivalence, line: str) -> bool:
    """Whether a short line has a word for media and one that points at them."""
    if len(line) > equivalence.parameters["longest_line"]:
        return False
    words = set(words_of(line))
    return not words.isdisjoint(equivalence.words["pointing"]) and not (
        words.isdisjoint(equivalence.words["media"]) and words.isdisjoint(equivalence.words["spoken"])
    )


def without_references(value: Any) -> Any:
    """An object without the entries that only refer to media beside it (``{"$ref": "name"}``)."""
    if not isinstance(value, dict):
        return value
    return {
        key: entry
        for key, entry in value.items()
        if not (isinstance(entry, dict) and list(entry) == ["$ref"] and isinstance(entry["$ref"], str))
    }
