"""Texts that the translator wrote itself and that are spread over several texts of the output.

A model reads neighbouring texts as one. Where a title, a page's words, a remark about media or a caption begins in one
of them and ends in another, they are compared as the one text that they make.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from typing import TypeVar

from toolcall_conformance.basics.reading import Media, Reading, Result, Text
from toolcall_conformance.basics.reading.model import Item, Value
from toolcall_conformance.judge.translation.media.captions import is_caption, media_type_words
from toolcall_conformance.judge.translation.media.media_identity import media_identity
from toolcall_conformance.judge.translation.media.result_captions import result_labels
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.results.placeholders import ReferencedMedia, without_placeholders
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus

Span = tuple[int, int]
"""Where a text begins and ends in the joined text of a row."""

SpanFinder = Callable[[str, Sequence[int]], Iterable[Span]]
"""Finds spans in the joined text of a row; the second argument says where each text of the row begins."""


Part = TypeVar("Part", bound=Item | Value)

_BLANKS = frozenset(" \t")


def join_spread_texts(sides: Sides) -> Sides:
    """Return the sides with texts of the output joined where a text that the translator wrote is spread over them."""
    if not any(len(row) > 1 for turn in sides.output.turns for row in _all_text_rows(turn.items)):
        return sides
    moved, remarks = _MovableTexts.of(sides), _Remarks.of(sides)
    if not moved.texts and remarks.is_empty:
        return sides
    turns = []
    for turn in sides.output.turns:
        names = [] if remarks.is_empty else _caption_names(sides, turn.items)
        items = [*_join_in_turn(turn.items, moved, remarks, names)]
        turns.append(replace(turn, items=[_join_in_result(item, moved, remarks) for item in items]))
    return replace(sides, output=replace(sides.output, turns=turns))


@dataclass(frozen=True, slots=True)
class _MovableTexts:
    """Texts that a translator may move: system prompts, and search results with titles and sources.

    ``cited`` are the texts of the search results alone, ``joints`` what may join two texts.
    """

    texts: tuple[str, ...]
    cited: tuple[str, ...]
    joints: tuple[str, ...]

    @classmethod
    def of(cls, sides: Sides) -> _MovableTexts:
        words = (word for text in _texts(sides.source) for word in (*text.labels, text.text.strip()) if text.labels)
        cited = tuple(dict.fromkeys(words))
        late = (item for turn in sides.source.turns if turn.side == "system" for item in turn.items)
        orders = (item.text.strip() for item in (*sides.source.system, *late) if isinstance(item, Text))
        joints = sides.corpus.equivalence("text-joined-by-whitespace").parameters["joints"]
        return cls((*cited, *dict.fromkeys(orders)), cited, tuple(joints))

    def finder_across(self, seams: Collection[str]) -> SpanFinder:
        """Return a finder of movable texts across a seam: last letter of a text, joint, first letter of the next."""
        texts = [text for text in self.texts if any(seam in text for seam in seams)]

        def spans(joined_text: str, _starts: Sequence[int]) -> Iterator[Span]:
            for text in texts:
                at = joined_text.find(text)
                while at >= 0:
                    yield at, at + len(text)
                    at = joined_text.find(text, at + len(text))

        return spans

    def title_boundaries(self, joined_text: str, starts: Sequence[int]) -> Iterator[Span]:
        """Yield boundaries at a blank in lines that cite: a title has a few words around it."""
        has: dict[Span, bool] = {}
        for start, line in zip(starts[1:], _cut_lines(joined_text, starts), strict=True):
            if line not in has:
                has[line] = any(text in joined_text[slice(*line)] for text in self.cited)
            if has[line] and _BLANKS.intersection(joined_text[start - 1 : start + 1]):
                yield start - 1, start + 1


@dataclass(frozen=True, slots=True)
class _Remarks:
    """Remarks about media, and captions.

    ``lost_media`` are those that the output has nowhere; in results, remarks may be about any of ``all_media``.
    ``moved_bytes`` are the bytes of the media of results, ``source_text`` is all that the source says, without white
    space, and ``lines`` are its texts and their lines.
    """

    corpus: Corpus
    lost_media: ReferencedMedia
    all_media: ReferencedMedia
    moved_bytes: frozenset[str]
    source_text: str
    lines: frozenset[str]

    @classmethod
    def of(cls, sides: Sides) -> _Remarks:
        media, output_identities = [*_media(sides.source)], {media_identity(item) for item in _media(sides.output)}
        lost = [item for item in media if media_identity(item) not in output_identities]
        source_media = (part for result in sides.source.results for part in result.parts if isinstance(part, Media))
        texts = [text.text for text in _texts(sides.source)]
        lines = frozenset(line.strip() for text in texts for line in (text, *text.splitlines()))
        moved, words = frozenset(map(media_identity, source_media)), squeeze("\n".join(texts))
        return cls(sides.corpus, ReferencedMedia(lost), ReferencedMedia(media), moved, words, lines)

    @property
    def is_empty(self) -> bool:
        """Whether there are no media to remark on."""
        return not len(self.all_media)

    def spans_in_turn(self, joined_text: str, starts: Sequence[int]) -> Iterator[Span]:
        return self._remark_spans(self.lost_media, joined_text, starts)

    def spans_in_result(self, joined_text: str, starts: Sequence[int]) -> Iterator[Span]:
        return self._remark_spans(self.all_media, joined_text, starts)

    def _remark_spans(self, media: ReferencedMedia, joined_text: str, starts: Sequence[int]) -> Iterator[Span]:
        """Yield the lines, and the remarks in brackets, that only say that media belong here."""
        if not len(media):
            return
        pattern = self.corpus.equivalence("media-placeholder").patterns["remark"]
        lines = dict.fromkeys(_cut_lines(joined_text, starts))
        lines |= dict.fromkeys(match.span() for match in pattern.matches(joined_text))
        for start, end in lines:
            if not without_placeholders(self.corpus, [joined_text[start:end]], media):
                yield start, end

    def caption_finder(self, names: Sequence[str]) -> SpanFinder:
        """Return a finder of the last line, if it is a caption."""

        def spans(joined_text: str, _starts: Sequence[int]) -> Iterator[Span]:
            start = joined_text.rstrip().rfind("\n") + 1
            if is_caption(self.corpus, joined_text[start:], names):
                yield start, len(joined_text)

        return spans

    def are_pieces_of_remark(self, pieces: Sequence[str]) -> bool:
        """Whether these are pieces of one remark: none is a remark by itself, and the source has none of them."""
        if squeeze("".join(pieces)) in self.source_text:
            return False
        return not any(
            piece.strip() in self.lines or without_placeholders(self.corpus, [piece], self.all_media) != [piece]
            for piece in pieces
        )


def _cut_lines(joined_text: str, starts: Sequence[int]) -> Iterator[Span]:
    """Yield the lines that one text of a row begins and another ends."""
    for start in starts[1:]:
        end = joined_text.find("\n", start)
        yield joined_text.rfind("\n", 0, start) + 1, len(joined_text) if end < 0 else end


def _join_in_turn(
    items: Iterable[Item], moved: _MovableTexts, remarks: _Remarks, names: Sequence[str]
) -> Iterator[Item]:
    """Yield the items of a turn, with texts joined where one text is spread over them."""
    rows = [*_text_rows(items)]
    for row, next_row in zip(rows, [*rows[1:], []], strict=True):
        texts = _plain_texts(row)
        if len(texts) < 2:
            yield from row
            continue
        texts = _join_spans(_join_movable(texts, moved), "", remarks.spans_in_turn, remarks.are_pieces_of_remark)
        media = next_row[0] if next_row else None
        if isinstance(media, Media) and media_identity(media) in remarks.moved_bytes:
            texts = _join_spans(
                texts, "", remarks.caption_finder([*names, *media_type_words(media)]), remarks.are_pieces_of_remark
            )
        yield from texts


def _join_in_result(item: Item, moved: _MovableTexts, remarks: _Remarks) -> Item:
    """Return a result with spread texts joined; any other item unchanged."""
    if not isinstance(item, Result):
        return item
    parts: list[Text | Media | Value] = []
    for row in _text_rows(item.parts):
        texts = _join_movable(_plain_texts(row), moved)
        parts += _join_spans(texts, "", remarks.spans_in_result, remarks.are_pieces_of_remark) if texts else row
    return replace(item, parts=tuple(parts))


def _join_movable(texts: list[Text], moved: _MovableTexts) -> list[Text]:
    """Return the texts, joined where a movable text is spread over them."""
    for joint in moved.joints:
        seams = {first.text[-1:] + joint + second.text[:1] for first, second in pairwise(texts)}
        texts = _join_spans(texts, joint, moved.finder_across(seams))
    return _join_spans(texts, "", moved.title_boundaries)


def _plain_texts(row: Sequence[Part]) -> list[Text]:
    """Return the texts without labels of a row; a row of other items gives none."""
    return [item for item in row if isinstance(item, Text) and not item.labels]


def _join_spans(
    texts: list[Text], joint: str, seek: SpanFinder, fits: Callable[[Sequence[str]], bool] | None = None
) -> list[Text]:
    """Return the texts, joined where a span that ``seek`` finds covers several of them; ``fits`` may refuse."""
    if len(texts) < 2:
        return texts
    starts = [0, *accumulate(len(text.text) + len(joint) for text in texts)]
    joined_text = joint.join(text.text for text in texts)
    glued: set[int] = set()  # indices of texts that are joined to the one before
    for start, end in seek(joined_text, starts[:-1]):
        within = range(bisect_right(starts, start), min(bisect_left(starts, end), len(texts)))
        if within and (fits is None or fits([text.text for text in texts[within[0] - 1 : within[-1] + 1]])):
            glued.update(within)
    merged_texts: list[Text] = []
    for number, text in enumerate(texts):
        merged_texts.append(text if number not in glued else _join_two(merged_texts.pop(), joint, text))
    return merged_texts


def _join_two(first: Text, joint: str, second: Text) -> Text:
    return replace(first, text=first.text + joint + second.text, citations=(*first.citations, *second.citations))


def _text_rows(items: Iterable[Part]) -> Iterator[list[Part]]:
    """Yield neighbouring texts without labels as one row, and the items between them as rows."""
    yield from (list(row) for _, row in groupby(items, lambda item: isinstance(item, Text) and not item.labels))


def _all_text_rows(items: Iterable[Item]) -> Iterator[list[Text]]:
    """Yield the rows of texts of a turn and of its results."""
    for row in _text_rows(items):
        yield _plain_texts(row)
        for item in row:
            if isinstance(item, Result):
                yield from map(_plain_texts, _text_rows(item.parts))


def _caption_names(sides: Sides, items: Iterable[Item]) -> list[str]:
    """Return what a caption in a turn may name: calls, and the labels of results' texts in the turn."""
    marks = {label for item in items if isinstance(item, Result) for label in result_labels(sides.corpus, item)}
    return [*{word for call in sides.output.calls for word in (call.name, call.id) if word}, *marks]


def _texts(reading: Reading) -> Iterator[Text]:
    return (part for part in _parts(reading) if isinstance(part, Text))


def _media(reading: Reading) -> Iterator[Media]:
    return (part for part in _parts(reading) if isinstance(part, Media))


def _parts(reading: Reading) -> Iterator[Item | Value]:
    for turn in reading.turns:
        for item in turn.items:
            yield from item.parts if isinstance(item, Result) else (item,)
