"""Texts that a translator wrote itself and that several texts of the output make together.

A model reads texts that stand side by side as one. Where a title, a page's words, a remark about media or a caption
begins in one of them and ends in another, they are compared as the one text that they make.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from typing import TypeVar

from toolcall_conformance.basics.reading import Media, Reading, Result, Text
from toolcall_conformance.basics.reading.model import Item, Value
from toolcall_conformance.judge.translation.media.captions import is_caption, kinds
from toolcall_conformance.judge.translation.media.media_bytes import media_bytes
from toolcall_conformance.judge.translation.media.result_captions import labels
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.results.placeholders import Described, without_placeholders
from toolcall_conformance.judge.translation.texts.text_chunks import squeeze
from toolcall_conformance.library import Corpus

Span = tuple[int, int]
"""Where a text begins and ends in the one that a row makes."""

Seek = Callable[[str, Sequence[int]], Iterable[Span]]
"""Finds texts in the joined text of a row, whose texts begin at the given places."""


Part = TypeVar("Part", bound=Item | Value)

_BLANK = frozenset(" \t")


def settle(sides: Sides) -> Sides:
    """The sides, with texts of the output joined where one that the translator wrote is spread over them."""
    if not any(len(row) > 1 for turn in sides.output.turns for row in _all_rows(turn.items)):
        return sides
    moved, remarks = _Moved.of(sides), _Remarks.of(sides)
    if not moved.texts and remarks.idle:
        return sides
    turns = []
    for turn in sides.output.turns:
        names = [] if remarks.idle else _names(sides, turn.items)
        items = [*_joined(turn.items, moved, remarks, names)]
        turns.append(replace(turn, items=[_inside(item, moved, remarks) for item in items]))
    return replace(sides, output=replace(sides.output, turns=turns))


@dataclass(frozen=True, slots=True)
class _Moved:
    """What may stand as text elsewhere than it stood: system prompts, and search results with titles and sources.

    ``cited`` are the texts of the search results alone, ``joints`` what may join two texts.
    """

    texts: tuple[str, ...]
    cited: tuple[str, ...]
    joints: tuple[str, ...]

    @classmethod
    def of(cls, sides: Sides) -> _Moved:
        words = (word for text in _texts(sides.source) for word in (*text.labels, text.text.strip()) if text.labels)
        cited = tuple(dict.fromkeys(words))
        late = (item for turn in sides.source.turns if turn.side == "system" for item in turn.items)
        orders = (item.text.strip() for item in (*sides.source.system, *late) if isinstance(item, Text))
        joints = sides.corpus.equivalence("text-joined-by-whitespace").parameters["joints"]
        return cls((*cited, *dict.fromkeys(orders)), cited, tuple(joints))

    def across(self, seams: Collection[str]) -> Seek:
        """Finds them where one goes across a seam: the last letter of a text, what joins it, and the next letter."""
        texts = [text for text in self.texts if any(seam in text for seam in seams)]

        def spans(whole: str, _starts: Sequence[int]) -> Iterator[Span]:
            for text in texts:
                at = whole.find(text)
                while at >= 0:
                    yield at, at + len(text)
                    at = whole.find(text, at + len(text))

        return spans

    def words_around(self, whole: str, starts: Sequence[int]) -> Iterator[Span]:
        """Where a line that cites is cut at a blank: a title has a few words around it."""
        has: dict[Span, bool] = {}
        for start, line in zip(starts[1:], _lines(whole, starts), strict=True):
            if line not in has:
                has[line] = any(text in whole[slice(*line)] for text in self.cited)
            if has[line] and _BLANK.intersection(whole[start - 1 : start + 1]):
                yield start - 1, start + 1


@dataclass(frozen=True, slots=True)
class _Remarks:
    """Remarks about media, and captions.

    ``lost`` are the media that the output has nowhere; in results remarks may also tell of those of other results,
    ``anywhere``. ``moved`` are the bytes of the media of results, ``said`` is all that the source says, without
    white space, and ``lines`` are its texts and their lines.
    """

    corpus: Corpus
    lost: Described
    anywhere: Described
    moved: frozenset[str]
    said: str
    lines: frozenset[str]

    @classmethod
    def of(cls, sides: Sides) -> _Remarks:
        media, there = [*_media(sides.source)], {media_bytes(item) for item in _media(sides.output)}
        lost = [item for item in media if media_bytes(item) not in there]
        source_media = (part for result in sides.source.results for part in result.parts if isinstance(part, Media))
        texts = [text.text for text in _texts(sides.source)]
        lines = frozenset(line.strip() for text in texts for line in (text, *text.splitlines()))
        moved, words = frozenset(map(media_bytes, source_media)), squeeze("\n".join(texts))
        return cls(sides.corpus, Described(lost), Described(media), moved, words, lines)

    @property
    def idle(self) -> bool:
        """Whether there are no media to tell of."""
        return not len(self.anywhere)

    def in_turns(self, whole: str, starts: Sequence[int]) -> Iterator[Span]:
        return self._about(self.lost, whole, starts)

    def in_results(self, whole: str, starts: Sequence[int]) -> Iterator[Span]:
        return self._about(self.anywhere, whole, starts)

    def _about(self, media: Described, whole: str, starts: Sequence[int]) -> Iterator[Span]:
        """The lines, and the remarks in brackets, that only say that media belong here."""
        if not len(media):
            return
        pattern = self.corpus.equivalence("media-placeholder").patterns["remark"]
        lines = dict.fromkeys(_lines(whole, starts))
        lines |= dict.fromkeys(match.span() for match in pattern.matches(whole))
        for start, end in lines:
            if not without_placeholders(self.corpus, [whole[start:end]], media):
                yield start, end

    def caption(self, names: Sequence[str]) -> Seek:
        """Finds the last line, if it is a caption."""

        def spans(whole: str, _starts: Sequence[int]) -> Iterator[Span]:
            start = whole.rstrip().rfind("\n") + 1
            if is_caption(self.corpus, whole[start:], names):
                yield start, len(whole)

        return spans

    def is_cut(self, pieces: Sequence[str]) -> bool:
        """Whether these are pieces of one remark: the source says none of them, and none is a remark by itself."""
        if squeeze("".join(pieces)) in self.said:
            return False
        return not any(
            piece.strip() in self.lines or without_placeholders(self.corpus, [piece], self.anywhere) != [piece]
            for piece in pieces
        )


def _lines(whole: str, starts: Sequence[int]) -> Iterator[Span]:
    """The lines that one text of a row begins and another ends."""
    for start in starts[1:]:
        end = whole.find("\n", start)
        yield whole.rfind("\n", 0, start) + 1, len(whole) if end < 0 else end


def _joined(items: Iterable[Item], moved: _Moved, remarks: _Remarks, names: Sequence[str]) -> Iterator[Item]:
    """The items of a turn, its rows of texts joined where one text is spread over them."""
    rows = [*_rows(items)]
    for row, next_row in zip(rows, [*rows[1:], []], strict=True):
        texts = _texts_of(row)
        if len(texts) < 2:
            yield from row
            continue
        texts = _merged(_with_moved(texts, moved), "", remarks.in_turns, remarks.is_cut)
        media = next_row[0] if next_row else None
        if isinstance(media, Media) and media_bytes(media) in remarks.moved:
            texts = _merged(texts, "", remarks.caption([*names, *kinds(media)]), remarks.is_cut)
        yield from texts


def _inside(item: Item, moved: _Moved, remarks: _Remarks) -> Item:
    """A result with its texts joined; any other item as it is."""
    if not isinstance(item, Result):
        return item
    parts: list[Text | Media | Value] = []
    for row in _rows(item.parts):
        texts = _with_moved(_texts_of(row), moved)
        parts += _merged(texts, "", remarks.in_results, remarks.is_cut) if texts else row
    return replace(item, parts=tuple(parts))


def _with_moved(texts: list[Text], moved: _Moved) -> list[Text]:
    for joint in moved.joints:
        seams = {first.text[-1:] + joint + second.text[:1] for first, second in pairwise(texts)}
        texts = _merged(texts, joint, moved.across(seams))
    return _merged(texts, "", moved.words_around)


def _texts_of(row: Sequence[Part]) -> list[Text]:
    """The texts of a row without labels; none of any other row."""
    return [item for item in row if isinstance(item, Text) and not item.labels]


def _merged(
    texts: list[Text], joint: str, seek: Seek, fits: Callable[[Sequence[str]], bool] | None = None
) -> list[Text]:
    """The texts, those joined that a text which ``seek`` finds is spread over; ``fits`` may refuse."""
    if len(texts) < 2:
        return texts
    starts = [0, *accumulate(len(text.text) + len(joint) for text in texts)]
    whole = joint.join(text.text for text in texts)
    glued: set[int] = set()  # the numbers of those that are joined to the one before
    for start, end in seek(whole, starts[:-1]):
        within = range(bisect_right(starts, start), min(bisect_left(starts, end), len(texts)))
        if within and (fits is None or fits([text.text for text in texts[within[0] - 1 : within[-1] + 1]])):
            glued.update(within)
    merged_texts: list[Text] = []
    for number, text in enumerate(texts):
        merged_texts.append(text if number not in glued else _glued(merged_texts.pop(), joint, text))
    return merged_texts


def _glued(first: Text, joint: str, second: Text) -> Text:
    return replace(first, text=first.text + joint + second.text, citations=(*first.citations, *second.citations))


def _rows(items: Iterable[Part]) -> Iterator[list[Part]]:
    """Texts without labels that stand side by side, and each other row of items."""
    yield from (list(row) for _, row in groupby(items, lambda item: isinstance(item, Text) and not item.labels))


def _all_rows(items: Iterable[Item]) -> Iterator[list[Text]]:
    """The rows of a turn and of its results that are texts."""
    for row in _rows(items):
        yield _texts_of(row)
        for item in row:
            if isinstance(item, Result):
                yield from map(_texts_of, _rows(item.parts))


def _names(sides: Sides, items: Iterable[Item]) -> list[str]:
    """What a caption in a turn may name: calls, and what the texts of results there are labelled with."""
    marks = {label for item in items if isinstance(item, Result) for label in labels(sides.corpus, item)}
    return [*{word for call in sides.output.calls for word in (call.name, call.id) if word}, *marks]


def _texts(reading: Reading) -> Iterator[Text]:
    return (part for part in _parts(reading) if isinstance(part, Text))


def _media(reading: Reading) -> Iterator[Media]:
    return (part for part in _parts(reading) if isinstance(part, Media))


def _parts(reading: Reading) -> Iterator[Item | Value]:
    for turn in reading.turns:
        for item in turn.items:
            yield from item.parts if isinstance(item, Result) else (item,)
