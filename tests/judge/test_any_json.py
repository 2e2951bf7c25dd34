"""The judge takes whatever JSON a translator was given and made: it finds faults and never raises."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from toolcall_conformance import Ends, Judge
from toolcall_conformance.library import Corpus

#: Bodies that are no object, objects of no format, and objects whose members have the wrong types.
BODIES: list[Any] = [
    *(None, [], "x", 3, {}, [{}]),
    {"id": "x"},
    {"error": []},
    {"status": 429, "body": []},
    {"events": 3},
    {"messages": 3, "contents": "x", "input": 4, "tools": 5, "error": 9},
    {"choices": {}, "content": 7, "candidates": [1], "output": [2]},
]
ENDS = [Ends("anthropic", "anthropic"), Ends("openai_chat", "gemini"), Ends("gemini", "openai_responses")]

OPERATIONS: dict[str, Callable[[Judge, Any, Any, Ends], Any]] = {
    "request": lambda judge, source, output, ends: judge.request(source, output, ends),
    "response": lambda judge, source, output, ends: judge.response(source, output, ends),
    "error": lambda judge, source, output, ends: judge.error(source, output, ends),
    "history": lambda judge, source, output, ends: judge.history(source, output, ends),
    "round trip": lambda judge, source, output, ends: judge.round_trip(
        source, output, own=ends.client, through=ends.upstream
    ),
    # A stream is what `parse` makes of bytes: an object with a list of events.
    "stream": lambda judge, source, output, ends: judge.stream(source, {"events": [{"data": output}]}, ends),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("ends", ENDS, ids=lambda ends: f"{ends.client}-to-{ends.upstream}")
def test_no_pair_of_bodies_raises(corpus: Corpus, operation: str, ends: Ends) -> None:
    judge = Judge(corpus, tolerated=True)
    for source, output in itertools.product(BODIES, repeat=2):
        OPERATIONS[operation](judge, source, output, ends)
