"""Patterns for many known failures: they match just these items, and a bomb of braces is refused."""

from __future__ import annotations

import random
import time

import pytest

from toolcall_conformance.engine.items.plan import plan_items
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.known_failures import ItemPattern
from toolcall_conformance.reports.known_failures.entries import ItemIndex, expand_braces
from toolcall_conformance.reports.known_failures.patterns import shortest_patterns

# Of private cases and recordings, whose names have what patterns have.
ODD = ("recorded/a{b,c}::response::anthropic", "mine/star*::request::anthropic-to-gemini", "mine/x::adapter::gemini")


def test_patterns_match_just_what_they_were_made_of(corpus: Corpus) -> None:
    every = [*(item.nodeid.removeprefix("toolcall::") for item in plan_items(corpus)), *ODD]
    there = ItemIndex(every)
    draw = random.Random(7)
    families = sorted({nodeid.partition("/")[0] for nodeid in every})
    chosen = [set(draw.sample(every, size)) for size in (1, 2, 30, 150)]
    chosen += [
        {nodeid for nodeid in every if nodeid.startswith(f"{family}/") and words in nodeid}
        for family in families[::8]
        for words in ("::request::", "agent_loop::openai_chat-to-anthropic", "streamed")
    ]
    chosen += [selection - set(draw.sample(sorted(selection), 1)) for selection in chosen if selection]
    chosen.append(set(ODD))
    for selection in chosen:
        written_patterns = shortest_patterns(selection, there)
        assert {each for text in written_patterns for each in there.matching(ItemPattern(text, 1))} == selection
        for pattern in (ItemPattern(text, 1) for text in written_patterns):
            assert pattern.count in (None, len(there.matching(pattern)))
            assert pattern.is_exact or "?" in pattern.text
            assert all(pattern.matches(each) for each in there.matching(pattern))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ["a"]),
        ("a{b,c}d", ["abd", "acd"]),
        ("{a/{b,c},d/e}::x{,-y}", ["a/b::x", "a/b::x-y", "a/c::x", "a/c::x-y", "d/e::x", "d/e::x-y"]),
        ("a}b", ["a}b"]),
    ],
)
def test_braces(text: str, expected: list[str]) -> None:
    assert expand_braces(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a{b", "is not closed"),
        ("{" * 50, "is not closed"),
        ("{" * 50 + "}" * 50, "too many braces"),
        ("{a,b}" * 60, "stands for more than"),
        (("{" + ",".join(map(str, range(999))) + "}") * 3, "stands for more than"),
        ("{" * 100_000, "too many braces"),
    ],
)
def test_braces_that_do_not_end(text: str, message: str) -> None:
    start = time.monotonic()
    with pytest.raises(ValueError, match=message):
        _ = ItemPattern(text, 1).parts
    assert time.monotonic() - start < 5
