"""What work takes, as numbers that are the same on every machine: how often lines run, and how many bytecodes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

Lines = Counter[tuple[CodeType, int]]


def count_lines(work: Callable[[], object], place: str) -> Lines:
    """How often each line runs of the code in a folder, or in a file."""
    counts: Lines = Counter()

    def count(frame: FrameType, _event: str, _: Any) -> Any:
        counts[frame.f_code, frame.f_lineno] += 1
        return count

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        return count(frame, event, argument) if frame.f_code.co_filename.startswith(place) else None

    _run_traced(work, enter)
    return counts


def count_bytecodes(work: Callable[[], object]) -> int:
    """How many bytecodes of Python a work takes."""
    count = 0

    def step(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return step

    _run_traced(work, step)
    return count


def _run_traced(work: Callable[[], object], trace: Callable[[FrameType, str, Any], Any]) -> None:
    """Do a work under a trace function; the one of before, coverage's for one, is there again afterwards."""
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
