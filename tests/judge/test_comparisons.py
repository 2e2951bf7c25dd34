"""The comparisons: all in one table, none fills in anything for the next."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

from toolcall_conformance import formats, translation
from toolcall_conformance.judge.comparisons import COMPARISONS, HISTORY, REPLY, REQUEST, compare
from toolcall_conformance.library import Corpus
from toolcall_conformance.translation.aligned import aligned
from toolcall_conformance.translation.pair import Pair, Sides


def declared() -> set[str]:
    """The functions of ``translation`` that compare the two sides of a pair."""
    found: set[str] = set()
    for entry in pkgutil.walk_packages(translation.__path__, f"{translation.__name__}."):
        module = importlib.import_module(entry.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            parameters = [one.annotation for one in inspect.signature(function).parameters.values()]
            if name.startswith("compare_") and function.__module__ == entry.name and parameters == ["Pair"]:
                found.add(f"{entry.name}.{name}")
    return found


def test_every_comparison_is_in_the_table_once() -> None:
    listed = [f"{one.compare.__module__}.{one.compare.__name__}" for one in COMPARISONS]
    assert sorted(listed) == sorted(declared())
    assert all(one.holds_in for one in COMPARISONS)


def damaged(corpus: Corpus) -> Iterator[Pair]:
    """Pairs with something wrong almost everywhere: one conversation in the place of another's translation."""
    cases = [corpus.cases[name] for name in ("shell/two-rounds", "parallel/seed", "reasoning/seed", "grep/realistic")]
    for one in cases:
        for other in cases:
            for client, upstream in (("anthropic", "gemini"), ("openai_chat", "openai_responses")):
                left, right = one.exchanges(client)[-1], other.exchanges(upstream)[-1]
                before = formats.read(client, "request", left.request)
                yield aligned(Sides(corpus, before, formats.read(upstream, "request", right.request)))
                reply = formats.read(upstream, "response", right.response)
                yield aligned(Sides(corpus, reply, formats.read(client, "response", left.response)))


def test_no_comparison_rests_on_another(corpus: Corpus) -> None:
    seen: set[str] = set()
    for pair in damaged(corpus):
        kinds = (REQUEST, HISTORY) if pair.is_request else (REPLY,)
        for kind in kinds:
            found = compare(pair, kind)
            fitting = [one for one in COMPARISONS if kind in one.holds_in]
            backwards = [list(one.compare(pair)) for one in reversed(fitting)]
            assert [one for part in reversed(backwards) for one in part] == found
            seen |= {finding.rule for finding in found}
    assert len(seen) > 15, seen


def test_nothing_is_written_into_a_pair(corpus: Corpus) -> None:
    pair = next(damaged(corpus))
    for entry in dataclasses.fields(pair):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(pair, entry.name, None)
