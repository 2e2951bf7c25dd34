"""Text that stands for something a format cannot say: an empty result, a picture in a place for text only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from toolcall_conformance.equivalences import Equivalence
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Media
from toolcall_conformance.translation.words import WORD, words_of


def says_nothing(corpus: Corpus, text: str) -> bool:
    """Whether text is a short stand-in for no output: blank, ``(no output)``, ``success``, ``{}`` and the like."""
    known = corpus.equivalence("placeholder-for-empty")
    plain = " ".join(text.lower().split()).strip(known.parameters["around"])
    return not plain or plain in known.words["nothing"]


def without_placeholders(
    corpus: Corpus, chunks: Sequence[str], media: Sequence[Media], said: Collection[str] = ()
) -> list[str]:
    """The chunks without remarks in brackets and lines that only say that media belong here.

    At most as many remarks are removed as there are media, and no line that the source ``said``.
    """
    known = corpus.equivalence("media-placeholder")
    left = len(media)
    kept: list[str] = []
    for chunk in chunks:
        lines: list[str] = []
        for line in chunk.split("\n"):
            rest = line
            if line.strip() in said:
                lines.append(line)
                continue
            for found in known.patterns["remark"].matches(line):
                if left and _describes(known, found[0][1:-1], media):
                    rest, left = rest.replace(found[0], "", 1), left - 1
            if left and rest == line and _points_at_media(known, line):
                rest, left = "", left - 1
            if rest.strip() or rest == line:
                lines.append(rest)
        text = "\n".join(lines)
        kept.append(chunk if text == chunk else text.strip("\n"))
    return [chunk for chunk in kept if chunk.strip()]


def _describes(known: Equivalence, remark: str, media: Sequence[Media]) -> bool:
    """Whether a remark begins with one of the media, by MIME type or address, or says first that there are media."""
    given = [word for item in media for word in (item.mime, item.url, item.file_id) if word]
    return _names_media(known, remark) or any(remark.startswith(word) for word in given)


def _names_media(known: Equivalence, remark: str) -> bool:
    """Whether a word for media, or a MIME type, stands first, but for words that may lead to it."""
    for found in WORD.finditer(remark):
        word = found[0].lower()
        if word in known.words["media"] or (
            word in known.words["type_beginnings"] and _goes_on_as_type(remark[found.end() :])
        ):
            return True
        if word not in known.words["leading"]:
            return False
    return False


def _goes_on_as_type(rest: str) -> bool:
    return rest[:1] == "/" and (rest[1:2].isalnum() or rest[1:2] in tuple("_.+-"))


def _points_at_media(known: Equivalence, line: str) -> bool:
    """Whether a short line has a word for media and one that points at them."""
    if len(line) > known.parameters["longest_line"]:
        return False
    words = set(words_of(line))
    return not words.isdisjoint(known.words["pointing"]) and not (
        words.isdisjoint(known.words["media"]) and words.isdisjoint(known.words["spoken"])
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
