"""The comparisons: all in one table, none fills in anything for the next."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

from toolcall_conformance import formats
from toolcall_conformance.judge import translation
from toolcall_conformance.judge.comparisons import COMPARISONS, HISTORY, REPLY, REQUEST, compare
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.library import Corpus


def comparison_fields() -> set[str]:
    """The functions of ``translation`` that compare the two sides of a pair."""
    fields: set[str] = set()
    for entry in pkgutil.walk_packages(translation.__path__, f"{translation.__name__}."):
        module = importlib.import_module(entry.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            parameters = [parameter.annotation for parameter in inspect.signature(function).parameters.values()]
            if name.startswith("compare_") and function.__module__ == entry.name and parameters == ["Pair"]:
                fields.add(f"{entry.name}.{name}")
    return fields


def test_every_comparison_is_in_the_table_once() -> None:
    listed = [f"{comparison.compare.__module__}.{comparison.compare.__name__}" for comparison in COMPARISONS]
    assert sorted(listed) == sorted(comparison_fields())
    assert all(comparison.kinds for comparison in COMPARISONS)


def mismatched_pairs(corpus: Corpus) -> Iterator[Pair]:
    """Pairs with something wrong almost everywhere: one conversation in the place of another's translation."""
    cases = [corpus.cases[name] for name in ("shell/two-rounds", "parallel/seed", "reasoning/seed", "grep/realistic")]
    for case in cases:
        for other in cases:
            for client, upstream in (("anthropic", "gemini"), ("openai_chat", "openai_responses")):
                left, right = case.exchanges(client)[-1], other.exchanges(upstream)[-1]
                before = formats.read(client, "request", left.request)
                yield align_sides(Sides(corpus, before, formats.read(upstream, "request", right.request)))
                reply = formats.read(upstream, "response", right.response)
                yield align_sides(Sides(corpus, reply, formats.read(client, "response", left.response)))


def test_no_comparison_rests_on_another(corpus: Corpus) -> None:
    rules: set[str] = set()
    for pair in mismatched_pairs(corpus):
        kinds = (REQUEST, HISTORY) if pair.is_request else (REPLY,)
        for kind in kinds:
            findings = compare(pair, kind)
            fitting = [comparison for comparison in COMPARISONS if kind in comparison.kinds]
            backwards = [list(comparison.compare(pair)) for comparison in reversed(fitting)]
            assert [finding for part in reversed(backwards) for finding in part] == findings
            rules |= {finding.rule for finding in findings}
    assert len(rules) > 15, rules


def test_nothing_is_written_into_a_pair(corpus: Corpus) -> None:
    pair = next(mismatched_pairs(corpus))
    for entry in dataclasses.fields(pair):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(pair, entry.name, None)
