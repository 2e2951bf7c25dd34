"""Media: every picture, document or sound is there again, byte for byte, once, and where it belongs.

A piece of media of a result belongs to that result. It may leave it for the user's words behind the batch, where a text
right before it names the call that it comes from. Media of the user stay between the same calls and answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from toolcall_conformance.findings import MISSING, Finding
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Call, Hosted, Media, Reading, Result, Text
from toolcall_conformance.translation.beside_results import Called, Neighbours, captioned, owner
from toolcall_conformance.translation.holders import Holders
from toolcall_conformance.translation.joining import squeezed
from toolcall_conformance.translation.links import linked
from toolcall_conformance.translation.media_twins import PlacedMedia, twins_of
from toolcall_conformance.translation.nearest import near
from toolcall_conformance.translation.pair import Pair, call_words
from toolcall_conformance.translation.payload import plain_text
from toolcall_conformance.translation.sequences import common
from toolcall_conformance.translation.stand_ins import media_in, stands_for, texts_of
from toolcall_conformance.translation.wire_words import said_as


def compare_media(pair: Pair) -> Iterator[Finding]:
    """Look for each piece of media of the source in the output, first at its place, then anywhere."""
    before = _landmarks(pair.source, pair.calls)
    after = _landmarks(pair.output, {call: call for call in pair.calls.values()})
    source = list(_pieces(pair.corpus, pair.source, _matched(before, after, 0), pair.calls, pair.called))
    output = list(_pieces(pair.corpus, pair.output, _matched(before, after, 1), None))
    twins = twins_of(source, output)
    met = {id(twin) for twin in twins.values()}
    left = [piece for piece in output if id(piece) not in met]
    unlinked = _of_lost_results(pair) if len(twins) < len(source) else frozenset()
    for index, piece in enumerate(source):
        if index in twins:
            yield from _compare_place(pair, piece, twins[index])
            yield from _compare_type(pair, piece, twins[index])
        elif id(piece.media) not in unlinked:
            yield from _report_lost(pair, piece, left)
    yield from _compare_order(pair, source, twins)
    known: dict[str, str] = {}
    for piece in source:
        known.setdefault(piece.key, piece.media.pointer)
    for extra in left:
        if extra.key in known:
            yield pair.finding(
                "translation/media-moved",
                extra.media.pointer,
                "it is there twice",
                want=MISSING,
                got=_words(extra),
                source=known[extra.key],
            )


def painted(reading: Reading) -> Iterator[tuple[Media, str]]:
    """Pictures that a reply shows as the work of a tool of its provider's, and the pointer of the step.

    One that the model drew itself may stand there: some formats have no other place.
    """
    for turn in reading.turns if reading.direction == "response" else ():
        for item in turn.items:
            if isinstance(item, Hosted) and item.drawn is not None:
                yield item.drawn, item.pointer


def _compare_place(pair: Pair, left: PlacedMedia, right: PlacedMedia) -> Iterator[Finding]:
    """Whether media still belong to their result, or stand at their place among the user's words."""
    pointer, source = right.media.pointer, left.media.pointer
    if left.call is not None and right.call is not None and right.call != left.call:
        mine, other = pair.output.calls[left.call], pair.output.calls[right.call]
        yield pair.finding(
            "translation/results-linked",
            pointer,
            f"{_words(left)} comes from {call_words(mine)}, but stands at {call_words(other)}",
            want=f"at {call_words(mine)}",
            got=f"at {call_words(other)}",
            source=source,
            subject=_words(left),
        )
    elif left.place != right.place:
        yield pair.finding(
            "translation/media-moved",
            pointer,
            f"{_words(left)} stands at {'an earlier' if right.place < left.place else 'a later'} turn",
            want=_stands(left),
            got=_stands(right),
            source=source,
            subject=_words(left),
        )
    elif left.in_result and left.call is not None and right.unclear:
        yield pair.finding(
            "translation/media-owner-unclear",
            pointer,
            f"no caption says that {_words(left)} comes from {call_words(pair.output.calls[left.call])}",
            want=f"a text before it that names {call_words(pair.output.calls[left.call])}",
            got=MISSING,
            source=source,
            subject=_words(left),
        )


def _compare_order(pair: Pair, source: list[PlacedMedia], twins: dict[int, PlacedMedia]) -> Iterator[Finding]:
    """Media of one turn of the user keep their order, where no call distinguishes them: the words may refer to it."""
    places: dict[int, list[tuple[PlacedMedia, PlacedMedia]]] = {}
    for index, piece in enumerate(source):
        at_home = piece.call is not None and index in twins and twins[index].call == piece.call
        if index in twins and not piece.in_result and not at_home and piece.place == twins[index].place:
            places.setdefault(piece.place, []).append((piece, twins[index]))
    stand = {right.media.pointer: number for number, right in enumerate(_pieces(pair.corpus, pair.output, {}, None))}
    for pieces in places.values():
        numbers = [stand[right.media.pointer] for _, right in pieces]
        if numbers != sorted(numbers):
            left, first = pieces[0]
            there = [right.media.pointer for _, right in pieces]
            yield pair.finding(
                "translation/media-order",
                first.media.pointer,
                want=sorted(there, key=lambda pointer: stand[pointer]),
                got=there,
                source=left.media.pointer,
            )


