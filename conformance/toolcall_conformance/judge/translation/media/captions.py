"""Captions and placeholders: texts that translators write themselves, about media that had to leave their result.

A caption is right before media and names the call that they come from. A placeholder is where media could not go.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, takewhile

from toolcall_conformance.basics.reading import Media, Result, Text, Turn
from toolcall_conformance.judge.translation.media.media_identity import media_identity
from toolcall_conformance.judge.translation.media.result_captions import (
    ExtraCallIds,
    Neighbours,
    captioned_call,
    label_of,
    result_labels,
)
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.placeholders import ReferencedMedia, without_placeholders
from toolcall_conformance.judge.translation.texts.text_search import PieceSearch
from toolcall_conformance.judge.translation.texts.words import (
    NameMentions,
    NamesInAnyCase,
    name_tokens,
    replace_name,
    words_of,
)
from toolcall_conformance.library import Corpus


def redundant_captions(pair: Pair) -> frozenset[str]:
    """Return pointers of the source's captions whose media are in the named result itself in the output."""
    inside: dict[int | None, set[str]] = {}
    for result in pair.output.results:
        inside.setdefault(result.call, set()).update(media_identity(part) for part in result.parts if _is_media(part))
    pointers: set[str] = set()
    if not any(inside.values()):
        return frozenset()
    calls, called = pair.source.calls, ExtraCallIds(pair.extra_call_ids)
    for turn in pair.source.turns:
        neighbours = Neighbours(turn)
        for index, (text, item) in enumerate(pairwise(turn.items), 1):
            if isinstance(item, Media) and isinstance(text, Text):
                call = captioned_call(pair.corpus, neighbours, index, calls, called)
                home = inside.get(pair.call_pairs.get(call)) if call is not None else None
                if home is not None and all(media_identity(each) in home for each in _media_row(turn, index)):
                    pointers.add(text.pointer)
    return frozenset(pointers)


def _media_row(turn: Turn, start: int) -> Iterator[Media]:
    """Yield the neighbouring media from ``start`` on."""
    return takewhile(_is_media, map(turn.items.__getitem__, range(start, len(turn.items))))  # type: ignore[arg-type]


def _is_media(item: object) -> bool:
    return isinstance(item, Media)


def captions_with_source_ids(pair: Pair) -> dict[str, str]:
    """Return, by pointer, the source's text of captions of the output that differ from it only in ids."""
    source, output = pair.source.calls, pair.output.calls
    names: dict[int, set[str]] = {call.ordinal: {call.id} for call in source if call.id}
    for word, ordinal in pair.extra_call_ids.items():
        names.setdefault(ordinal, set()).add(word)
    new_ids = {
        old: new
        for left, right in sorted(pair.call_pairs.items())
        for old in names.get(left, ())
        if (new := output[right].id) and old != new
    }
    if not new_ids:
        return {}
    source_texts: dict[str, str] = {}
    renames = _Renames(new_ids)
    for turn in pair.source.turns:
        for text, item in pairwise(turn.items):
            if isinstance(text, Text) and isinstance(item, Media):
                renamed_text = renames.apply(text.text)
                if renamed_text != text.text:
                    source_texts[renamed_text.strip()] = text.text
    texts = (item for turn in pair.output.turns for item in turn.items if isinstance(item, Text))
    return {text.pointer: source_texts[text.text.strip()] for text in texts if text.text.strip() in source_texts}


class _Renames:
    """New names by old ones, to be replaced in texts one after the other."""

    def __init__(self, new_names: Mapping[str, str]) -> None:
        self._pairs = list(new_names.items())
        self._order = {old: number for number, old in enumerate(new_names)}
        self._names = NameMentions(new_names)

    def apply(self, text: str) -> str:
        """Return a text with the new names. A new name that is itself a later old name is replaced as well."""
        last = -1
        while ahead := [number for name in self._names.names_in(text) if (number := self._order[name]) > last]:
            last = min(ahead)
            text = replace_name(text, *self._pairs[last])
        return text


