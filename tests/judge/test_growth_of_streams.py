"""No line of code runs with the square of a reply or stream while that is judged.

The runs of each line are counted, not seconds: their numbers are the same on every machine, and one line that looks
through all that came before stands out among thousands that do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import toolcall_conformance
from benchmarks.growing_replies import reply, stream, tool_request, translate_reply, translate_stream
from toolcall_conformance import Ends, Judge, Requests
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import Corpus
from tracing import Lines, count_lines

SMALL, LARGE = 6, 18
MAX_EXPONENT = 1.45
"""The exponent of n log n between these sizes is below this; that of a line that looks through half is above."""
FEW = 4
"""Of the small size a line counts as run at least so often for each text and call."""

OURS = toolcall_conformance.__path__[0]
UPSTREAM = {
    "anthropic": "openai_chat",
    "openai_chat": "anthropic",
    "openai_responses": "anthropic",
    "gemini": "anthropic",
}


def steep(small: Lines, large: Lines) -> Mapping[str, float]:
    """The lines that run too often, each with its exponent."""
    growths = {}
    for (code, line), count in large.items():
        grown = math.log(count / max(small[code, line], FEW * SMALL)) / math.log(LARGE / SMALL)
        if grown > MAX_EXPONENT:
            growths[f"{code.co_filename}:{line} {code.co_qualname}"] = round(grown, 2)
    return growths


def streams(judge: Judge, client: str, size: int) -> Callable[[], object]:
    upstream = UPSTREAM[client]
    source = stream(upstream, "texts and calls", size)
    bodies = parse(source), parse(translate_stream(source, upstream, client))
    return lambda: judge.stream(*bodies, Ends(client, upstream), requests=Requests(tool_request(client)))


def replies(judge: Judge, client: str, size: int) -> Callable[[], object]:
    upstream = UPSTREAM[client]
    source = reply(upstream, "texts and calls", size)
    output = translate_reply(source, upstream, client)
    return lambda: judge.response(source, output, Ends(client, upstream))


@pytest.mark.parametrize("judging", [streams, replies])
@pytest.mark.parametrize("client", UPSTREAM)
def test_no_line_runs_with_the_square(corpus: Corpus, client: str, judging: Callable[..., Any]) -> None:
    judge = Judge(corpus)
    judging(judge, client, 2)()  # what is loaded on first use
    small, large = [count_lines(judging(judge, client, size), OURS) for size in (SMALL, LARGE)]
    assert sum(large.values()) > 100 * LARGE
    assert steep(small, large) == {}


@pytest.mark.parametrize(
    ("looks", "rows"), [(lambda number, _: number, 0), (lambda number, numbers: number in numbers, 1)]
)
def test_a_line_that_looks_through_all_is_seen(looks: Callable[[int, Any], object], rows: int) -> None:
    def work(size: int) -> Lines:
        numbers: list[int] = []

        def keep() -> None:
            for number in range(size):
                looks(number, (item for other in numbers for item in (other, other)))
                numbers.append(number)

        return count_lines(keep, __file__)

    assert len(steep(work(SMALL), work(LARGE))) == rows
