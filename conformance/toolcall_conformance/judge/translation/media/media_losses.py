"""Lost media: how far media must survive, which rule their loss breaks, and when a text in their place is enough."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Media
from toolcall_conformance.judge.translation.media.media_places import PlacedMedia, pictures_of_steps
from toolcall_conformance.judge.translation.media.stand_ins import all_texts, media_in, readable_texts, text_in_place_of
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.links import link_results
from toolcall_conformance.judge.translation.results.payload import document_text
from toolcall_conformance.judge.translation.texts.text_search import PieceSearch
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.judge.translation.wire_words import notation_hint
from toolcall_conformance.library import Corpus


def media_of_lost_results(pair: Pair) -> frozenset[int]:
    """Return the media, by identity, that were lost with their result or its call, which is reported."""
    comparison, links = link_results(pair)
    lost = (result for left, result in enumerate(comparison.source) if left not in links)
    return frozenset(id(part) for result in lost for part in result.parts if isinstance(part, Media))


def report_lost_media(pair: Pair, piece: PlacedMedia, free: list[PlacedMedia]) -> Iterator[Finding]:
    """Report media that are nowhere; ``free`` are those of the output that match no others."""
    media = piece.media
    if media.data is None and any(other.media.data is not None and other.media.kind == media.kind for other in free):
        return  # the translator fetched them
    generated = not piece.in_result and is_generated(pair, piece.side)
    demand = media_demand(pair, media, in_result=piece.in_result, generated=generated)
    only_here = media.url is None and media.data is not None
    placeholder = text_in_place_of(pair, media) if only_here and demand != "must" else None
    if placeholder is not None:
        pair.accept("media-placeholder", "", media.pointer, f"{media.kind} {media.mime or ''}".strip(), placeholder)
        if demand == "cannot" or generated:
            return
    if demand != "must" and (text := document_text(pair.corpus, media)) and _is_in_texts(pair, text):
        pair.accept("text-document-as-text", "", media.pointer, text)
        return
    in_text = _bytes_as_text_message(pair, media)
    rule = f"translation/{_loss_rule(pair, piece, demand, in_text=bool(in_text))}"
    hint = (
        ""
        if demand == "cannot"
        else notation_hint(pair, media_element(media, in_result=piece.in_result, generated=generated))
    )
    yield pair.finding(
        rule,
        _expected_pointer(pair, piece),
        "; ".join(filter(None, [in_text or (pair.corpus.rules[rule].breach if hint else ""), hint])),
        want=Words(f"{media.kind}, {media.mime}" if media.mime else f"{media.kind} {media.url or ''}".strip()),
        got=MISSING,
        source=media.pointer,
        subject=f"media of {'a result' if piece.in_result else f'the {piece.side}'}",
    )


def _bytes_as_text_message(pair: Pair, media: Media) -> str:
    """Return a message if the bytes of media are in a text or in an object; else blank."""
    if not media.data or not pair.view(_MediaTraces).contents.texts_with(media.data):
        return ""
    return f"the bytes of the {media.kind} are in a text or an object, where no model sees what they show"


def _loss_rule(pair: Pair, piece: PlacedMedia, demand: str, *, in_text: bool) -> str:
    """Return the rule that the loss of media breaks. ``in_text``: their bytes are there as text."""
    if piece.media.url is not None:
        return "media-link-as-text" if _is_linked(pair, piece.media.url) else "media-link-lost"
    if piece.media.data is None:
        return "media-file-lost"  # a file that only its provider has
    if demand == "cannot":
        return "media-unmentioned"
    if piece.side != "user":
        return "assistant-media-lost"
    if demand == "must" or in_text:
        return "media-lost"
    return "media-dropped-silently" if text_in_place_of(pair, piece.media) is None else "media-by-convention-lost"


def _is_linked(pair: Pair, url: str) -> bool:
    """Whether a text of the output has the address of the media."""
    return bool(pair.view(_MediaTraces).links.texts_with(url))


def _is_in_texts(pair: Pair, text: str) -> bool:
    """Whether a text of the output contains a text, whatever its white space."""
    return bool(pair.view(_MediaTraces).documents.texts_with(squeeze(text)))


class _MediaTraces:
    """The traces of the source's media in texts of the output: addresses, bytes, and plain-text documents."""

    def __init__(self, pair: Pair) -> None:
        media = [*media_in(pair.source), *(item for item, _ in pictures_of_steps(pair.source))]
        documents = (document_text(pair.corpus, item) for item in media)
        texts = list(readable_texts(pair.output))
        self.links = PieceSearch(texts, (item.url for item in media if item.url is not None))
        self.contents = PieceSearch(all_texts(pair.output), (item.data for item in media if item.data))
        self.documents = PieceSearch([squeeze(text) for text in texts], (squeeze(text) for text in documents if text))


def _expected_pointer(pair: Pair, piece: PlacedMedia) -> str:
    """Return where lost media belong: at the result of their call, else at their turn."""
    answer = None if piece.call is None else pair.view(_first_results).get(piece.call)
    return answer or nearest_place(pair, piece.media.pointer)


def _first_results(pair: Pair) -> dict[int | None, str]:
    """Return the pointer of the first result of each call of the output."""
    return {result.call: result.pointer for result in reversed(pair.output.results)}


def media_demand(pair: Pair, media: Media, *, in_result: bool, generated: bool = False) -> str:
    """Return how far media must survive: as their element, if every format involved is known to take their type."""
    element = media_element(media, in_result=in_result, generated=generated)
    if any(
        name is not None and _refuses_type(pair.corpus, name, media, element)
        for name in (pair.output.format, pair.through)
    ):
        return "cannot"
    return pair.demand(element)


def can_be_in_result(corpus: Corpus, format_name: str, media: Media) -> bool:
    """Whether a format can have such media in a result, or by a convention next to it."""
    element = media_element(media, in_result=True)
    return corpus.expresses(format_name, element) != "no" and not _refuses_type(corpus, format_name, media, element)


def media_element(media: Media, *, in_result: bool, generated: bool = False) -> str:
    """Return the element that media are: of the model, of the user, or of a result by their kind."""
    if not in_result:
        return "media-drawn" if generated else "media-user"
    return f"result-{media.kind}" if media.kind in ("image", "audio") else "result-document"


def is_generated(pair: Pair, side: str) -> bool:
    """Whether the model itself generated media of this side: in a reply, or in what its client sends back.

    In the history of another provider's model they may be among the user's.
    """
    return side == "assistant" and (not pair.is_request or pair.through is not None)


def usual_mime_type(corpus: Corpus, media: Media) -> str | None:
    """Return the MIME type of media by its usual name, without parameters; None if it is unknown."""
    name = (media.mime or "").split(";")[0].strip().lower()
    names = corpus.equivalence("media-type-alias").parameters["names"]
    return str(names.get(name, name)) or None


def _refuses_type(corpus: Corpus, format_name: str, media: Media, element: str) -> bool:
    """Whether a format is known not to take the type of these media."""
    types, mime = corpus.expression(format_name, element).get("types"), usual_mime_type(corpus, media)
    return types is not None and mime is not None and not any(fnmatchcase(mime, pattern) for pattern in types)
