"""A damaged stream in the official accumulator and in our stream machine: what each puts together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance import Judge, formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.basics.streaming import dump
from toolcall_conformance.trust.witnesses.questions import words
from witnesses.accumulators import ACCUMULATORS
from witnesses.damage_generator import DamagedBody, Source
from witnesses.readings import NOT_GIVEN_OUT, reply_content, unread


@dataclass(frozen=True)
class Comparison:
    """What came of one stream. ``kind`` is one of :data:`KINDS`; ``rules`` are those by which we report a fault."""

    kind: str
    ours: str = ""
    theirs: str = ""
    rules: tuple[str, ...] = ()


KINDS = {
    "same": "the accumulator puts together what we do",
    "both-refuse": "the accumulator raises, and we report a fault",
    "unseen": "the accumulator raises, and we report no fault",
    "other": "the two put other replies together, and we report no fault",
    "other-after-fault": "the two put other replies together, and we report a fault",
}
DIFFERENCES = ("unseen", "other", "other-after-fault")


def compare_stream(judge: Judge, subject: Source | DamagedBody) -> Comparison:
    """What the accumulator of a format's official SDK makes of a stream, and what we do."""
    name, stream = subject.format, subject.body
    assembled = formats.assemble(name, stream)
    rules = _faults(judge, name, stream)
    ours = whole_reply(name, assembled.body)
    try:
        theirs = whole_reply(name, ACCUMULATORS[name](dump(stream["events"])))
    except Exception as error:
        raised = words(error)
        fine = bool(rules) or assembled.end == "failed" or _is_unread_reply(name, assembled, raised)
        return Comparison("both-refuse" if fine else "unseen", ours, raised, rules)
    if ours == theirs:
        return Comparison("same", rules=rules)
    return Comparison("other-after-fault" if rules else "other", ours, theirs, rules)


def whole_reply(name: str, body: Any) -> str:
    """All that a reply says to its reader, with its counts of tokens."""
    return f"{reply_content(name, body)} {canonical(formats.read(name, 'response', body).usage)}"


def _faults(judge: Judge, name: str, stream: Any) -> tuple[str, ...]:
    findings = judge.stream(None, stream, Route(name, name, "model", "model", stream=True)).findings
    return tuple(sorted({finding.rule for finding in findings if finding.is_must}))


def _is_unread_reply(name: str, assembled: Assembled, raised: str) -> bool:
    """Whether the accumulator reads no reply of this kind at all."""
    finish = formats.read(name, "response", assembled.body).finish
    refused = NOT_GIVEN_OUT.get((name, str(finish and finish.raw)))
    return (refused is not None and refused in raised) or unread(name, assembled.body) is not None


def agrees(judge: Judge, source: Source) -> bool:
    """Whether a stream without a fault is read alike; only those show something when they are damaged."""
    comparison = compare_stream(judge, source)
    return comparison.kind == "same" and not comparison.rules
