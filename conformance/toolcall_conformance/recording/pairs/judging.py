"""Judges one pair: what a translator was given, and what it made of it."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.judge.judge import Judge
from toolcall_conformance.recording.pairs.hidden import Hidden


def judged(judge: Judge, direction: str, source: Any, output: Any, ends: Ends, hidden: Hidden) -> Judgement:
    """Judge a pair; of a stream both sides are as ``streaming.parse`` has them, or the source is a unary reply."""
    if direction == "stream":
        judgement = judge.stream(source, output, ends, captured=True)
    elif direction == "error":
        judgement = judge.error(source, output, ends)
    elif direction == "response":
        judgement = judge.response(source, output, ends, captured=True)
    else:
        judgement = judge.request(source, output, ends, captured=True)
    return hidden.judged(judgement, source, output)
