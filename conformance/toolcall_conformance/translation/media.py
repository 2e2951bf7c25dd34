"""Media: every picture, document or sound is there again, byte for byte, once, and where it belongs.

A piece of media of a result belongs to that result. It may leave it for the user's words behind the batch, where a text
right before it tells which call it comes from. Media of the user stay between the same calls and answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from toolcall_conformance.findings import Level
from toolcall_conformance.reading import Call, Media, Reading, Result, Text, Turn
from toolcall_conformance.translation.joining import squeezed
from toolcall_conformance.translation.pair import Pair, call_words

MIME_NAMES = {
    "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png", "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav", "audio/x-m4a": "audio/mp4",
}  # fmt: skip
# How the base64 of a file of the type begins: who declares what the bytes are mends a wrong type.
MAGIC = {
    "iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp",
    "JVBERi": "application/pdf",
}  # fmt: skip


@dataclass(slots=True, eq=False)
class Piece:
    """Media and where they stand.

    ``place`` counts the landmarks (calls and answers of the assistant) before them, ``call`` is the output's ordinal of
    the call whose result holds or, by a caption, owns them. ``unclear``: beside several results, and nothing tells of
    which.
    """

    media: Media
    side: str
    place: int
    in_result: bool = False
    call: int | None = None
    unclear: bool = False
    key: str = ""

    def __post_init__(self) -> None:
        self.key = media_bytes(self.media)


def compare_media(pair: Pair) -> None:
    """Look for each piece of media of the source in the output, first at its place, then anywhere."""
    before = _landmarks(pair.source, pair.calls)
    after = _landmarks(pair.output, {call: call for call in pair.calls.values()})
    source = list(_pieces(pair.source, _matched(before, after, 0), pair.calls))
    output = list(_pieces(pair.output, _matched(before, after, 1), None))
    free = list(output)
    twins: dict[int, Piece] = {}
    for fits in (_at_home, _same_place, _anywhere):
        for index, piece in enumerate(source):
            if index in twins:
                continue
            twin = next((other for other in free if other.key == piece.key and fits(piece, other)), None)
            if twin is not None:
                twins[index] = twin
                free.remove(twin)
    for index, piece in enumerate(source):
        if index in twins:
            _compare_place(pair, piece, twins[index])
            _compare_type(pair, piece, twins[index])
        else:
            _report_lost(pair, piece, free)
    _compare_order(pair, source, twins)
    known = {piece.key for piece in source}
    for extra in free:
        if extra.key in known:
            pair.report("translation/media-moved", extra.media.pointer, "it is there twice", got=_words(extra))


def _at_home(left: Piece, right: Piece) -> bool:
    return left.place == right.place and left.call == right.call and not right.unclear


def _same_place(left: Piece, right: Piece) -> bool:
    return left.place == right.place and (left.call is None or right.call is None)


def _anywhere(_left: Piece, _right: Piece) -> bool:
    return True


def _compare_place(pair: Pair, left: Piece, right: Piece) -> None:
    """Whether media still belong to their result, or stand at their place among the user's words."""
    pointer, source = right.media.pointer, left.media.pointer
    if left.call is not None and right.call is not None and right.call != left.call:
        mine, other = pair.output.calls[left.call], pair.output.calls[right.call]
        pair.report(
            "translation/results-linked",
            pointer,
            f"{_words(left)} comes from {call_words(mine)}, but stands at {call_words(other)}",
            want=mine.id or mine.name,
            got=other.id or other.name,
            source=source,
            subject=_words(left),
        )
    elif left.place != right.place:
        pair.report(
            "translation/media-moved",
            pointer,
            f"{_words(left)} stands at {'an earlier' if right.place < left.place else 'a later'} turn",
            source=source,
            subject=_words(left),
        )
    elif left.call is not None and right.unclear:
        pair.report(
            "translation/results-linked",
            pointer,
            f"nothing tells that {_words(left)} comes from {call_words(pair.output.calls[left.call])}",
            source=source,
            subject=_words(left),
            at_most=Level.SHOULD,
        )


def _compare_order(pair: Pair, source: list[Piece], twins: dict[int, Piece]) -> None:
    """Media of one turn of the user keep their order: the words count on it ("the first picture")."""
    places: dict[int, list[Piece]] = {}
    for index, piece in enumerate(source):
        if index in twins and not piece.in_result and piece.place == twins[index].place:
            places.setdefault(piece.place, []).append(twins[index])
    stand = {right.media.pointer: number for number, right in enumerate(_pieces(pair.output, {}, None))}
    for rights in places.values():
        numbers = [stand[right.media.pointer] for right in rights]
        if numbers != sorted(numbers):
            pair.report(
                "translation/media-moved",
                rights[0].media.pointer,
                "the media of a turn stand in another order",
                at_most=Level.SHOULD,
            )


