"""Placeholders: text in place of something that a format cannot express, such as an empty result or a picture."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from toolcall_conformance.basics.reading import Media
from toolcall_conformance.judge.translation.texts.words import WORD, words_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.library.equivalences import Equivalence


class ReferencedMedia:
    """Media that remarks may refer to: how many there are, and the words by which a remark refers to one.

    ``shared_media`` are those next to the result: many results may have the same.
    """

    def __init__(self, media: Sequence[Media], shared_media: ReferencedMedia | None = None) -> None:
        self._media, self._shared_media = media, shared_media

    def __len__(self) -> int:
        return len(self._media) + (0 if self._shared_media is None else len(self._shared_media))

    def begins_remark(self, remark: str) -> bool:
        """Whether a remark begins with the MIME type, address or id of one of the media."""
        # Of all words the one that sorts right before the remark begins it, or else one that begins that word.
        at = bisect_right(self._words, remark) - 1
        if at >= 0 and remark.startswith(self._words[at]):
            return True
        return self._shared_media is not None and self._shared_media.begins_remark(remark)

    @cached_property
    def _words(self) -> list[str]:
        """The words in order, without those that begin with another one."""
        words: list[str] = []
        for word in sorted({word for item in self._media for word in media_words(item)}):
            if not words or not word.startswith(words[-1]):
                words.append(word)
        return words


def media_words(media: Media) -> list[str]:
    """Return the words by which a remark refers to media: MIME type, address, id."""
    return [word for word in (media.mime, media.url, media.file_id) if word]


def remarks_in(corpus: Corpus, text: str) -> Iterator[str]:
    """Yield the remarks in brackets of a text, line by line, without the brackets."""
    pattern = corpus.equivalence("media-placeholder").patterns["remark"]
    return (match[0][1:-1] for line in text.split("\n") for match in pattern.matches(line))


def is_empty_placeholder(corpus: Corpus, text: str) -> bool:
    """Whether a text is a short placeholder for no output: blank, ``(no output)``, ``success``, ``{}`` etc."""
    equivalence = corpus.equivalence("placeholder-for-empty")
    plain = " ".join(text.lower().split()).strip(equivalence.parameters["around"])
    return not plain or plain in equivalence.words["nothing"]


def without_placeholders(
    corpus: Corpus, chunks: Sequence[str], media: ReferencedMedia, source_lines: Collection[str] = ()
) -> list[str]:
    """Return the chunks without remarks in brackets and lines that only say that media belong here.

    At most as many remarks are removed as there are media, and no line that is one of the ``source_lines``.
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
                if left and _refers_to_media(equivalence, match[0][1:-1], media):
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


def _refers_to_media(equivalence: Equivalence, remark: str, media: ReferencedMedia) -> bool:
    """Whether a remark begins with one of the media, or with a word for media."""
    return _begins_with_media_word(equivalence, remark) or media.begins_remark(remark)


def _begins_with_media_word(equivalence: Equivalence, remark: str) -> bool:
    """Whether a word for media, or a MIME type, comes first, after words that may lead to it."""
    for match in WORD.finditer(remark):
        word = match[0].lower()
        if word in equivalence.words["media"] or (
            word in equivalence.words["type_beginnings"] and _continues_as_mime_type(remark[match.end() :])
        ):
            return True
        if word not in equivalence.words["leading"]:
            return False
    return False


def _continues_as_mime_type(text: str) -> bool:
    return text[:1] == "/" and (text[1:2].isalnum() or text[1:2] in tuple("_.+-"))


def _points_at_media(equivalence: Equivalence, line: str) -> bool:
    """Whether a short line has a word for media and one that points at them."""
    if len(line) > equivalence.parameters["longest_line"]:
        return False
    words = set(words_of(line))
    return not words.isdisjoint(equivalence.words["pointing"]) and not (
        words.isdisjoint(equivalence.words["media"]) and words.isdisjoint(equivalence.words["spoken"])
    )


def without_references(value: Any) -> Any:
    """Return an object without the entries that only refer to media of its result (``{"$ref": "name"}``)."""
    if not isinstance(value, dict):
        return value
    return {
        key: entry
        for key, entry in value.items()
        if not (isinstance(entry, dict) and list(entry) == ["$ref"] and isinstance(entry["$ref"], str))
    }
