"""Captions and placeholders: texts that translators write themselves, about media that had to leave their result.

A caption stands right before media and names the call that they come from: by the call's id, by the name of a tool that
only one of the results has, by the number of the result, or by a label that the result's own text has ("See file
241a70.", "This is file 241a70:"). A placeholder stands where media could not go at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise, takewhile

from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Media, Result, Text, Turn
from toolcall_conformance.reading.model import Call, Value
from toolcall_conformance.translation.media_bytes import media_bytes
from toolcall_conformance.translation.pair import Pair
from toolcall_conformance.translation.placeholders import without_placeholders
from toolcall_conformance.translation.words import names_in, renamed, says_name, words_of

_NAME = "media-beside-result"


class Neighbours:
    """What stands around the media of one turn: its results, and what is before each row of media."""

    def __init__(self, turn: Turn) -> None:
        self.results = [item for item in turn.items if isinstance(item, Result)]
        self._passed = [0, *accumulate(isinstance(item, Result) for item in turn.items)]
        self._ahead: list[object] = []
        ahead: object = None
        for item in turn.items:
            self._ahead.append(ahead)
            ahead = ahead if isinstance(item, Media) else item

    def ahead(self, index: int) -> object:
        """What stands before the row of media that the item at ``index`` is in; None where nothing does."""
        return self._ahead[index]

    def results_before(self, index: int) -> list[Result]:
        """The results that stand before the item at ``index``."""
        return self.results[: self._passed[index]]

    def follows_a_result(self, index: int) -> bool:
        """Whether any result stands before the item at ``index``."""
        return self._passed[index] > 0


def owner(corpus: Corpus, beside: Neighbours, index: int, calls: Sequence[Call]) -> tuple[int | None, bool]:
    """The ordinal of the call that media beside results come from, and whether that is unclear.

    ``index`` is where the media stand in their turn, ``calls`` are all calls of the body. A caption right before them
    decides; else the result that they follow, if others follow them; else the only result.
    """
    if not beside.follows_a_result(index):
        return None, False
    named = captioned(corpus, beside, index, calls)
    if named is not None:
        return named, False
    ahead, results = beside.ahead(index), beside.results
    if isinstance(ahead, Result) and (ahead is not results[-1] or len(results) == 1):
        return ahead.call, False
    return None, len(results) > 1


def captioned(
    corpus: Corpus, beside: Neighbours, index: int, calls: Sequence[Call], called: Mapping[str, int] | None = None
) -> int | None:
    """The ordinal of the call that the caption of media names, perhaps by an id of ``called``; None if none does."""
    ahead = beside.ahead(index)
    if not isinstance(ahead, Text) or not beside.follows_a_result(index):
        return None
    results = beside.results_before(index)
    answered = {result.call for result in results}
    others = {call for word, call in (called or {}).items() if call in answered and says_name(ahead.text, word)}
    return others.pop() if len(others) == 1 else _named(corpus, ahead.text, results, calls)


def _named(corpus: Corpus, caption: str, results: Sequence[Result], calls: Sequence[Call]) -> int | None:
    """The call that a caption names, if it names exactly one."""
    known = [(result, calls[result.call]) for result in results if result.call is not None]
    for words in ([call.id for _, call in known], [call.name for _, call in known]):
        hits = [call for (_, call), word in zip(known, words, strict=True) if word and says_name(caption, word)]
        if len(hits) == 1:
            return hits[0].ordinal
    numbers = {int(found[1]) for found in corpus.equivalence(_NAME).patterns["number"].matches(caption)}
    if len(numbers) == 1 and 1 <= (number := numbers.pop()) <= len(results):
        return results[number - 1].call
    labels = _labels_in(corpus, caption)
    hits = [call for result, call in known if labels & _labels(corpus, result)] if labels else []
    return hits[0].ordinal if len(hits) == 1 else None


def _labels(corpus: Corpus, result: Result) -> set[str]:
    return {label for text in _texts(result) for label in _labels_in(corpus, text)}


def _labels_in(corpus: Corpus, text: str) -> set[str]:
    """Words with a digit that are no mere numbers: words of a language have no digits."""
    return {label for found in names_in(text) if (label := _label(corpus, found[0]))}


def _label(corpus: Corpus, name: str) -> str:
    """The label that a run of name's characters is, blank if it is none."""
    bounds = corpus.equivalence(_NAME).parameters
    if not any(map(str.isdecimal, name)) or not any(char.isascii() and char.isalpha() for char in name):
        return ""
    label = name[: bounds["longest_label"]].rstrip(".-")
    return label if len(label) >= bounds["shortest_label"] else ""


def _without_labels(corpus: Corpus, text: str) -> str:
    kept, place = [], 0
    for found in names_in(text):
        if label := _label(corpus, found[0]):
            kept.append(text[place : found.start()])
            place = found.start() + len(label)
    return " ".join([*kept, text[place:]])


def _texts(result: Result) -> Iterator[str]:
    values = []
    for part in result.parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Value):
            values.append(part.value)
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, (dict, list)):
            values.extend(value.values() if isinstance(value, dict) else value)


def redundant_captions(pair: Pair) -> frozenset[str]:
    """Pointers of the source's captions whose media stand in the named result itself in the output."""
    inside: dict[int | None, set[str]] = {}
    for result in pair.output.results:
        inside.setdefault(result.call, set()).update(media_bytes(part) for part in result.parts if _is_media(part))
    found: set[str] = set()
    if not any(inside.values()):
        return frozenset()
    calls = pair.source.calls
    for turn in pair.source.turns:
        beside = Neighbours(turn)
        for index, item in enumerate(turn.items):
            if isinstance(item, Media) and isinstance(text := beside.ahead(index), Text):
                call = captioned(pair.corpus, beside, index, calls, pair.called)
                home = inside.get(pair.calls.get(call)) if call is not None else None
                if home is not None and all(media_bytes(each) in home for each in _row(turn, index)):
                    found.add(text.pointer)
    return frozenset(found)


