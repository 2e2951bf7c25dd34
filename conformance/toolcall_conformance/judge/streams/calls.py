"""What is inside a call of a stream: which findings are about its events."""

from __future__ import annotations

from collections.abc import Callable

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.library import Corpus


def inside_of_stream(corpus: Corpus, name: str, received: Assembled) -> Callable[[Finding, Finding], bool]:
    """Whether a finding on a stream's events is about the call at which one on its assembled reply is.

    ``name`` is the format of the stream, ``received`` what it assembles to.
    """
    calls = formats.read(name, "response", received.body).calls
    if len(calls) != len(received.calls):
        return lambda _call, _finding: False
    began = {call.pointer: streamed for call, streamed in zip(calls, received.calls, strict=True)}
    parts = {(rule, breach.pointer): breach.part for rule, breach in received.breaches}

    def is_inside(mark: Finding, finding: Finding) -> bool:
        call = began.get(mark.pointer)
        if call is None:
            return False
        part = parts.get((finding.rule, finding.pointer))
        if part is None and corpus.rule(finding.rule).raw["check"] == "schema":  # no machine reports what a schema says
            return _is_among(finding, call)
        return part == call.pointer

    return is_inside


def _is_among(finding: Finding, call: StreamedCall) -> bool:
    return any(f"{finding.pointer}/".startswith(f"{place}/") for place in call.pointers)
