"""Rules on replies and error replies: candidates' numbers, the finish reason of calls, token counts, error details."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.reading import Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.gemini.proto_json import (
    FINISH_REASONS,
    FINISH_REASONS_WITH_CALLS,
    enum_name,
    parse_number,
    root,
)
from toolcall_conformance.formats.rule import Subject, repeated_indexes, rule

#: The counts that totalTokenCount sums.
TOTAL_TOKEN_KEYS = ("promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")


@rule("gemini/finish-with-calls", "response")
def finish_with_calls(subject: Subject) -> Iterator[Breach]:
    finish = subject.reading.finish
    if finish is not None and subject.reading.calls:
        raw = enum_name(finish.raw, FINISH_REASONS)
        if raw is not None and raw not in FINISH_REASONS_WITH_CALLS:
            yield Breach(finish.pointer, want="STOP", got=finish.raw)


@rule("gemini/usage-total", "response")
def usage_total(subject: Subject) -> Iterator[Breach]:
    usage = root(subject.body).child("usageMetadata")
    total = usage.child("totalTokenCount")
    counted = [parse_number(usage.get(key)) for key in TOTAL_TOKEN_KEYS]
    if (parse_number(total.value) is None and total.value is not None) or counted[0] is None:
        return  # the schema reports what is no count
    expected = sum(count for count in counted if count is not None)
    if not isinstance(expected, int):
        return
    if (parse_number(total.value) or 0) != expected:
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
    for pointer, index in repeated_indexes(candidates.value, candidates.pointer):
        yield Breach(pointer, f"a candidate before this one has the index {index}", MISSING, index)


@rule("gemini/error-code", "error")
def error_code(subject: Subject) -> Iterator[Breach]:
    """The code is the HTTP status; another rule reports a status that is none of an error."""
    failure = subject.reading.failure
    code = Node(subject.body).child("body").child("error").child("code")
    if failure is None or failure.status is None or failure.status < 400:
        return
    if isinstance(code.value, int) and not isinstance(code.value, bool) and code.value != failure.status:
        yield Breach(code.pointer, want=failure.status, got=code.value)


@rule("gemini/error-details", "error")
def error_details(subject: Subject) -> Iterator[Breach]:
    """Each type of detail occurs once; their form is the schema's matter."""
    types: set[str] = set()
    for detail in Node(subject.body).child("body").child("error").child("details").each():
        kind = detail.get("@type")
        if isinstance(kind, str) and kind in types:
            yield Breach(detail.pointer, "two details of one type", want=MISSING, got=kind)
        elif isinstance(kind, str):
            types.add(kind)
