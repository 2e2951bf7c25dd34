"""Media: every picture, document or sound arrives byte for byte, once, and where it belongs.

A piece of media of a result belongs to that result. It may move to the user's text after the batch, where a text right
before it names the call that it comes from. Media of the user stay between the same calls and answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Media
from toolcall_conformance.judge.translation.media.media_identity import base64_end
from toolcall_conformance.judge.translation.media.media_losses import (
    media_of_lost_results,
    report_lost_media,
    usual_mime_type,
)
from toolcall_conformance.judge.translation.media.media_places import PlacedMedia, match_media, media_of_both
from toolcall_conformance.judge.translation.pair import Pair, describe_call

_QUERY_OR_FRAGMENT = re.compile(r"[?#].*", re.DOTALL)


def compare_media(pair: Pair) -> Iterator[Finding]:
    """Look for each piece of media of the source in the output, first at its place, then anywhere."""
    source, output = media_of_both(pair)
    twins = match_media(source, output)
    met = {id(twin) for twin in twins.values()}
    left = [piece for piece in output if id(piece) not in met]
    unlinked = media_of_lost_results(pair) if len(twins) < len(source) else frozenset()
    for index, piece in enumerate(source):
        if index in twins:
            _record_base64(pair, piece.media, twins[index].media)
            yield from _compare_place(pair, piece, twins[index])
            yield from _compare_type(pair, piece, twins[index])
        elif id(piece.media) not in unlinked:
            yield from report_lost_media(pair, piece, left)
    yield from _compare_order(pair, source, output, twins)
    pointers: dict[str, str] = {}
    for piece in source:
        pointers.setdefault(piece.key, piece.media.pointer)
    for extra in left:
        if extra.key in pointers:
            yield pair.finding(
                "translation/media-moved",
                extra.media.pointer,
                "it is there twice",
                want=MISSING,
                got=_describe_media(extra),
                source=pointers[extra.key],
            )


def _record_base64(pair: Pair, old: Media, new: Media) -> None:
    """Record that the same bytes are in another base64 notation."""
    if old.data != new.data and old.data is not None and new.data is not None:
        pair.accept("base64-alphabet", new.pointer, old.pointer, base64_end(old.data), base64_end(new.data))


def _compare_place(pair: Pair, left: PlacedMedia, right: PlacedMedia) -> Iterator[Finding]:
    """Report media that left their result, or their place among the user's words."""
    pointer, source = right.media.pointer, left.media.pointer
    if left.call is not None and right.call is not None and right.call != left.call:
        mine, other = pair.output.calls[left.call], pair.output.calls[right.call]
        yield pair.finding(
            "translation/results-linked",
            pointer,
            f"{_describe_media(left)} comes from {describe_call(mine)}, but is at {describe_call(other)}",
            want=f"at {describe_call(mine)}",
            got=f"at {describe_call(other)}",
            source=source,
            subject=_describe_media(left),
        )
    elif left.place != right.place:
        yield pair.finding(
            "translation/media-moved",
            pointer,
            f"{_describe_media(left)} is at {'an earlier' if right.place < left.place else 'a later'} turn",
            want=_describe_position(left),
            got=_describe_position(right),
            source=source,
            subject=_describe_media(left),
        )
    elif right.side == "assistant" != left.side:
        yield pair.finding(
            "translation/media-moved",
            pointer,
            f"{_describe_media(left)} is in a turn of the assistant, as if the model had made it",
            want="a turn of the user",
            got="a turn of the assistant",
            source=source,
            subject=_describe_media(left),
        )
    elif left.in_result and left.call is not None and right.is_owner_unclear:
        yield pair.finding(
            "translation/media-owner-unclear",
            pointer,
            f"no caption shows that {_describe_media(left)} comes from {describe_call(pair.output.calls[left.call])}",
            want=Words(f"a text before it that names {describe_call(pair.output.calls[left.call])}"),
            got=MISSING,
            source=source,
            subject=_describe_media(left),
        )
    elif left.introduction and not left.is_captioned and right.is_captioned and right.call is not None:
        captioned_call = describe_call(pair.output.calls[right.call])
        yield pair.finding(
            "translation/media-owner-unclear",
            pointer,
            f"{_describe_media(left)} of the user's is under the caption of {captioned_call}",
            want=left.introduction,
            got=right.introduction,
            source=source,
            subject=_describe_media(left),
        )
    elif left.in_result != right.in_result:
        pair.accept("media-beside-result", pointer, source)


