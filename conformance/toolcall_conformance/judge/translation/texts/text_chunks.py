"""Two runs of text: which chunks of one are whole and in order in the other, and which text is left over.

Chunks may be joined or cut anew at white space: positions are counted without any white space (*squeezed*), so that a
chunk is found however its neighbours are joined to it, and the white space inside it is compared afterwards.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from toolcall_conformance.basics.reading import Text
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus

_NON_SPACE = re.compile(r"\S+")
PREFIX_LENGTH = 64  # characters of a text by which its places are indexed


def is_phrase(corpus: Corpus, text: str) -> bool:
    """Whether a text is long enough to be recognised in the middle of another one."""
    parameters = corpus.alignment.parameters
    words: int = parameters["phrase_words"]
    characters: int = parameters["phrase_characters"]
    return len(text.split(maxsplit=words)) >= words or len(text) >= characters


@dataclass(frozen=True, slots=True)
class NewText:
    """A stretch of new text that belongs to no old chunk.

    ``glued``: at most a blank is between it and an old chunk. ``chunk`` is the index of the new chunk.
    """

    text: str
    chunk: int
    glued: bool


@dataclass(slots=True)
class ChunkDifference:
    """Indices of old chunks without a place, and new text without an origin."""

    lost: list[int] = field(default_factory=list)
    fresh: list[NewText] = field(default_factory=list)


class Haystack:
    """A run's text in which chunks are looked up. Positions are squeezed ones; a region is a pair of them."""

    def __init__(self, corpus: Corpus, chunks: Sequence[str]) -> None:
        self._alignment = corpus.alignment
        self.tries: int = self._alignment.parameters["most_tries"]
        self.full_text = "\n".join(chunks)
        self._chunks = [0]
        for chunk in chunks:
            self._chunks.append(self._chunks[-1] + len(chunk) + 1)
        self._word_starts = [match.start() for match in _NON_SPACE.finditer(self.full_text)]
        words = self.full_text.split()
        self.squeezed = "".join(words)
        self._word_positions: list[int] = []
        count = 0
        for word in words:
            self._word_positions.append(count)
            count += len(word)
        self.size = count
        self.heads, self.tails = self._edges(words)
        self._index: dict[int, dict[str, list[int]]] = {}

    def _edges(self, words: Sequence[str]) -> tuple[set[int], set[int]]:
        """Return the positions where a line, or the inside of a tag, begins, and those where it ends."""
        heads, tails = {0}, {self.size}
        for number in range(1, len(words)):
            if (
                "\n"
                in self.full_text[self._word_starts[number - 1] + len(words[number - 1]) : self._word_starts[number]]
            ):
                heads.add(self._word_positions[number])
                tails.add(self._word_positions[number])
        for tag in self._alignment.patterns["tag"].matches(self.full_text):
            heads.add(self._squeezed_position(tag.end()))
            tails.add(self._squeezed_position(tag.start()))
        return heads, tails

    def _squeezed_position(self, place: int) -> int:
        """Return how many characters other than white space come before a place of ``full_text``."""
        number = bisect_right(self._word_starts, place) - 1  # a tag is part of a word, so there is one
        after = self._word_positions[number + 1] if number + 1 < len(self._word_positions) else self.size
        return min(self._word_positions[number] + place - self._word_starts[number], after)

    def _raw_position(self, position: int) -> int:
        number = bisect_right(self._word_positions, position) - 1
        return self._word_starts[number] + position - self._word_positions[number]

    def raw_text(self, start: int, end: int) -> str:
        """Return the text of a region with its white space."""
        return self.full_text[self._raw_position(start) : self._raw_position(end - 1) + 1]

    def chunk_at(self, position: int) -> int:
        """Return the index of the chunk that a position is in."""
        return bisect_right(self._chunks, self._raw_position(position)) - 1

    def chunk_start(self, chunk: int) -> int:
        """Return the position at which a chunk begins."""
        return self._squeezed_position(self._chunks[chunk])

    def has_white_space_of(self, start: int, end: int, text: str) -> bool:
        """Whether a region has the white space of ``text``, except where chunks meet. Squeezed, the two are equal."""
        left, right = self._raw_position(start), self._raw_position(end - 1) + 1
        if self.full_text[left:right] == text:
            return True
        seams = self._chunks[bisect_right(self._chunks, left) : bisect_left(self._chunks, right)]
        at = 0
        for piece_start, piece_end in zip([left, *seams], [*seams, right], strict=True):
            piece = self.full_text[piece_start:piece_end].strip()
            while at < len(text) and text[at].isspace():
                at += 1
            if not text.startswith(piece, at):
                return False
            at += len(piece)
        return bool(seams) and at == len(text)

    def is_between_words(self, position: int) -> bool:
        """Whether a position does not cut a word in two."""
        if position in (0, self.size):
            return True
        place = self._raw_position(position)
        return not (self.full_text[place - 1].isalnum() and self.full_text[place].isalnum())

    def whole_matches(self, text: str, key: str) -> list[int]:
        """Return the positions where a text makes up whole lines or chunks, or the inside of a tag."""
        length = min(len(key), PREFIX_LENGTH)
        if length not in self._index:
            index: dict[str, list[int]] = {}
            for head in sorted(self.heads):
                index.setdefault(self.squeezed[head : head + length], []).append(head)
            self._index[length] = index
        return [
            head
            for head in self._index[length].get(key[:length], ())
            if head + len(key) in self.tails
            and self.squeezed.startswith(key, head)
            and self.has_white_space_of(head, head + len(key), text)
        ]

    def find_words(self, text: str, key: str, low: int, high: int, follower: str = "") -> int | None:
        """Return the first position where a text is as whole words, or directly before ``follower``; else None."""
        at = low - 1
        for _ in range(self.tries):
            at = self.squeezed.find(key, at + 1, high)
            if at < 0:
                return None
            end = at + len(key)
            if (
                (at == low or self.is_between_words(at))
                and (
                    end == high
                    or self.is_between_words(end)
                    or (follower and self.squeezed.startswith(follower, end, high))
                )
                and self.has_white_space_of(at, end, text)
            ):
                return at
        return None  # pragma: no cover - a bound on the work