def _compare_type(pair: Pair, left: PlacedMedia, right: PlacedMedia) -> Iterator[Finding]:
    want, got = mime_of(pair.corpus, left.media), mime_of(pair.corpus, right.media)
    if right.media.kind == "image" and want is not None and not want.startswith("image/"):
        yield pair.finding(
            "translation/media-lost",
            right.media.pointer,
            f"{_words(left)} stands there as a picture",
            want=left.media.mime,
            got=right.media.kind,
            source=left.media.pointer,
            subject=_words(left),
        )
        return
    known = pair.corpus.equivalence("media-type-alias").parameters
    actual = next((mime for mime, magic in known["magic"].items() if left.key.startswith(magic)), None)
    if want is None or got is None or got in (want, actual) or not {want, got}.isdisjoint(known["any"]):
        return
    if want.startswith("text/") and got.startswith("text/"):
        return
    yield pair.finding(
        "translation/media-lost",
        right.media.pointer,
        "the bytes are there, but under another type",
        want=left.media.mime,
        got=right.media.mime,
        source=left.media.pointer,
        subject=_words(left),
    )


def mime_of(corpus: Corpus, media: Media) -> str | None:
    """The type of media by its usual name, without parameters."""
    name = (media.mime or "").split(";")[0].strip().lower()
    usual = corpus.equivalence("media-type-alias").parameters["names"]
    return str(usual.get(name, name)) or None


def _of_lost_results(pair: Pair) -> frozenset[int]:
    """The media, by identity, that went with the result that held them, or with its call: that is reported."""
    comparison, links = linked(pair)
    lost = (result for left, result in enumerate(comparison.source) if left not in links)
    return frozenset(id(part) for result in lost for part in result.parts if isinstance(part, Media))


def _report_lost(pair: Pair, piece: PlacedMedia, free: list[PlacedMedia]) -> Iterator[Finding]:
    media = piece.media
    if media.data is None and any(other.media.data is not None and other.media.kind == media.kind for other in free):
        return  # fetched on the way
    drawn = not piece.in_result and is_drawn(pair, piece.side)
    demand = demand_of(pair, media, in_result=piece.in_result, drawn=drawn)
    only_here = media.url is None and media.data is not None
    if only_here and (demand == "cannot" or (drawn and demand == "may")) and stands_for(pair, media) is not None:
        return
    if demand != "must" and (text := plain_text(pair.corpus, media)) and _said(pair, text):
        return
    rule = f"translation/{_loss(pair, piece, demand)}"
    known = "" if demand == "cannot" else said_as(pair, element_of(media, in_result=piece.in_result, drawn=drawn))
    yield pair.finding(
        rule,
        _home(pair, piece),
        f"{pair.corpus.rules[rule].breach}; {known}" if known else "",
        want=f"{media.kind}, {media.mime}" if media.mime else f"{media.kind} {media.url or ''}".strip(),
        got=MISSING,
        source=media.pointer,
        subject=f"media of {'a result' if piece.in_result else f'the {piece.side}'}",
    )


def is_drawn(pair: Pair, side: str) -> bool:
    """Whether the model itself gives media of this side in a reply, or gets them back from its client.

    In the history of another provider's model they may stand among the user's.
    """
    return side == "assistant" and (not pair.is_request or pair.through is not None)


def _loss(pair: Pair, piece: PlacedMedia, demand: str) -> str:
    """The rule that the loss of media breaks."""
    if piece.media.url is not None:
        return "media-link-as-text" if _mentioned(pair, piece.media.url) else "media-link-lost"
    if piece.media.data is None:
        return "media-file-lost"  # a file that only its provider has
    if demand == "cannot":
        return "media-unmentioned"
    if piece.side != "user":
        return "assistant-media-lost"
    if demand == "must":
        return "media-lost"
    return "media-dropped-silently" if stands_for(pair, piece.media) is None else "media-by-convention-lost"


def element_of(media: Media, *, in_result: bool, drawn: bool = False) -> str:
    """The element that media are: of the model, of the user, or of a result by their kind."""
    if not in_result:
        return "media-drawn" if drawn else "media-user"
    return f"result-{media.kind}" if media.kind in ("image", "audio") else "result-document"


