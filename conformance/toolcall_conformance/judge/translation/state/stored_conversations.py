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

# An item that is only referred to may be any of these, so none of them counts as invented.
_RULES_EXCUSED_BY_ITEMS = frozenset(
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


def lacks_turns(before: Reading, after: Reading) -> bool:
    """Whether turns of the assistant are missing in ``after``: ``before`` has all of them."""
    return _count_assistant_turns(after) < _count_assistant_turns(before)


@dataclass(frozen=True, slots=True)
class StoredSides:
    """The bodies left to compare, the certain findings, and the rules that do not apply to the rest."""

    sides: Sides
    findings: tuple[Finding, ...] = ()
    excused: frozenset[str] = frozenset()


def remove_stored_part(sides: Sides) -> StoredSides:
    """Remove from the output what only it can know, if the source continues a stored conversation."""
    packed = compactions.find_unread_compactions(sides)
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
            findings.append(_missing_history(sides, referred[0], "results whose calls are missing"))
        answers = lone or _matching_results(orphans, sides.output.results)
        excused |= _RULES_EXCUSED_BY_ITEMS
    elif _count_assistant_turns(sides.output) <= _count_assistant_turns(sides.source):
        findings.append(_missing_history(sides, referred[0], "nothing of the earlier conversation"))
        answers = [result for result in sides.output.results if result.call is None]
    else:
        output, answers = _new_part(sides.output, _count_assistant_turns(sides.source))
        sides = replace(sides, output=output)
    if orphans or answers:
        findings += _compare_answers(sides, orphans, answers)
        sides = replace(
            sides, source=_without_results(sides.source, orphans), output=_without_results(sides.output, answers)
        )
    return StoredSides(_without_thread_tools(_with_source_system(sides)), tuple(findings), excused)


def _count_assistant_turns(reading: Reading) -> int:
    """Count the turns of the assistant."""
    return sum(turn.side == "assistant" for turn in reading.turns)


def _missing_history(sides: Sides, named: Stored, got: str) -> Finding:
    want = f"all that the {named.kind} {named.id} refers to"
    return sides.finding(
        "translation/stored-history", conversation_pointer(sides), want=want, got=got, source=named.pointer
    )


def _new_part(reading: Reading, new_turns: int) -> tuple[Reading, list[Result]]:
    """Return the new part of a request with its whole history, and the results that answer earlier calls.

    The new part begins after the assistant's last earlier turn; ``new_turns`` turns of the assistant are new.
    """
    places = [place for place, turn in enumerate(reading.turns) if turn.side == "assistant"]
    start = places[len(places) - new_turns - 1] + 1
    before = sum(isinstance(item, Call) for turn in reading.turns[:start] for item in turn.items)
    turns = [replace(turn, items=[_renumber(item, before) for item in turn.items]) for turn in reading.turns[start:]]
    new_part = replace(reading, turns=turns)
    return new_part, [result for result in new_part.results if result.call is None]


def _renumber(item: Item, before: int) -> Item:
    """Return an item of the new part, with the calls counted from its beginning."""
    if isinstance(item, Call):
        return replace(item, ordinal=item.ordinal - before)
    if isinstance(item, (Result, Opaque, Waiver)) and item.call is not None:
        return replace(item, call=item.call - before if item.call >= before else None)
    return item


def _matching_results(orphans: Iterable[Result], results: Sequence[Result]) -> Sequence[Result]:
    """Return the results with the ids of the orphans; if ids were rewritten, as many from the end."""
    ids = [result.id for result in orphans]
    same = [result for result in results if result.id in ids]
    return same if len(same) == len(ids) else results[len(results) - len(ids) :]


def _compare_answers(sides: Sides, orphans: Sequence[Result], answers: Sequence[Result]) -> Iterator[Finding]:
    """Compare the results of calls that the source does not have: their contents decide which belong together."""
    answers_pair = Pair(
        sides.corpus,
        _reading_of(sides.source, orphans),
        _reading_of(sides.output, answers),
        results_format=sides.results_format,
    )
    comparison = ResultComparison.of(answers_pair)
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
                want=_raw_content(sides.source, orphan),
                got=_raw_content(sides.output, answer),
                source=orphan.content_pointer or orphan.pointer,
                subject=f"the result for {orphan.id}",
            )
        else:
            yield sides.finding(
                "translation/result-lost",
                conversation_pointer(sides),
                want=_raw_content(sides.source, orphan),
                got=MISSING,
                source=orphan.pointer,
                subject=f"the result for {orphan.id}",
            )
    for number in free:
        extra = answers[number]
        got = _raw_content(sides.output, extra)
        yield sides.finding("translation/result-invented", extra.pointer, want=MISSING, got=got)


def _raw_content(reading: Reading, result: Result) -> Any:
    """Return the content of a result as its body has it."""
    return resolve(reading.body, result.content_pointer or result.pointer)


def _reading_of(reading: Reading, results: Sequence[Result]) -> Reading:
    """Return a reading of these results alone."""
    turn = Turn("user", "", [replace(result, call=None) for result in results])
    return Reading(reading.format, "request", turns=[turn])


def _without_results(reading: Reading, results: Sequence[Result]) -> Reading:
    turns = [replace(turn, items=[item for item in turn.items if item not in results]) for turn in reading.turns]
    return replace(reading, turns=[turn for turn in turns if turn.items])


def _with_source_system(sides: Sides) -> Sides:
    """Replace the output's system prompt by the source's if it contains it: the rest may have been stored."""
    ours, theirs = (squeeze("".join(text.text for text in side.system)) for side in (sides.source, sides.output))
    if ours not in theirs:
        return sides
    return replace(sides, output=replace(sides.output, system=sides.source.system))


def _without_thread_tools(sides: Sides) -> Sides:
    """Remove the output's tools if the source has none and continues a thread, which has stored them."""
    source = sides.source
    if source.tools or all(stored.kind != "thread" for stored in source.stored):
        return sides
    return replace(sides, output=replace(sides.output, tools=[]))