def _row(turn: Turn, index: int) -> list[Media]:
    """The media that stand together with those at ``index``."""
    start = index
    while start and isinstance(turn.items[start - 1], Media):
        start -= 1
    return list(takewhile(_is_media, turn.items[start:]))  # type: ignore[arg-type]


def _is_media(item: object) -> bool:
    return isinstance(item, Media)


def captions_in_source_ids(pair: Pair) -> dict[str, str]:
    """Captions of the output that differ from the source's only in ids, by pointer, as the source has them."""
    source, output = pair.source.calls, pair.output.calls
    names: dict[int, set[str]] = {call.ordinal: {call.id} for call in source if call.id}
    for word, ordinal in pair.called.items():
        names.setdefault(ordinal, set()).add(word)
    known = {
        old: new
        for left, right in sorted(pair.calls.items())
        for old in names.get(left, ())
        if (new := output[right].id) and old != new
    }
    if not known:
        return {}
    said: dict[str, str] = {}
    for turn in pair.source.turns:
        for text, behind in pairwise(turn.items):
            if isinstance(text, Text) and isinstance(behind, Media):
                told = text.text
                for old, new in known.items():
                    told = renamed(told, old, new)
                if told != text.text:
                    said[told.strip()] = text.text
    texts = (item for turn in pair.output.turns for item in turn.items if isinstance(item, Text))
    return {text.pointer: said[text.text.strip()] for text in texts if text.text.strip() in said}


def captions_and_placeholders(pair: Pair) -> frozenset[str]:
    """Pointers of the output's texts that are captions of media from results, or placeholders for lost media.

    A text of the source is neither.
    """
    media = [item for turn in pair.source.turns for item in _media(turn)]
    if not media:
        return frozenset()
    there = {media_bytes(item) for turn in pair.output.turns for item in _media(turn)}
    lost = [item for item in media if media_bytes(item) not in there]
    drawn = _drawn(pair, there)
    moved = {media_bytes(part) for result in pair.source.results for part in result.parts if isinstance(part, Media)}
    said = {item.text.strip() for turn in pair.source.turns for item in turn.items if isinstance(item, Text)}
    names = {word for call in pair.output.calls for word in (call.name, call.id) if word}
    found: set[str] = set()
    for turn in pair.output.turns:
        labels = {label for item in turn.items if isinstance(item, Result) for label in _labels(pair.corpus, item)}
        for text, behind in zip(turn.items, [*turn.items[1:], None], strict=True):
            if not isinstance(text, Text) or text.text.strip() in said:
                continue
            is_moved = isinstance(behind, Media) and media_bytes(behind) in moved
            captions = is_moved and _is_caption(pair.corpus, text.text, [*names, *labels, *_kinds(behind)])
            gone = lost if turn.side == "user" else drawn
            if captions or (gone and not without_placeholders(pair.corpus, [text.text], gone)):
                found.add(text.pointer)
    return frozenset(found)


def without_inner_placeholders(pair: Pair) -> dict[str, str]:
    """The texts that a placeholder for lost media was joined to, by pointer, as they are without it.

    What stands in brackets in the source is nobody's placeholder.
    """
    media = [item for turn in pair.source.turns for item in _media(turn)]
    there = {media_bytes(item) for turn in pair.output.turns for item in _media(turn)}
    lost = [item for item in media if media_bytes(item) not in there]
    if not lost:
        return {}
    said = "\n".join(item.text for turn in pair.source.turns for item in turn.items if isinstance(item, Text))
    remarks = pair.corpus.equivalence("media-placeholder").patterns["remark"]
    found: dict[str, str] = {}
    drawn = _drawn(pair, there)
    for side, text in ((turn.side, item) for turn in pair.output.turns for item in turn.items):
        gone = lost if side == "user" else drawn
        if not isinstance(text, Text) or not gone:
            continue
        joined = [remark[0] for remark in remarks.matches(text.text) if remark[0] not in said]
        rest = text.text
        for remark in [one for one in joined if not without_placeholders(pair.corpus, [one], gone)][: len(gone)]:
            rest = rest.replace(remark, "", 1)
        if rest != text.text and rest.strip():
            found[text.pointer] = rest.strip()
    return found


def _drawn(pair: Pair, there: Collection[str]) -> list[Media]:
    """The assistant's media whose bytes are not ``there``: who tells of them does so in the assistant's turn."""
    turns = [turn for turn in pair.source.turns if turn.side == "assistant"]
    return [item for turn in turns for item in _media(turn) if media_bytes(item) not in there]


def _media(turn: Turn) -> Iterator[Media]:
    for item in turn.items:
        parts = item.parts if isinstance(item, Result) else (item,)
        yield from (part for part in parts if isinstance(part, Media))


def _kinds(media: object) -> list[str]:
    return [word for word in (media.mime, media.kind) if word] if isinstance(media, Media) else []


def _is_caption(corpus: Corpus, text: str, names: Sequence[str]) -> bool:
    """Whether a text names a call or the media and has only a few pointing words beside that."""
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names, key=len, reverse=True))
    rest, count = re.subn(pattern, " ", text, flags=re.IGNORECASE)
    known = corpus.equivalence(_NAME)
    # An unknown id names nothing, but is no word either: ids may have changed on the way.
    words = words_of(_without_labels(corpus, rest))
    named = count > 0 or next(known.patterns["number"].matches(text), None) is not None
    pointing = known.words["caption"]
    return (
        named
        and len(words) <= known.parameters["longest_caption"]
        and all(word in pointing or word.isdecimal() for word in words)
    )
