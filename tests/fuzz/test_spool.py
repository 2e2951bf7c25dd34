"""What is drawn is made once and kept: every route reads the same, and memory does not hold it."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.trust.fuzz.generation import Spool

VALUES = [{"a": [1, -0.5, None, "é\u2028👩"]}, [], [2**53 - 1, {"b": {}, "a": ""}]]


def test_it_makes_each_once_and_reads_all_again() -> None:
    values: list[Any] = []

    def source() -> Iterator[Any]:
        for value in VALUES:
            values.append(value)
            yield value

    spool = Spool(source())
    first = iter(spool)
    assert next(first) == VALUES[0]
    assert values == VALUES[:1]
    assert [*spool] == VALUES
    assert [*first] == VALUES[1:]
    assert [*spool] == values == VALUES


def test_memory_does_not_hold_what_it_keeps() -> None:
    """20 MB that no packing makes smaller than half."""
    noise = random.Random(0)
    spool = Spool(noise.randbytes(10_000).hex() for _ in range(1_000))
    tracemalloc.start()
    try:
        assert sum(len(value) for value in spool) == sum(len(value) for value in spool) == 20_000_000
        assert tracemalloc.get_traced_memory()[1] < 9_000_000
    finally:
        tracemalloc.stop()
