"""Where media stand: behind which calls and answers of the assistant, and which call they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolcall_conformance.basics.reading import Call, Hosted, Media, Reading, Result, Text
from toolcall_conformance.judge.translation.calls.sequences import common_positions
from toolcall_conformance.judge.translation.media.media_bytes import media_bytes
from toolcall_conformance.judge.translation.media.result_captions import Called, Neighbours, captioned, owner
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus


@dataclass(slots=True, eq=False)
class PlacedMedia:
    """Media and where they stand.

    ``place`` counts the landmarks (calls and answers of the assistant) before them, ``call`` is the output's ordinal of
    the call whose result holds or, by a caption, owns them. ``unclear``: beside several results, and no
    caption says of which. ``words`` is the text that introduces them, ``captioned`` whether it names a call.
    """

    media: Media
    side: str
    place: int
    in_result: bool = False
    call: int | None = None
    unclear: bool = False
    words: str | None = None
    captioned: bool = False
    key: str = ""

    def __post_init__(self) -> None:
        self.key = media_bytes(self.media)


def media_of_both(pair: Pair) -> tuple[list[PlacedMedia], list[PlacedMedia]]:
    """The media of the source and of the output, each in order; calls under the output's ordinals."""
    if not _has_media(pair.source) and not _has_media(pair.output):
        return [], []
    before = _landmarks(pair.source, pair.call_pairs)
    after = _landmarks(pair.output, {call: call for call in pair.call_pairs.values()})
    source = list(_pieces(pair.corpus, pair.source, _matched(before, after, 0), pair.call_pairs, pair.extra_call_ids))
    output = list(_pieces(pair.corpus, pair.output, _matched(before, after, 1), None))
    return source, output


def _has_media(reading: Reading) -> bool:
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, (Media, Hosted)):
                return True
            if isinstance(item, Result) and any(isinstance(part, Media) for part in item.parts):
                return True
    return False


def painted(reading: Reading) -> Iterator[tuple[Media, str]]:
    """Pictures that a reply shows as the work of a tool of its provider's, and the pointer of the step.

    One that the model drew itself may stand there: some formats have no other place.
    """
    for turn in reading.turns if reading.direction == "response" else ():
        for item in turn.items:
            if isinstance(item, Hosted) and item.picture is not None:
                yield item.picture, item.pointer


def _landmarks(reading: Reading, calls: Mapping[int, int]) -> list[tuple[int, str]]:
    """What the assistant did, with the number of its turn: calls under the output's ordinals, else the words."""
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


def _matched(before: list[tuple[int, str]], after: list[tuple[int, str]], side: int) -> Mapping[int, int]:
    """How many landmarks that both conversations have stand in each turn of one of them."""
    same = common_positions([key for _, key in before], [key for _, key in after])
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
                named = captioned(corpus, beside, index, every, further)
                if calls is None:
                    call, unclear = owner(corpus, beside, index, every)
                else:
                    call, unclear = calls.get(named) if named is not None else None, False
                ahead = beside.ahead(index)
                words = ahead.text if isinstance(ahead, Text) else None
                yield PlacedMedia(
                    item, turn.side, place, call=call, unclear=unclear, words=words, captioned=named is not None
                )
            elif isinstance(item, Hosted) and item.pointer in steps:
                yield PlacedMedia(steps[item.pointer], turn.side, place)
            elif isinstance(item, Result):
                call = item.call if calls is None or item.call is None else calls.get(item.call)
                for part in item.parts:
                    if isinstance(part, Media):
                        yield PlacedMedia(part, turn.side, place, in_result=True, call=call)