def captions_and_placeholders(pair: Pair) -> frozenset[str]:
    """Return pointers of the output's texts that are captions of media from results, or placeholders.

    A text of the source is neither.
    """
    media = [item for turn in pair.source.turns for item in _media_of(turn)]
    if not media:
        return frozenset()
    arrived = {media_identity(item) for turn in pair.output.turns for item in _media_of(turn)}
    lost = [item for item in media if media_identity(item) not in arrived]
    all_lost, lost_of_assistant = ReferencedMedia(lost), ReferencedMedia(_missing_assistant_media(pair, arrived))
    moved = {media_identity(part) for result in pair.source.results for part in result.parts if isinstance(part, Media)}
    source_texts = {item.text.strip() for turn in pair.source.turns for item in turn.items if isinstance(item, Text)}
    names = NamesInAnyCase({word for call in pair.output.calls for word in (call.name, call.id) if word})
    pointers: set[str] = set()
    for turn in pair.output.turns:
        results = [item for item in turn.items if isinstance(item, Result)]
        marked = NamesInAnyCase({label for result in results for label in result_labels(pair.corpus, result)})
        for text, next_item in zip(turn.items, [*turn.items[1:], None], strict=True):
            if not isinstance(text, Text) or text.text.strip() in source_texts:
                continue
            is_moved = isinstance(next_item, Media) and media_identity(next_item) in moved
            captions = is_moved and is_caption(
                pair.corpus,
                text.text,
                [*names.candidates_in(text.text), *marked.candidates_in(text.text), *media_type_words(next_item)],
            )
            lost_media = all_lost if turn.side == "user" else lost_of_assistant
            if captions or (lost_media and not without_placeholders(pair.corpus, [text.text], lost_media)):
                pointers.add(text.pointer)
    return frozenset(pointers)


def texts_without_placeholders(pair: Pair) -> dict[str, str]:
    """Return, by pointer, texts of the output without the placeholders for lost media inside them.

    Remarks in brackets that the source has are no placeholders.
    """
    media = [item for turn in pair.source.turns for item in _media_of(turn)]
    arrived = {media_identity(item) for turn in pair.output.turns for item in _media_of(turn)}
    lost = [item for item in media if media_identity(item) not in arrived]
    if not lost:
        return {}
    source_text = "\n".join(item.text for turn in pair.source.turns for item in turn.items if isinstance(item, Text))
    pattern = pair.corpus.equivalence("media-placeholder").patterns["remark"]
    texts = [(turn.side, item) for turn in pair.output.turns for item in turn.items if isinstance(item, Text)]
    remarks = [list(pattern.matches(text.text)) for _, text in texts]
    in_source = PieceSearch([source_text], {remark[0] for each in remarks for remark in each})
    texts_by_pointer: dict[str, str] = {}
    all_lost, lost_of_assistant = ReferencedMedia(lost), ReferencedMedia(_missing_assistant_media(pair, arrived))
    for (side, text), each in zip(texts, remarks, strict=True):
        lost_media = all_lost if side == "user" else lost_of_assistant
        new = (remark for remark in each if lost_media and not in_source.texts_with(remark[0]))
        joined = islice(
            (remark for remark in new if not without_placeholders(pair.corpus, [remark[0]], lost_media)),
            len(lost_media),
        )
        rest = _cut_out(text.text, joined)
        if rest != text.text and rest.strip():
            texts_by_pointer[text.pointer] = rest.strip()
    return texts_by_pointer


def _cut_out(text: str, places: Iterable[re.Match[str]]) -> str:
    """Return a text without the matches."""
    pieces, end = [], 0
    for place in places:
        pieces.append(text[end : place.start()])
        end = place.end()
    return "".join([*pieces, text[end:]])


def _missing_assistant_media(pair: Pair, arrived: Collection[str]) -> list[Media]:
    """Return the assistant's media whose bytes are not ``arrived``: remarks about them are in the assistant's turns."""
    turns = [turn for turn in pair.source.turns if turn.side == "assistant"]
    return [item for turn in turns for item in _media_of(turn) if media_identity(item) not in arrived]


def _media_of(turn: Turn) -> Iterator[Media]:
    """Yield the media of a turn and of its results."""
    for item in turn.items:
        parts = item.parts if isinstance(item, Result) else (item,)
        yield from (part for part in parts if isinstance(part, Media))


def media_type_words(media: object) -> list[str]:
    """Return the words that name media: their MIME type and kind."""
    return [word for word in (media.mime, media.kind) if word] if isinstance(media, Media) else []


def _without_labels(corpus: Corpus, text: str) -> str:
    """Return a text without labels of results."""
    pieces, place = [], 0
    for match in name_tokens(text):
        if label := label_of(corpus, match[0]):
            pieces.append(text[place : match.start()])
            place = match.start() + len(label)
    return " ".join([*pieces, text[place:]])


def is_caption(corpus: Corpus, text: str, names: Sequence[str]) -> bool:
    """Whether a text names a call or the media and, apart from that, has only a few pointing words."""
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names, key=len, reverse=True))
    rest, count = re.subn(pattern, " ", text, flags=re.IGNORECASE)
    equivalence = corpus.equivalence("media-beside-result")
    # An unknown id names nothing, but is no word either: ids may have changed in translation.
    words = words_of(_without_labels(corpus, rest))
    named = count > 0 or next(equivalence.patterns["number"].matches(text), None) is not None
    pointing = equivalence.words["caption"]
    return (
        named
        and len(words) <= equivalence.parameters["longest_caption"]
        and all(word in pointing or word.isdecimal() for word in words)
    )