def compare_chunks(corpus: Corpus, old: Sequence[Text], new: Sequence[Text]) -> ChunkDifference:
    """Return the old chunks that are not in the new text, in order, and the new text that is in no old chunk."""
    haystack = Haystack(corpus, [chunk.text for chunk in new])
    if not haystack.size:
        return ChunkDifference(lost=list(range(len(old))))
    placed = _place_in_order([chunk.text.strip() for chunk in old], haystack)
    difference = ChunkDifference(lost=[number for number in range(len(old)) if number not in placed])
    low = 0
    for start, end in [*(placed[number] for number in sorted(placed)), (haystack.size, haystack.size)]:
        if start > low:
            glued = (low > 0 and low not in haystack.tails) or (start < haystack.size and start not in haystack.heads)
            difference.fresh.append(NewText(haystack.raw_text(low, start), haystack.chunk_at(low), glued))
        low = end
    return difference


def _place_in_order(texts: Sequence[str], haystack: Haystack) -> dict[int, tuple[int, int]]:
    """Return disjoint regions of the old chunks, in order: first from both ends, then whole chunks, then words."""
    keys = [squeeze(text) for text in texts]
    placed: dict[int, tuple[int, int]] = {}
    low = high = 0
    first = _place_from_start(texts, keys, haystack, placed)
    low = placed[first - 1][1] if first else 0
    last = _place_from_end(texts, keys, haystack, placed, first, low)
    high = placed[last][0] if last < len(texts) else haystack.size
    for number, start in _longest_chain(texts, keys, haystack, range(first, last), low, high):
        placed[number] = (start, start + len(keys[number]))
    ceilings = [high] * (last + 1)
    for number in range(last - 1, first - 1, -1):
        ceilings[number] = placed[number][0] if number in placed else ceilings[number + 1]
    for number in range(first, last):
        if number not in placed:
            follower = keys[number + 1] if number + 1 < len(keys) else ""
            at = haystack.find_words(texts[number], keys[number], low, ceilings[number], follower)
            if at is None:
                continue
            placed[number] = (at, at + len(keys[number]))
        low = placed[number][1]
    return placed


def _place_from_start(
    texts: Sequence[str], keys: Sequence[str], haystack: Haystack, placed: dict[int, tuple[int, int]]
) -> int:
    """Place the chunks that the new text begins with. Returns how many they are."""
    at = count = 0
    while count < len(keys) and haystack.squeezed.startswith(keys[count], at):
        end = at + len(keys[count])
        if not haystack.has_white_space_of(at, end, texts[count]):
            break
        placed[count] = (at, end)
        at, count = end, count + 1
    while count and not (haystack.is_between_words(at) or haystack.squeezed.startswith(keys[0], at)):
        count -= 1
        at = placed.pop(count)[0]
    return count


def _place_from_end(
    texts: Sequence[str],
    keys: Sequence[str],
    haystack: Haystack,
    placed: dict[int, tuple[int, int]],
    first_index: int,
    low: int,
) -> int:
    """Place the chunks that the new text ends with, down to those already placed. Returns the first one's index."""
    at, last = haystack.size, len(keys)
    while last > first_index and haystack.squeezed.endswith(keys[last - 1], low, at):
        start = at - len(keys[last - 1])
        if not haystack.has_white_space_of(start, at, texts[last - 1]):
            break
        last -= 1
        placed[last] = (start, at)
        at = start
    while last < len(keys) and not (at == low or haystack.is_between_words(at)):
        at = placed.pop(last)[1]
        last += 1
    return last


def _longest_chain(
    texts: Sequence[str], keys: Sequence[str], haystack: Haystack, numbers: range, low: int, high: int
) -> list[tuple[int, int]]:
    """Return the longest chain of whole chunks in order, with their positions."""
    places: dict[str, list[int]] = {}
    ends: list[int] = []  # ends[k]: the earliest end of a chain of k + 1 chunks
    tips: list[int] = []  # the link at that end
    links: list[tuple[int, int, int]] = []  # chunk, start, link before
    for number in numbers:
        text, key = texts[number], keys[number]
        if text not in places:
            places[text] = [at for at in haystack.whole_matches(text, key) if low <= at and at + len(key) <= high]
        # Where one text has very many places, those after the shortest chains decide nothing.
        for start in reversed(places[text][: haystack.tries * 2]):
            length = bisect_right(ends, start)
            end = start + len(key)
            if length == len(ends):
                ends.append(end)
                tips.append(0)
            elif end >= ends[length]:
                continue
            links.append((number, start, tips[length - 1] if length else -1))
            ends[length], tips[length] = end, len(links) - 1
    chain: list[tuple[int, int]] = []
    link = tips[-1] if tips else -1
    while link >= 0:
        number, start, link = links[link]
        chain.append((number, start))
    return chain[::-1]
