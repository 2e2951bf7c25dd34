"""What a provider gets back: its state whole, unchanged and in its place, and the ids of its calls.

The golden request has what the provider really sent, so the state's provider is known, whatever key the client or the
translator stored it under.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Call, Hosted, Media, Opaque, Reading, Result, Text, Waiver
from toolcall_conformance.judge.translation.media.media_identity import normal_base64
from toolcall_conformance.judge.translation.nearest import conversation_pointer, nearest_place
from toolcall_conformance.judge.translation.pair import Pair, describe_call

StatePlace = tuple[str, int | None]
_EXCERPT_LENGTH: Final = 40


@dataclass(frozen=True, slots=True)
class PlacedState:
    """A piece of state. ``place`` is the call that it is on, comes before, or comes after; by ordinal.

    ``is_current``: whether it belongs to the turn still under way; providers need the state of earlier turns less.
    """

    item: Opaque
    value: str
    place: StatePlace
    is_current: bool
    """Whether it belongs to the turn that is still under way: providers need that of earlier turns less."""

    @property
    def belongs_to_calls(self) -> bool:
        """Whether it belongs to calls, and not to an answer in words."""
        return self.place[0] != "after" and not self.item.on_text


def compare_returned_state(pair: Pair) -> Iterator[Finding]:
    """Report the provider's state that is missing, changed, moved, repeated, or invented."""
    source, output = _own_states(pair)
    free = list(range(len(output)))
    matches: dict[int, int] = {}
    for left, state in enumerate(source):
        twins = [right for right in free if output[right].value == state.value]
        if twins:
            # The one at its place, if there are several.
            place = _map_place(pair, state.place)
            matches[left] = next((right for right in twins if output[right].place == place), twins[0])
            free.remove(matches[left])
    lost = [left for left in range(len(source)) if left not in matches]
    for right in free:
        lost = yield from _report_extra(pair, source, output[right], lost)
    for left in lost:
        # A step that cannot come back takes its signature with it.
        if not source[left].item.on_step or _has_steps(pair.output):
            yield from _report_lost(pair, source[left])
    yield from _report_moved(pair, source, output, matches)
    for left, right in sorted(matches.items()):
        yield from _compare_sealed_ids(pair, source[left], output[right])


def _has_steps(reading: Reading) -> bool:
    return any(isinstance(item, Hosted) for turn in reading.turns for item in turn.items)


def report_lost_in_reply(pair: Pair) -> Iterator[Finding]:
    """Report the state of a reply's calls that its client does not get as the provider sent it."""
    source, output = _own_states(pair)
    output_places = [(state.value, state.place) for state in output]
    for state in source:
        place = _map_place(pair, state.place)
        if state.belongs_to_calls and place is not None and (state.value, place) not in output_places:
            got = next((other for other in output if other.place == place), None)
            called = "" if place[1] is None else pair.output.calls[place[1]].pointer
            yield pair.finding(
                "translation/reply-state",
                got.item.pointer if got is not None else called or conversation_pointer(pair),
                want=_excerpt(state, got),
                got=_excerpt(got, state) if got is not None else MISSING,
                source=state.item.pointer,
                subject="" if place[1] is None else describe_call(pair.output.calls[place[1]]),
            )


def _own_states(pair: Pair) -> tuple[list[PlacedState], list[PlacedState]]:
    """Return the state of the output's provider; within one format also the state of compatible vendors."""
    notation = normal_base64 if pair.target.get("opaque_as_bytes") else str
    output_format = pair.output.format
    source, output = (
        [
            state
            for state in _placed_states(reading, notation)
            if state.item.origin == output_format or pair.is_same_format
        ]
        for reading in (pair.source, pair.output)
    )
    return source, output


def _placed_states(reading: Reading, notation: Callable[[str], str]) -> Iterator[PlacedState]:
    """Yield the state of a body in order, with its place."""
    begin = _start_of_current_turn(reading)
    last: int | None = None
    for number, turn in enumerate(reading.turns):
        ordinals = [(place, item.ordinal) for place, item in enumerate(turn.items) if isinstance(item, Call)]
        for place, item in enumerate(turn.items):
            if isinstance(item, Call):
                last = item.ordinal
            elif isinstance(item, Opaque):
                following = next((ordinal for at, ordinal in ordinals if at > place), None)
                between: StatePlace = ("after", last) if following is None else ("before", following)
                at_call: StatePlace = ("on", item.call)
                yield PlacedState(
                    item, notation(item.value), between if item.call is None else at_call, number >= begin
                )


def _start_of_current_turn(reading: Reading) -> int:
    """Return the turn that begins the current one: after the user's last words that are not with results."""
    for number in range(len(reading.turns) - 1, -1, -1):
        turn = reading.turns[number]
        has_content = any(isinstance(item, (Text, Media)) for item in turn.items)
        if turn.side == "user" and has_content and not any(isinstance(item, Result) for item in turn.items):
            return number + 1
    return 0


def _map_place(pair: Pair, place: StatePlace) -> StatePlace | None:
    """Return a place of the source as one of the output; None if its call is lost, which is reported already."""
    kind, ordinal = place
    if ordinal is None:
        return place
    return (kind, pair.call_pairs[ordinal]) if ordinal in pair.call_pairs else None


