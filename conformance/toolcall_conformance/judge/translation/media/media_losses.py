"""Media that are lost: which rule that breaks, and when words that stand for them are enough."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Media
from toolcall_conformance.judge.translation.media.media_demands import demand_of, element_of, is_drawn
from toolcall_conformance.judge.translation.media.media_places import PlacedMedia, painted
from toolcall_conformance.judge.translation.media.stand_ins import all_texts_of, media_in, stands_for, texts_of
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.links import linked
from toolcall_conformance.judge.translation.results.payload import plain_text
from toolcall_conformance.judge.translation.texts.text_search import PieceSearch
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.judge.translation.wire_words import notation_hint


def of_lost_results(pair: Pair) -> frozenset[int]:
    """The media, by identity, that went with the result that held them, or with its call: that is reported."""
    comparison, links = linked(pair)
    lost = (result for left, result in enumerate(comparison.source) if left not in links)
    return frozenset(id(part) for result in lost for part in result.parts if isinstance(part, Media))


def report_lost(pair: Pair, piece: PlacedMedia, free: list[PlacedMedia]) -> Iterator[Finding]:
    """What is said of media that are nowhere; ``free`` are those of the output that are no twin of others."""
    media = piece.media
    if media.data is None and any(other.media.data is not None and other.media.kind == media.kind for other in free):
        return  # fetched on the way
    drawn = not piece.in_result and is_drawn(pair, piece.side)
    demand = demand_of(pair, media, in_result=piece.in_result, drawn=drawn)
    only_here = media.url is None and media.data is not None
    placeholder = stands_for(pair, media) if only_here and demand != "must" else None
    if placeholder is not None:
        pair.accept("media-placeholder", "", media.pointer, f"{media.kind} {media.mime or ''}".strip(), placeholder)
        if demand == "cannot" or drawn:
            return
    if demand != "must" and (text := plain_text(pair.corpus, media)) and _said(pair, text):
        pair.accept("text-document-as-text", "", media.pointer, text)
        return
    in_text = _bytes_in_text(pair, media)
    rule = f"translation/{_loss(pair, piece, demand, in_text=bool(in_text))}"
    hint = "" if demand == "cannot" else notation_hint(pair, element_of(media, in_result=piece.in_result, drawn=drawn))
    yield pair.finding(
        rule,
        _home(pair, piece),
        "; ".join(filter(None, [in_text or (pair.corpus.rules[rule].breach if hint else ""), hint])),
        want=Words(f"{media.kind}, {media.mime}" if media.mime else f"{media.kind} {media.url or ''}".strip()),
        got=MISSING,
        source=media.pointer,
        subject=f"media of {'a result' if piece.in_result else f'the {piece.side}'}",
    )


def _bytes_in_text(pair: Pair, media: Media) -> str:
    """What became of media whose bytes are in a text or in an object; empty where they are nowhere."""
    if not media.data or not pair.view(_Spoken).contents.texts_with(media.data):
        return ""
    return f"the bytes of the {media.kind} are in a text or an object, where no model sees what they show"


def _loss(pair: Pair, piece: PlacedMedia, demand: str, *, in_text: bool) -> str:
    """The rule that the loss of media breaks. ``in_text``: their bytes are there, as a text."""
    if piece.media.url is not None:
        return "media-link-as-text" if _mentioned(pair, piece.media.url) else "media-link-lost"
    if piece.media.data is None:
        return "media-file-lost"  # a file that only its provider has
    if demand == "cannot":
        return "media-unmentioned"
    if piece.side != "user":
        return "assistant-media-lost"
    if demand == "must" or in_text:
        return "media-lost"
    return "media-dropped-silently" if stands_for(pair, piece.media) is None else "media-by-convention-lost"


def _mentioned(pair: Pair, url: str) -> bool:
    """Whether a text of the output has the address of the media."""
    return bool(pair.view(_Spoken).links.texts_with(url))


def _said(pair: Pair, text: str) -> bool:
    """Whether a text of the output says a text, whatever its white space."""
    return bool(pair.view(_Spoken).documents.texts_with(squeeze(text)))


class _Spoken:
    """What texts of the output have of the source's media: addresses, bytes, and documents that are plain text."""

    def __init__(self, pair: Pair) -> None:
        media = [*media_in(pair.source), *(item for item, _ in painted(pair.source))]
        opened = (plain_text(pair.corpus, item) for item in media)
        texts = list(texts_of(pair.output))
        self.links = PieceSearch(texts, (item.url for item in media if item.url is not None))
        self.contents = PieceSearch(all_texts_of(pair.output), (item.data for item in media if item.data))
        self.documents = PieceSearch([squeeze(text) for text in texts], (squeeze(text) for text in opened if text))


def _home(pair: Pair, piece: PlacedMedia) -> str:
    """Where lost media belong: at the result of their call, else at their turn."""
    answer = None if piece.call is None else pair.view(_first_results).get(piece.call)
    return answer or nearest_place(pair, piece.media.pointer)


def _first_results(pair: Pair) -> dict[int | None, str]:
    """Where the first result of each call of the output stands."""
    return {result.call: result.pointer for result in reversed(pair.output.results)}
