"""Rules about replies: the numbers of candidates, the finish reason beside calls, and the token counts."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.gemini.spelling import BESIDE_CALLS, FINISH_REASONS, enum, number, root
from toolcall_conformance.formats.rule import Subject, rule
from toolcall_conformance.formats.several import numbered_twice

#: What totalTokenCount counts.
ADDENDS = ("promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")


@rule("gemini/finish-with-calls", "response")
def finish_with_calls(subject: Subject) -> Iterator[Breach]:
    finish = subject.reading.finish
    if finish is not None and subject.reading.calls:
        raw = enum(finish.raw, FINISH_REASONS)
        if raw is not None and raw not in BESIDE_CALLS:
            yield Breach(finish.pointer, want="STOP", got=finish.raw)


@rule("gemini/usage-total", "response")
def usage_total(subject: Subject) -> Iterator[Breach]:
    usage = root(subject.body).child("usageMetadata")
    total = usage.child("totalTokenCount")
    counted = [number(usage.get(key)) for key in ADDENDS]
    if (number(total.value) is None and total.value is not None) or counted[0] is None:
        return  # what is no count is told as such
    expected = sum(count for count in counted if count is not None)
    if not isinstance(expected, int):
        return
    if (number(total.value) or 0) != expected:
        missing = total.value is None
        pointer = usage.pointer if missing else total.pointer
        message = "totalTokenCount is not there" if missing else ""
        yield Breach(
            pointer,
            message,
            want=expected,
            got=MISSING if missing else total.value,
        )


@rule("gemini/candidate-once", "response")
def candidate_once(subject: Subject) -> Iterator[Breach]:
    candidates = root(subject.body).child("candidates")
    for pointer, index in numbered_twice(candidates.value, candidates.pointer):
        yield Breach(pointer, f"a candidate before this one has the index {index}", MISSING, index)
