"""Media that left their result, or gave way to words."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.reading import Media, Result
from toolcall_conformance.reading.model import Reading
from toolcall_conformance.translation.media_bytes import media_bytes, same_bytes
from toolcall_conformance.translation.media_demands import demand_of, is_drawn, mime_of
from toolcall_conformance.translation.stand_ins import stands_for
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance


def _media(reading: Reading) -> Iterator[tuple[Media, bool, str]]:
    """The media of a body, whether each stands in a result, and whose it is."""
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, Media):
                yield item, False, turn.side
            elif isinstance(item, Result):
                yield from ((part, True, turn.side) for part in item.parts if isinstance(part, Media))


@tolerance("media-beside-result")
def media_beside_result(bodies: Bodies) -> Iterator[Occurrence]:
    """Media stand in a result on one side, and beside the results on the other."""
    twins: dict[str, tuple[Media, set[bool]]] = {}
    for two, within, _ in _media(bodies.pair.output):
        twins.setdefault(media_bytes(two), (two, set()))[1].add(within)
    for one, inside, _ in _media(bodies.pair.source):
        twin = twins.get(media_bytes(one))
        if twin is not None and inside not in twin[1]:
            yield Occurrence(twin[0].pointer, one.pointer)


@tolerance("media-placeholder")
def media_placeholder(bodies: Bodies) -> Iterator[Occurrence]:
    """A visible text stands for media that the output's format does not take."""
    there = {media_bytes(media) for media, _, _ in _media(bodies.pair.output)}
    for media, inside, side in _media(bodies.pair.source):
        drawn = not inside and is_drawn(bodies.pair, side)
        if media_bytes(media) not in there and demand_of(bodies.pair, media, in_result=inside, drawn=drawn) != "must":
            text = stands_for(bodies.pair, media)
            if text is not None:
                yield Occurrence("", media.pointer, f"{media.kind} {media.mime or ''}".strip(), text)


@tolerance("media-type-alias")
def media_type_alias(bodies: Bodies) -> Iterator[Occurrence]:
    """Media with the same bytes have a type by another name, or by the name that the bytes have."""
    source, output = ([media for media, _, _ in _media(each)] for each in (bodies.pair.source, bodies.pair.output))
    for one, two in same_bytes(source, output):
        both = mime_of(bodies.pair.corpus, one) is not None and mime_of(bodies.pair.corpus, two) is not None
        if both and one.mime != two.mime:
            yield Occurrence(two.pointer, one.pointer, one.mime, two.mime)
