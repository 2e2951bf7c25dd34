"""What is wrong within a call or tool that should not be there needs no repair: taking it out mends that, too.

``translation/call-invented`` and its like say that it should not be there. It then has no name, no id and no arguments
either, by the rules of its own format; these findings are left out. They stay where a call of the source came wrong or
not at all: then the call that is too much may be a piece of that one, and its faults the cause.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from toolcall_conformance import formats
from toolcall_conformance.findings import MISSING, Finding
from toolcall_conformance.jsonvalue import around
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Reading
from toolcall_conformance.reading.assembled import Assembled, StreamedCall


def but_for_superfluous(own: Sequence[Finding], found: Iterable[Finding], reading: Reading) -> list[Finding]:
    """The findings ``own`` by a body's own rules, without those within calls that ``found`` says to be too much."""
    extra = _superfluous(found, reading)
    if not extra:
        return list(own)
    return [
        one for one in own if not any(_weighs(extra[place], one) for place in around(one.pointer) if place in extra)
    ]


def of_stream(
    corpus: Corpus, name: str, own: Sequence[Finding], found: Iterable[Finding], received: Assembled
) -> list[Finding]:
    """The same of a stream in the format ``name``; ``found`` are the findings on the reply that it assembles to."""
    reading = formats.read(name, "response", received.body)
    extra = _superfluous(found, reading)
    if not extra or len(reading.calls) != len(received.calls):
        return list(own)
    pairs = zip(reading.calls, received.calls, strict=True)
    began = {streamed: extra[call.pointer] for call, streamed in pairs if call.pointer in extra}
    parts = {(rule, breach.pointer): breach.part for rule, breach in received.breaches}

    def is_of(one: Finding, call: StreamedCall) -> bool:
        part = parts.get((one.rule, one.pointer))
        if part is None and corpus.rule(one.rule).raw["check"] == "schema":  # no machine reports what a schema says
            return any(_within(one, place) for place in call.places)
        return part == call.pointer

    def follows(one: Finding) -> bool:
        return any(_weighs(mark, one) and is_of(one, call) for call, mark in began.items())

    return [one for one in own if not follows(one)]


def _superfluous(found: Iterable[Finding], reading: Reading) -> dict[str, Finding]:
    """What tells of a call that it should not be there, by its place; nothing where another call is lost or wrong."""
    found = list(found)
    return _marked(found, "call", {call.pointer for call in reading.calls}) | _marked(
        found, "tool", {tool.pointer for tool in reading.tools}
    )


def _marked(found: Iterable[Finding], element: str, places: Collection[str]) -> dict[str, Finding]:
    """What tells of an element at one of its ``places`` that it should not be there."""
    told = [one for one in found if one.element == element]
    if any(one.is_must and one.want is not MISSING for one in told):
        return {}
    return {
        one.pointer: one for one in told if one.want is MISSING and one.got is not MISSING and one.pointer in places
    }


def _weighs(mark: Finding, one: Finding) -> bool:
    """Whether a finding is told by a graver one, or one as grave."""
    return mark.is_must or one.is_note or not (one.is_must or mark.is_note)


def _within(one: Finding, place: str) -> bool:
    return f"{one.pointer}/".startswith(f"{place}/")
