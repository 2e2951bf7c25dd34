"""Where media are: after which calls and answers, from which call, and which of the output are which of the source."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.basics.reading import Call, Hosted, Media, Reading, Result, Text
from toolcall_conformance.judge.translation.calls.sequences import common_positions
from toolcall_conformance.judge.translation.media.media_identity import media_identity
from toolcall_conformance.judge.translation.media.result_captions import (
    ExtraCallIds,
    Neighbours,
    captioned_call,
    find_owner,
)
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus


@dataclass(slots=True, eq=False)
class PlacedMedia:
    """Media and their place.

    ``place`` counts the landmarks (calls and answers of the assistant) before them, ``call`` is the output's ordinal of
    the call whose result holds or, by a caption, owns them. ``is_owner_unclear``: next to several results, and no
    caption says of which. ``introduction`` is the text before them, ``is_captioned`` whether it names a call.
    """

    media: Media
    side: str
    place: int
    in_result: bool = False
    call: int | None = None
    is_owner_unclear: bool = False
    introduction: str | None = None
    is_captioned: bool = False
    key: str = ""

    def __post_init__(self) -> None:
        self.key = media_identity(self.media)


def media_of_both(pair: Pair) -> tuple[list[PlacedMedia], list[PlacedMedia]]:
    """Return the media of the source and of the output, each in order; calls by the output's ordinals."""
    if not _has_media(pair.source) and not _has_media(pair.output):
        return [], []
    before = _landmarks(pair.source, pair.call_pairs)
    after = _landmarks(pair.output, {call: call for call in pair.call_pairs.values()})
    source = list(
        _placed_media(
            pair.corpus, pair.source, _count_common_landmarks(before, after, 0), pair.call_pairs, pair.extra_call_ids
        )
    )
    output = list(_placed_media(pair.corpus, pair.output, _count_common_landmarks(before, after, 1), None))
    return source, output


def _has_media(reading: Reading) -> bool:
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, (Media, Hosted)):
                return True
            if isinstance(item, Result) and any(isinstance(part, Media) for part in item.parts):
                return True
    return False


def pictures_of_steps(reading: Reading) -> Iterator[tuple[Media, str]]:
    """Yield pictures that a reply shows as the work of the provider's tool, with the pointer of the step.

    A picture that the model generated itself may be there: some formats have no other place.
    """
    for turn in reading.turns if reading.direction == "response" else ():
        for item in turn.items:
            if isinstance(item, Hosted) and item.picture is not None:
                yield item.picture, item.pointer


def _landmarks(reading: Reading, calls: Mapping[int, int]) -> list[tuple[int, str]]:
    """Return what the assistant did, with the number of its turn: calls by the output's ordinals, else its text."""
    landmarks: list[tuple[int, str]] = []
    for number, turn in enumerate(reading.turns):
        if turn.side != "assistant":
            continue
        calls_of_turn = [item for item in turn.items if isinstance(item, Call)]
        if calls_of_turn:
            landmarks.extend((number, f"call {calls[call.ordinal]}") for call in calls_of_turn if call.ordinal in calls)
        else:
            text = squeeze("".join(item.text for item in turn.items if isinstance(item, Text)))
            landmarks.extend([(number, f"said {text}")] if text else [])
    return landmarks


def _count_common_landmarks(
    before: list[tuple[int, str]], after: list[tuple[int, str]], side: int
) -> Mapping[int, int]:
    """Count the landmarks that both conversations have, by the turns of one of them."""
    same = common_positions([key for _, key in before], [key for _, key in after])
    return Counter((before, after)[side][both[side]][0] for both in same)


def _placed_media(
    corpus: Corpus,
    reading: Reading,
    counts: Mapping[int, int],
    calls: Mapping[int, int] | None,
    called: Mapping[str, int] | None = None,
) -> Iterator[PlacedMedia]:
    """Yield the media of a reading in order. ``calls`` maps its calls to the output's; None if it is the output."""
    all_calls = reading.calls
    steps = {pointer: media for media, pointer in pictures_of_steps(reading)} if calls is None else {}
    further = ExtraCallIds(called or {})
    place = 0
    for number, turn in enumerate(reading.turns):
        place += counts.get(number, 0)
        neighbours = Neighbours(turn)
        for index, item in enumerate(turn.items):
            if isinstance(item, Media):
                named = captioned_call(corpus, neighbours, index, all_calls, further)
                if calls is None:
                    call, unclear = find_owner(corpus, neighbours, index, all_calls)
                else:
                    call, unclear = calls.get(named) if named is not None else None, False
                ahead = neighbours.item_before(index)
                words = ahead.text if isinstance(ahead, Text) else None
                yield PlacedMedia(
                    item,
                    turn.side,
                    place,
                    call=call,
                    is_owner_unclear=unclear,
                    introduction=words,
                    is_captioned=named is not None,
                )
            elif isinstance(item, Hosted) and item.pointer in steps:
                yield PlacedMedia(steps[item.pointer], turn.side, place)
            elif isinstance(item, Result):
                call = item.call if calls is None or item.call is None else calls.get(item.call)
                for part in item.parts:
                    if isinstance(part, Media):
                        yield PlacedMedia(part, turn.side, place, in_result=True, call=call)


Marks = Iterable[Hashable]


def match_media(source: Sequence[PlacedMedia], output: Sequence[PlacedMedia]) -> dict[int, PlacedMedia]:
    """Match media: return by index of the source the first free one at its home, else at its place, else anywhere."""
    twins: dict[int, PlacedMedia] = {}
    paired_ids: set[int] = set()
    for marks_of_source, marks_of_output in (
        (_home_marks, _home_marks),
        (_place_marks, _marks_for_place),
        (_key_marks, _key_marks),
    ):
        free: dict[Hashable, deque[PlacedMedia]] = {}
        for piece in output:
            for mark in marks_of_output(piece) if id(piece) not in paired_ids else ():
                free.setdefault(mark, deque()).append(piece)
        for index, piece in enumerate(source):
            candidates = free.get(next(iter(marks_of_source(piece)), None)) if index not in twins else None
            while candidates and id(candidates[0]) in paired_ids:
                candidates.popleft()
            if candidates:
                twins[index] = candidates.popleft()
                paired_ids.add(id(twins[index]))
    return twins


def _home_marks(piece: PlacedMedia) -> Marks:
    """Return the key, the place and the owner."""
    return [] if piece.is_owner_unclear else [(piece.key, piece.place, piece.call)]


def _place_marks(piece: PlacedMedia) -> Marks:
    """Return the place, for any owner or, if it has an owner, for none."""
    return [(piece.key, piece.place, "any" if piece.call is None else "none")]


def _marks_for_place(piece: PlacedMedia) -> Marks:
    """Return what may match here: pieces without a call; if this one has none, those with any."""
    return [(piece.key, piece.place, each) for each in (("any", "none") if piece.call is None else ("any",))]


def _key_marks(piece: PlacedMedia) -> Marks:
    return [piece.key]
