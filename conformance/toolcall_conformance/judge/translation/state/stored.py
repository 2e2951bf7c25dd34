"""Requests that continue a conversation which their own provider stores: another provider needs all of it.

Such a request names an earlier reply, a conversation or single items, and holds only what is new. The earlier part is
unknown here; but a translation without an earlier part is half a conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Call, Opaque, Reading, Result, Stored, Turn, Waiver
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.judge.translation.nearest import conversation_pointer
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.results.links import ResultComparison
from toolcall_conformance.judge.translation.state import compactions
from toolcall_conformance.judge.translation.texts.white_space import squeeze

# An item that is only referred to may be any of these, so none of them is invented.
OF_ITEMS = frozenset(
    f"translation/{rule}"
    for rule in (
        *(
            "call-invented",
            "call-duplicated",
            "calls-merged",
            "calls-split",
            "calls-in-separate-messages",
            "result-invented",
            "result-duplicated",
        ),
        *("text-invented", "text-duplicated", "text-moved", "text-moved-in-turn", "reasoning-as-text", "system-added"),
    )
)


def is_half(before: Reading, after: Reading) -> bool:
    """Whether turns of the assistant are missing in ``after``: ``before`` has all of them."""
    return _spoken(after) < _spoken(before)


@dataclass(frozen=True, slots=True)
class StoredSides:
    """The bodies left to compare, the findings that are certain, and the rules that do not apply to the rest."""

    sides: Sides
    findings: tuple[Finding, ...] = ()
    excused: frozenset[str] = frozenset()


def settle(sides: Sides) -> StoredSides:
    """Prepare a comparison whose source rests on stored state: what only the output can know is removed from it."""
    packed = compactions.find_unread(sides)
    findings = list(packed.findings)
    excused = packed.excused
    references = {(stored.kind, stored.id) for stored in sides.output.stored}
    referred = [stored for stored in sides.source.stored if stored.kind != compactions.KIND]
    if {(stored.kind, stored.id) for stored in referred} <= references:
        return StoredSides(
            sides, tuple(findings), excused
        )  # nothing is stored, or the provider gets the same references
    orphans = [result for result in sides.source.results if result.call is None]
    if all(stored.kind == "item" for stored in referred):
        lone = [result for result in sides.output.results if result.call is None]
        if lone:
            findings.append(_missing(sides, referred[0], "results whose calls are missing"))
        answers = lone or _partners(orphans, sides.output.results)
        excused |= OF_ITEMS
    elif _spoken(sides.output) <= _spoken(sides.source):
        findings.append(_missing(sides, referred[0], "nothing of the earlier conversation"))
        answers = [result for result in sides.output.results if result.call is None]
    else:
        output, answers = _tail(sides.output, _spoken(sides.source))
        sides = replace(sides, output=output)
    if orphans or answers:
        findings += _compare_answers(sides, orphans, answers)
        sides = replace(sides, source=_without(sides.source, orphans), output=_without(sides.output, answers))
    return StoredSides(_with_tools(_with_system(sides)), tuple(findings), excused)


def _spoken(reading: Reading) -> int:
    """How many turns of the assistant there are."""
    return sum(turn.side == "assistant" for turn in reading.turns)


def _missing(sides: Sides, named: Stored, got: str) -> Finding:
    want = f"all that the {named.kind} {named.id} refers to"
    return sides.finding(
        "translation/stored-history", conversation_pointer(sides), want=want, got=got, source=named.pointer
    )


def _tail(reading: Reading, spoken: int) -> tuple[Reading, list[Result]]:
    """What is new in a request with its whole history, and the results that answer calls of before.

    The new part begins behind the last turn of the assistant of before; ``spoken`` turns of the assistant are new.
    """
    places = [place for place, turn in enumerate(reading.turns) if turn.side == "assistant"]
    start = places[len(places) - spoken - 1] + 1
    before = sum(isinstance(item, Call) for turn in reading.turns[:start] for item in turn.items)
    turns = [replace(turn, items=[_renumbered(item, before) for item in turn.items]) for turn in reading.turns[start:]]
    tail = replace(reading, turns=turns)
    return tail, [result for result in tail.results if result.call is None]


def _renumbered(item: Item, before: int) -> Item:
    """An item of the new part, with the calls counted from its beginning."""
    if isinstance(item, Call):
        return replace(item, ordinal=item.ordinal - before)
    if isinstance(item, (Result, Opaque, Waiver)) and item.call is not None:
        return replace(item, call=item.call - before if item.call >= before else None)
    return item


def _partners(orphans: Iterable[Result], results: Sequence[Result]) -> Sequence[Result]:
    """The results with the ids of the orphans; as many from the end where ids were rewritten."""
    ids = [result.id for result in orphans]
    same = [result for result in results if result.id in ids]
    return same if len(same) == len(ids) else results[len(results) - len(ids) :]


def _compare_answers(sides: Sides, orphans: Sequence[Result], answers: Sequence[Result]) -> Iterator[Finding]:
    """Compare the results of calls that the source does not hold: their contents decide which belong together."""
    own = Pair(
        sides.corpus, _of(sides.source, orphans), _of(sides.output, answers), results_format=sides.results_format
    )
    comparison = ResultComparison.of(own)
    free = list(range(len(answers)))
    left = []
    for number, orphan in enumerate(orphans):
        fitting = [other for other in free if comparison.is_close(number, other)]
        if fitting:
            free.remove(next((other for other in fitting if answers[other].id == orphan.id), fitting[0]))
        else:
            left.append(number)
    for number in left:
        orphan = orphans[number]
        if free:
            answer = answers[free.pop(0)]
            yield sides.finding(
                "translation/result-content",
                answer.content_pointer or answer.pointer,
                want=_content(sides.source, orphan),
                got=_content(sides.output, answer),
                source=orphan.content_pointer or orphan.pointer,
                subject=f"the result for {orphan.id}",
            )
        else:
            yield sides.finding(
                "translation/result-lost",
                conversation_pointer(sides),
                want=_content(sides.source, orphan),
                got=MISSING,
                source=orphan.pointer,
                subject=f"the result for {orphan.id}",
            )
    for number in free:
        extra = answers[number]
        got = _content(sides.output, extra)
        yield sides.finding("translation/result-invented", extra.pointer, want=MISSING, got=got)


def _content(reading: Reading, result: Result) -> Any:
    """The content of a result as it stands in its body."""
    return resolve(reading.body, result.content_pointer or result.pointer)


def _of(reading: Reading, results: Sequence[Result]) -> Reading:
    """A reading of these results alone."""
    turn = Turn("user", "", [replace(result, call=None) for result in results])
    return Reading(reading.format, "request", turns=[turn])


def _without(reading: Reading, results: Sequence[Result]) -> Reading:
    turns = [replace(turn, items=[item for item in turn.items if item not in results]) for turn in reading.turns]
    return replace(reading, turns=[turn for turn in turns if turn.items])


def _with_system(sides: Sides) -> Sides:
    """A system prompt may have come with what is stored; the request's own must be in what goes out."""
    ours, theirs = (squeeze("".join(text.text for text in side.system)) for side in (sides.source, sides.output))
    if ours not in theirs:
        return sides
    return replace(sides, output=replace(sides.output, system=sides.source.system))


def _with_tools(sides: Sides) -> Sides:
    """A thread has its tools from its first request: those of the output are then none that somebody invented."""
    source = sides.source
    if source.tools or all(stored.kind != "thread" for stored in source.stored):
        return sides
    return replace(sides, output=replace(sides.output, tools=[]))