def _report_extra(
    pair: Pair, source: list[PlacedState], extra: PlacedState, lost: list[int]
) -> Generator[Finding, None, list[int]]:
    """Report state that the provider did not send there. Returns the state that is still missing."""
    twin = next((state for state in source if state.value == extra.value), None)
    if twin is not None:
        # A repeated block is another history; a signature on a further part is not.
        on_a_part = twin.place[0] == "on" or twin.item.on_text
        yield pair.finding(
            "translation/signature-repeated" if on_a_part else "translation/state-repeated",
            extra.item.pointer,
            want=MISSING,
            got=_excerpt(extra),
            source=twin.item.pointer,
            subject=_describe_call_of(pair, extra),
        )
        return lost
    for left in lost:
        if _map_place(pair, source[left].place) == extra.place:
            want = source[left]
            yield pair.finding(
                "translation/state-changed",
                extra.item.pointer,
                want=_excerpt(want, extra),
                got=_excerpt(extra, want),
                source=want.item.pointer,
                subject=_describe_call_of(pair, extra),
            )
            return [other for other in lost if other != left]
    yield pair.finding(
        "translation/state-invented",
        extra.item.pointer,
        want=MISSING,
        got=_excerpt(extra),
        subject=_describe_call_of(pair, extra),
    )
    return lost


def _report_lost(pair: Pair, state: PlacedState) -> Iterator[Finding]:
    """Report state that the output lacks, unless its call is lost."""
    place = _map_place(pair, state.place)
    if place is None:
        return
    call = None if place[1] is None else pair.output.calls[place[1]]
    waived = any(
        isinstance(item, Waiver) and item.call == place[1] for turn in pair.output.turns for item in turn.items
    )
    yield pair.finding(
        _loss_rule(state, waived=waived),
        call.pointer if call is not None else nearest_place(pair, state.item.pointer),
        want=_excerpt(state),
        got=MISSING,
        source=state.item.pointer,
        subject=describe_call(call) if call is not None and state.belongs_to_calls else "",
    )


def _loss_rule(state: PlacedState, *, waived: bool) -> str:
    """Return the rule that the loss of a state breaks: without that of current calls providers refuse a request."""
    if waived:
        return "translation/state-stand-in"
    if not state.is_current:
        return "translation/earlier-state-returned"
    return "translation/state-returned" if state.belongs_to_calls else "translation/answer-state-returned"


def _report_moved(
    pair: Pair, source: list[PlacedState], output: list[PlacedState], matches: dict[int, int]
) -> Iterator[Finding]:
    """Report state at another place, or in another order."""
    reached = -1
    for left, right in sorted(matches.items()):
        want, got = source[left], output[right]
        place = _map_place(pair, want.place)
        if place is None:
            continue
        in_order = right > reached
        reached = max(reached, right)
        if place != got.place or not in_order:
            first, second = ("", "") if place != got.place else (", before the other state", ", after the other state")
            yield pair.finding(
                "translation/answer-state-moved" if want.item.on_text else "translation/state-moved",
                got.item.pointer,
                "" if place != got.place else "the provider's state is in another order",
                want=_describe_place(pair, place) + first,
                got=_describe_place(pair, got.place) + second,
                source=want.item.pointer,
                subject=_describe_call_of(pair, got),
            )


def _compare_sealed_ids(pair: Pair, want: PlacedState, got: PlacedState) -> Iterator[Finding]:
    """Report an id that the provider did not seal with its state; no id is as good as the right one."""
    old, new = want.item.sealed_id, got.item.sealed_id
    if old and new and old != new:
        yield pair.finding(
            "translation/state-id",
            got.item.id_pointer,
            want=old,
            got=new,
            source=want.item.id_pointer,
            subject=_describe_call_of(pair, got),
        )


def _describe_call_of(pair: Pair, state: PlacedState) -> str:
    ordinal = state.place[1]
    return describe_call(pair.output.calls[ordinal]) if ordinal is not None and state.belongs_to_calls else ""


def _describe_place(pair: Pair, place: StatePlace) -> str:
    kind, ordinal = place
    return "at the beginning" if ordinal is None else f"{kind} {describe_call(pair.output.calls[ordinal])}"


def _excerpt(state: PlacedState, other: PlacedState | None = None) -> str:
    """Return the beginning of a state; next to another one that begins alike, the part where the two differ."""
    value = state.item.value
    pairs = zip(value, other.item.value if other is not None else "", strict=False)
    common_length = sum(1 for _ in takewhile(lambda both: both[0] == both[1], pairs))
    if common_length < _EXCERPT_LENGTH:
        return Words(value[:_EXCERPT_LENGTH])
    half = _EXCERPT_LENGTH // 2
    return Words(f"… {value[common_length - half : common_length + half]}, {len(value)} characters in all")


def compare_returned_ids(pair: Pair) -> Iterator[Finding]:
    """Report ids of calls that the provider does not get back: it made the calls, and may know them only by id."""
    source, output = pair.source.calls, pair.output.calls
    for left, right in sorted(pair.call_pairs.items()):
        old, new = source[left], output[right]
        if old.id is not None and new.id is not None and old.id != new.id:
            yield pair.finding(
                "translation/ids-returned",
                new.id_pointer or new.pointer,
                want=old.id,
                got=new.id,
                source=old.id_pointer or old.pointer,
                subject=describe_call(old),
            )


def compare_own_state(pair: Pair) -> Iterator[Finding]:
    """Compare state between two ends of one format, where it must stay unchanged and in its place.

    A request is what the provider gets back; a reply is all that its client will ever know.
    """
    if pair.is_same_format:
        yield from compare_returned_state(pair) if pair.is_request else report_lost_in_reply(pair)