def _compare_order(
    pair: Pair, source: list[PlacedMedia], output: list[PlacedMedia], twins: dict[int, PlacedMedia]
) -> Iterator[Finding]:
    """Report media of one user turn in another order, where no call distinguishes them: text may refer to it."""
    places: dict[int, list[tuple[PlacedMedia, PlacedMedia]]] = {}
    for index, piece in enumerate(source):
        at_home = piece.call is not None and index in twins and twins[index].call == piece.call
        if index in twins and not piece.in_result and not at_home and piece.place == twins[index].place:
            places.setdefault(piece.place, []).append((piece, twins[index]))
    stand = {right.media.pointer: number for number, right in enumerate(output)}
    for pieces in places.values():
        numbers = [stand[right.media.pointer] for _, right in pieces]
        if numbers != sorted(numbers):
            left, first = pieces[0]
            output_pointers = [right.media.pointer for _, right in pieces]
            yield pair.finding(
                "translation/media-order",
                first.media.pointer,
                want=sorted(output_pointers, key=lambda pointer: stand[pointer]),
                got=output_pointers,
                source=left.media.pointer,
            )


def _compare_type(pair: Pair, left: PlacedMedia, right: PlacedMedia) -> Iterator[Finding]:
    """Compare the types of media that arrived."""
    want, got = usual_mime_type(pair.corpus, left.media), usual_mime_type(pair.corpus, right.media)
    source = left.media.pointer
    if right.media.kind == "image" and want is not None and not want.startswith("image/"):
        yield pair.finding(
            "translation/media-lost",
            right.media.pointer,
            f"{_describe_media(left)} is there as a picture",
            want=left.media.mime,
            got=right.media.kind,
            source=left.media.pointer,
            subject=_describe_media(left),
        )
        return
    parameters = pair.corpus.equivalence("media-type-alias").parameters
    if want is None and got is not None and _is_not_picture(left.media, got, parameters):
        yield pair.finding(
            "translation/media-link-lost",
            right.media.pointer,
            f"{_describe_media(left)} at an address is there as {got}",
            want="a type of pictures, or none",
            got=right.media.mime,
            source=left.media.pointer,
            subject=_describe_media(left),
        )
        return
    actual = next((mime for mime, magic in parameters["magic"].items() if left.key.startswith(magic)), None)
    is_same_type = got in (want, actual) or not {want, got}.isdisjoint(parameters["any"])
    if is_same_type or want is None or got is None or (want.startswith("text/") and got.startswith("text/")):
        if left.media.mime != right.media.mime:
            types = (left.media.mime, right.media.mime)
            pair.accept("media-type-alias", right.media.pointer, source, *types, only_translated=None in (want, got))
        return
    yield pair.finding(
        "translation/media-lost",
        right.media.pointer,
        "the bytes are there, but under another type",
        want=left.media.mime,
        got=right.media.mime,
        source=left.media.pointer,
        subject=_describe_media(left),
    )


def _is_not_picture(source: Media, mime: str, parameters: Mapping[str, Any]) -> bool:
    """Whether the source links to a picture, and a MIME type that the translator made up is of none."""
    if source.kind != "image" or mime.startswith("image/") or mime in parameters["any"]:
        return False
    ending = PurePosixPath(_QUERY_OR_FRAGMENT.sub("", source.url or "")).suffix.lower()
    return not ending or ending in parameters["endings"]


def _describe_position(piece: PlacedMedia) -> str:
    """Describe the position of media by the number of landmarks before them."""
    return (
        f"after {piece.place} of the assistant's calls and texts"
        if piece.place
        else "before all that the assistant did"
    )


def _describe_media(piece: PlacedMedia) -> str:
    """Describe media by their kind."""
    return f"{'an' if piece.media.kind[:1] in 'aeiou' else 'a'} {piece.media.kind}"