def demand_of(pair: Pair, media: Media, *, in_result: bool, drawn: bool = False) -> str:
    """How far media must survive: as their element does, if every format on the way is known to take their type."""
    element = element_of(media, in_result=in_result, drawn=drawn)
    if any(
        name is not None and _refuses(pair.corpus, name, media, element) for name in (pair.output.format, pair.through)
    ):
        return "cannot"
    return pair.demand(element)


def fits_results(corpus: Corpus, name: str, media: Media) -> bool:
    """Whether a format can have such media in a result, or by a convention beside it."""
    element = element_of(media, in_result=True)
    return corpus.expresses(name, element) != "no" and not _refuses(corpus, name, media, element)


def _refuses(corpus: Corpus, name: str, media: Media, element: str) -> bool:
    """Whether a format is known not to take the type of these media."""
    types, mime = corpus.expression(name, element).get("types"), mime_of(corpus, media)
    return types is not None and mime is not None and not any(fnmatchcase(mime, pattern) for pattern in types)


def _mentioned(pair: Pair, url: str) -> bool:
    """Whether a text of the output has the address of the media."""
    return bool(pair.view(_Spoken).links.of(url))


def _said(pair: Pair, text: str) -> bool:
    """Whether a text of the output says a text, whatever its white space."""
    return bool(pair.view(_Spoken).documents.of(squeezed([text])))


class _Spoken:
    """What texts of the output have of the source's media: the addresses, and the documents that are plain text."""

    def __init__(self, pair: Pair) -> None:
        media = [*media_in(pair.source), *(shown for shown, _ in painted(pair.source))]
        opened = (plain_text(pair.corpus, one) for one in media)
        texts = list(texts_of(pair.output))
        self.links = Holders(texts, (one.url for one in media if one.url is not None))
        self.documents = Holders([squeezed([text]) for text in texts], (squeezed([text]) for text in opened if text))


def _home(pair: Pair, piece: PlacedMedia) -> str:
    """Where lost media belong: at the result of their call, else at their turn."""
    answer = None if piece.call is None else pair.view(_first_results).get(piece.call)
    return answer or near(pair, piece.media.pointer)


def _first_results(pair: Pair) -> dict[int | None, str]:
    """Where the first result of each call of the output stands."""
    return {result.call: result.pointer for result in reversed(pair.output.results)}


def _stands(piece: PlacedMedia) -> str:
    return f"behind {piece.place} of what the assistant did" if piece.place else "before all that the assistant did"


def _words(piece: PlacedMedia) -> str:
    return f"{'an' if piece.media.kind[:1] in 'aeiou' else 'a'} {piece.media.kind}"


def _landmarks(reading: Reading, calls: Mapping[int, int]) -> list[tuple[int, str]]:
    """What the assistant did, with the number of its turn: calls under the output's ordinals, else the words."""
    found: list[tuple[int, str]] = []
    for number, turn in enumerate(reading.turns):
        if turn.side != "assistant":
            continue
        made = [item for item in turn.items if isinstance(item, Call)]
        if made:
            found.extend((number, f"call {calls[call.ordinal]}") for call in made if call.ordinal in calls)
        else:
            said = squeezed([item.text for item in turn.items if isinstance(item, Text)])
            found.extend([(number, f"said {said}")] if said else [])
    return found


def _matched(before: list[tuple[int, str]], after: list[tuple[int, str]], side: int) -> Mapping[int, int]:
    """How many landmarks that both conversations have stand in each turn of one of them."""
    same = common([key for _, key in before], [key for _, key in after])
    return Counter((before, after)[side][both[side]][0] for both in same)


def _pieces(
    corpus: Corpus,
    reading: Reading,
    counts: Mapping[int, int],
    calls: Mapping[int, int] | None,
    called: Mapping[str, int] | None = None,
) -> Iterator[PlacedMedia]:
    """The media of a reading in order. ``calls`` maps its calls to the output's; None if it is the output itself."""
    every = reading.calls
    steps = {pointer: media for media, pointer in painted(reading)} if calls is None else {}
    further = Called(called or {})
    place = 0
    for number, turn in enumerate(reading.turns):
        place += counts.get(number, 0)
        beside = Neighbours(turn)
        for index, item in enumerate(turn.items):
            if isinstance(item, Media):
                if calls is None:
                    call, unclear = owner(corpus, beside, index, every)
                else:
                    named = captioned(corpus, beside, index, every, further)
                    call, unclear = calls.get(named) if named is not None else None, False
                yield PlacedMedia(item, turn.side, place, call=call, unclear=unclear)
            elif isinstance(item, Hosted) and item.pointer in steps:
                yield PlacedMedia(steps[item.pointer], turn.side, place)
            elif isinstance(item, Result):
                call = item.call if calls is None or item.call is None else calls.get(item.call)
                for part in item.parts:
                    if isinstance(part, Media):
                        yield PlacedMedia(part, turn.side, place, in_result=True, call=call)
