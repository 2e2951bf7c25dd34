"""Which call is which: chains in order, and what decides between calls that are alike."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from random import Random
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.judge.translation.calls.align import Alignment, align_calls
from toolcall_conformance.judge.translation.calls.sequences import best_chain
from toolcall_conformance.library import load_corpus


@pytest.mark.parametrize("density", [0.15, 0.5, 1.0])
def test_a_chain_has_as_many_points_as_any(density: float) -> None:
    draw = Random(7)
    for _ in range(60):
        rows, columns = draw.randint(1, 5), draw.randint(1, 5)
        chances = {
            row: {column: draw.randint(1, 4) for column in range(columns) if draw.random() < density}
            for row in range(rows)
        }
        chain = best_chain(chances, columns)
        assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(chain))
        pairs = [(row, column) for row, some in chances.items() for column in some]
        most = max(
            (
                sum(chances[row][column] for row, column in some)
                for size in range(min(rows, columns) + 1)
                for some in combinations(pairs, size)
                if all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(some))
            ),
            default=0,
        )
        assert sum(chances[row][column] for row, column in chain) == most


Turn = tuple[str | None, list[tuple[str | None, str, Any, str]]]


def align(source: list[Turn], output: list[Turn]) -> Alignment:
    """Turns of a Chat request: a text, and calls as id, name, arguments and result."""
    return align_calls(load_corpus(), reading(source), reading(output), {})


def reading(turns: list[Turn]) -> Any:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for text, calls in turns:
        tool_calls = [
            {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
            for name, tool, arguments, _ in calls
        ]
        messages.append({"role": "assistant", "content": text, "tool_calls": tool_calls})
        messages += [{"role": "tool", "tool_call_id": name, "content": result} for name, _, _, result in calls]
    return formats.read("openai_chat", "request", {"model": "m", "messages": messages})


ROLL: list[Turn] = [
    (None, [("a", "roll", 6, "4"), ("b", "roll", 6, "1"), ("c", "roll", 6, "4")]),
    ("One more.", [("d", "roll", 6, "6")]),
]


@pytest.mark.parametrize(
    ("output", "pairs"),
    [
        ([(None, [("v", "roll", 6, "4")]), ("One more.", [("w", "roll", 6, "6")])], {0: 0, 3: 1}),
        ([(None, [("v", "roll", 6, "1")]), (None, [("w", "roll", 6, "6")])], {1: 0, 3: 1}),
        ([("One more.", [("w", "roll", 6, "x")])], {3: 0}),
    ],
)
def test_of_equal_calls_the_one_in_its_surroundings_is_meant(output: list[Turn], pairs: dict[int, int]) -> None:
    assert align(ROLL, output).pairs == pairs


def test_a_call_that_is_intact_is_not_passed_over_for_one_with_its_id() -> None:
    source: list[Turn] = [(None, [("a", "read", 1, "x"), ("b", "list", 2, "y")])]
    alignment = align(source, [(None, [("a", "list", 2, "y")])])
    assert (alignment.pairs, alignment.lost) == ({1: 0}, [0])
    exchanged = align(source, [(None, [("a", "list", 2, "y"), ("b", "read", 1, "x")])])
    assert exchanged.pairs == {0: 1, 1: 0}
    assert len(exchanged.moved) == 1


def test_ids_hold_where_arguments_of_one_tool_changed_places() -> None:
    source: list[Turn] = [(None, [("a", "read", 1, "x"), ("b", "read", 2, "y")])]
    assert align(source, [(None, [("a", "read", 2, "x"), ("b", "read", 1, "y")])]).pairs == {0: 0, 1: 1}
    assert align(source, [(None, [("a", "read", 2, "x"), ("b", "read", 2, "y")])]).pairs == {0: 0, 1: 1}


def test_what_is_changed_is_paired_between_its_neighbours() -> None:
    source: list[Turn] = [(None, [("a", "read", 1, "x"), ("b", "list", 2, "y"), ("c", "read", 3, "z")])]
    output: list[Turn] = [(None, [("u", "read", 1, "x"), ("v", "find", 9, "y"), ("w", "read", 3, "z")])]
    assert align(source, output).pairs == {0: 0, 1: 1, 2: 2}
    one_more: list[Turn] = [(None, [*output[0][1], ("q", "find", 8, "y")])]
    assert align(source, one_more).invented == [3]
    other: list[Turn] = [
        (None, [("u", "read", 5, "x"), ("v", "list", 6, "y"), ("q", "find", 8, "y"), ("w", "read", 7, "z")])
    ]
    assert align(source, other).pairs == {0: 0, 1: 1, 2: 3}
