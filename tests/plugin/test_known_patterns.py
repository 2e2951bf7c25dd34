"""Patterns for many known failures: they match just these items, and a bomb of braces is refused."""

from __future__ import annotations

import random
import time

import pytest

from toolcall_conformance.engine.items.plan import items
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.known_failures import ItemPattern
from toolcall_conformance.reports.known_failures.entries import spread
from toolcall_conformance.reports.known_failures.items import Items
from toolcall_conformance.reports.known_failures.ranges import patterns

# Of private cases and recordings, whose names have what patterns have.
ODD = ("recorded/a{b,c}::response::anthropic", "mine/star*::request::anthropic-to-gemini", "mine/x::adapter::gemini")


def test_patterns_match_just_what_they_were_made_of(corpus: Corpus) -> None:
    every = [*(item.nodeid.removeprefix("toolcall::") for item in items(corpus)), *ODD]
    there = Items(every)
    draw = random.Random(7)
    families = sorted({one.partition("/")[0] for one in every})
    chosen = [set(draw.sample(every, size)) for size in (1, 2, 30, 150)]
    chosen += [
        {one for one in every if one.startswith(f"{family}/") and words in one}
        for family in families[::8]
        for words in ("::request::", "agent_loop::openai_chat-to-anthropic", "streamed")
    ]
    chosen += [one - set(draw.sample(sorted(one), 1)) for one in chosen if one]
    chosen.append(set(ODD))
    for wanted in chosen:
        made = patterns(wanted, there)
        assert {each for text in made for each in there.matching(ItemPattern(text, 1))} == wanted
        for pattern in (ItemPattern(text, 1) for text in made):
            assert pattern.count in (None, len(there.matching(pattern)))
            assert pattern.is_exact or "?" in pattern.text
            assert all(pattern.matches(each) for each in there.matching(pattern))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a", ["a"]),
        ("a{b,c}d", ["abd", "acd"]),
        ("{a/{b,c},d/e}::x{,-y}", ["a/b::x", "a/b::x-y", "a/c::x", "a/c::x-y", "d/e::x", "d/e::x-y"]),
        ("a}b", ["a}b"]),
    ],
)
def test_braces(text: str, found: list[str]) -> None:
    assert spread(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a{b", "is not closed"),
        ("{" * 50, "is not closed"),
        ("{" * 50 + "}" * 50, "too many braces"),
        ("{a,b}" * 60, "stands for more than"),
        (("{" + ",".join(map(str, range(999))) + "}") * 3, "stands for more than"),
        ("{" * 100_000, "too many braces"),
    ],
)
def test_braces_that_do_not_end(text: str, said: str) -> None:
    start = time.monotonic()
    with pytest.raises(ValueError, match=said):
        _ = ItemPattern(text, 1).parts
    assert time.monotonic() - start < 5