def _compare_type(pair: Pair, left: Piece, right: Piece) -> None:
    want, got = _mime(left.media), _mime(right.media)
    actual = next((mime for magic, mime in MAGIC.items() if left.key.startswith(magic)), None)
    if want is None or got is None or got in (want, actual) or "application/octet-stream" in (want, got):
        return
    if want.startswith("text/") and got.startswith("text/"):
        return
    pair.report(
        "translation/media-lost",
        right.media.pointer,
        "the bytes are there, but under another type",
        want=left.media.mime,
        got=right.media.mime,
        source=left.media.pointer,
        subject=_words(left),
    )


def _mime(media: Media) -> str | None:
    name = (media.mime or "").split(";")[0].strip().lower()
    return MIME_NAMES.get(name, name) or None


def _report_lost(pair: Pair, piece: Piece, free: list[Piece]) -> None:
    media = piece.media
    if media.data is None and any(other.media.data is not None and other.media.kind == media.kind for other in free):
        return  # fetched on the way
    element = f"result-{media.kind}" if piece.in_result else "media-user"
    if element not in ("result-image", "result-document", "result-audio", "media-user"):
        element = "result-document"
    level = Level.MUST if pair.demand(element) == "must" and piece.side == "user" else Level.SHOULD
    if media.url is not None:
        level = Level.NOTE if _mentioned(pair, media.url) else Level.SHOULD
    elif media.data is None:
        level = Level.NOTE  # a file that only its provider has
    pair.report(
        "translation/media-lost",
        "",
        want=f"{media.kind} {media.mime or media.url or ''}".strip(),
        source=media.pointer,
        subject=f"media of {'a result' if piece.in_result else f'the {piece.side}'}",
        at_most=level,
    )


def _mentioned(pair: Pair, url: str) -> bool:
    """Whether a text of the output tells where the media are."""
    for turn in pair.output.turns:
        for item in turn.items:
            parts = item.parts if isinstance(item, Result) else (item,)
            if any(isinstance(part, Text) and url in part.text for part in parts):
                return True
    return False


def _words(piece: Piece) -> str:
    return f"{'an' if piece.media.kind[:1] in 'aeiou' else 'a'} {piece.media.kind}"


def _landmarks(reading: Reading, calls: dict[int, int]) -> list[tuple[int, str]]:
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


def _matched(before: list[tuple[int, str]], after: list[tuple[int, str]], side: int) -> dict[int, int]:
    """How many landmarks that both conversations have stand in each turn of one of them."""
    matcher = SequenceMatcher(None, [key for _, key in before], [key for _, key in after], autojunk=False)
    marks = (before, after)[side]
    counts: dict[int, int] = {}
    for block in matcher.get_matching_blocks():
        start = (block.a, block.b)[side]
        for number, _ in marks[start : start + block.size]:
            counts[number] = counts.get(number, 0) + 1
    return counts


def _pieces(reading: Reading, counts: dict[int, int], calls: dict[int, int] | None) -> Iterator[Piece]:
    """The media of a reading in order. ``calls`` maps its calls to the output's; None if it is the output itself."""
    place = 0
    for number, turn in enumerate(reading.turns):
        place += counts.get(number, 0)
        for index, item in enumerate(turn.items):
            if isinstance(item, Media):
                call, unclear = (None, False) if calls is not None else _owner(reading, turn, index)
                yield Piece(item, turn.side, place, call=call, unclear=unclear)
            elif isinstance(item, Result):
                call = item.call if calls is None or item.call is None else calls.get(item.call)
                for part in item.parts:
                    if isinstance(part, Media):
                        yield Piece(part, turn.side, place, in_result=True, call=call)


def _owner(reading: Reading, turn: Turn, index: int) -> tuple[int | None, bool]:
    """The call that media beside results come from, and whether that is unclear.

    A caption right before them decides; else the result that they follow, if others follow them; else the only result.
    """
    results = [item for item in turn.items[:index] if isinstance(item, Result)]
    if not results:
        return None, False
    start = index
    while start and isinstance(turn.items[start - 1], Media):
        start -= 1
    ahead = turn.items[start - 1]
    if isinstance(ahead, Text):
        named = _named(reading, results, ahead.text)
        if named is not None:
            return named, False
    every = [item for item in turn.items if isinstance(item, Result)]
    if isinstance(ahead, Result) and (ahead is not every[-1] or len(every) == 1):
        return ahead.call, False
    return (None, True) if len(every) > 1 else (None, False)


def _named(reading: Reading, results: list[Result], caption: str) -> int | None:
    """The call that a caption names: by its id, or by a tool's name that only one of the results has."""
    every = reading.calls
    calls = [every[result.call] for result in results if result.call is not None]
    for words in ([call.id for call in calls], [call.name for call in calls]):
        hits = [
            call.ordinal
            for call, word in zip(calls, words, strict=True)
            if word and re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", caption)
        ]
        if len(hits) == 1:
            return hits[0]
    return None


def media_bytes(media: Media) -> str:
    """What identifies a piece of media: its bytes (base64 alphabet and padding aside), else its reference."""
    if media.data is not None:
        return base64_spelling(media.data)
    return media.url or media.file_id or ""


def base64_spelling(text: str) -> str:
    """Base64 in one spelling: the standard alphabet, without padding and white space."""
    return "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
