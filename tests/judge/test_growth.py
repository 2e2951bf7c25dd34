"""Judging a body takes work in proportion to its size, whatever is wrong with it.

Calls of functions are counted, not seconds: their number is the same on every machine. Each fault is put into a third
of the shapes a day.
"""

from __future__ import annotations

import cProfile
import math
import pstats
from typing import Any

import pytest

from benchmarks.growing import FAULTS, SHAPES, translate_request
from toolcall_conformance import Ends, Judge, load_corpus
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.basics.jsonvalue import JSONError, parse
from toolcall_conformance.reports.text.failure import ReportedItem, describe
from turns import share

CORPUS = load_corpus()
JUDGE = Judge(CORPUS)
SMALL, LARGE = 55, 165
"""Beyond what lists of choices name at most."""
MAX_EXPONENT = 1.2
"""The exponent of n log n between these sizes is below this, that of half linear and half square above."""
MAX_PER_FINDING = 1250
"""Calls of functions for one more finding of a schema; 950 in the worst case, 1600 if each is worked out anew."""

ENDS = Ends("openai_chat", "anthropic")


def work(source: Any, output: Any) -> int:
    """How many functions are called while a request is judged."""
    profile = cProfile.Profile()
    profile.enable()
    JUDGE.request(source, output, ENDS)
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def exponent(counts: list[int]) -> float:
    return math.log(counts[1] / counts[0]) / math.log(LARGE / SMALL)


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_size(shape: str) -> None:
    first, *bodies = [chat_request_pair(shape, size) for size in (2, SMALL, LARGE)]
    steep = {}
    for fault, make in share(FAULTS.items(), 3, [*SHAPES].index(shape)):
        work(first[0], make(first[1]))  # what is loaded on first use
        grown = exponent([work(source, make(output)) for source, output in bodies])
        if grown > MAX_EXPONENT:
            steep[fault] = round(grown, 2)
    assert steep == {}


@pytest.mark.parametrize("fault", ["ids null", "types wrong", "nulls"])
def test_a_finding_takes_little_work(fault: str) -> None:
    first, small, large = [chat_request_pair("calls at once", size) for size in (2, SMALL, LARGE)]
    work(first[0], FAULTS[fault](first[1]))  # what is loaded on first use
    finding_counts = [
        len(JUDGE.request(source, FAULTS[fault](output), ENDS).findings) for source, output in (small, large)
    ]
    spent = [work(source, FAULTS[fault](output)) for source, output in (small, large)]
    assert (spent[1] - spent[0]) / (finding_counts[1] - finding_counts[0]) < MAX_PER_FINDING


def test_telling_findings_grows_with_their_number() -> None:
    def count_report_calls(size: int) -> int:
        findings = [Finding("a/b", Level.MUST, f"/{number}", "wrong") for number in range(size)]
        milder = [Finding("c/d", Level.SHOULD, f"/{number}", "odd") for number in range(size)]
        item = ReportedItem("case", "request", "anthropic", "gemini", 1)
        profile = cProfile.Profile()
        profile.runcall(describe, item, [*findings, *milder], CORPUS, failing=findings, known_reason=lambda _: None)
        return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]

    assert exponent([count_report_calls(10 * SMALL), count_report_calls(10 * LARGE)]) < MAX_EXPONENT


def chat_request_pair(shape: str, size: int) -> tuple[Any, Any]:
    """A request of Chat's, and what the reference makes of it for Anthropic."""
    source = translate_request(SHAPES[shape](size), "anthropic", "openai_chat")
    return source, translate_request(source, "openai_chat", "anthropic")


def test_work_that_is_square_is_seen() -> None:
    def square(size: int) -> int:
        return sum(1 for _ in range(size) for _ in range(size))

    profile_counts = []
    for size in (SMALL, LARGE):
        profile = cProfile.Profile()
        profile.runcall(square, size)
        profile_counts.append(int(pstats.Stats(profile).total_calls))  # type: ignore[attr-defined]
    assert exponent(profile_counts) > MAX_EXPONENT


def test_a_key_that_occurs_twice_is_found_among_many() -> None:
    many = ",".join(f'"k{number}":1' for number in range(50_000))
    with pytest.raises(JSONError, match="'k49999' occurs twice"):
        parse(f'{{{many},"k49999":2}}')
