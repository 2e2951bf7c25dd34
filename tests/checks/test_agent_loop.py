"""The agent loop: which variants there are, and its rules. Its doubles are in ``tests/doubles/sessions``."""

from __future__ import annotations

from typing import Any

import pytest

from doubles.catalogue import doubles
from doubles.loop import LoopDouble, play
from judging import judge_history
from toolcall_conformance.checks.agent_loop import variants
from toolcall_conformance.findings import Level, Verdict
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()


def double(name: str) -> LoopDouble:
    return next(each for each in doubles(LoopDouble) if each.fault == name)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("results-by-position", Verdict.PASS), ("one-id-for-all", Verdict.WARN), ("state-shared-by-all", Verdict.PASS)],
)
def test_the_plain_loop_does_not_see_it(name: str, verdict: Verdict) -> None:
    assert play(double(name), "agent_loop", "").verdict is verdict


@pytest.mark.parametrize(
    ("variant", "verdict"),
    [("", Verdict.PASS), ("swapped", Verdict.PASS), ("interleaved", Verdict.PASS), ("fresh", Verdict.WARN)],
)
def test_another_replica_does_not_know_ids_of_its_own(variant: str, verdict: Verdict) -> None:
    assert play(double("ids-of-its-own"), "agent_loop", variant).verdict is verdict


def test_swapped_results_need_ids() -> None:
    case = CORPUS.cases["shell/same-tool-twice"]
    assert None in case.scenario["ids"]["gemini"].values()
    assert "swapped" not in variants(CORPUS, case, "gemini", "anthropic")
    assert "swapped" in variants(CORPUS, case, "anthropic", "gemini")


def test_a_case_of_one_exchange_has_no_loop() -> None:
    single = [case for case in CORPUS.cases.values() if len(case.exchanges("anthropic")) == 1]
    assert single
    assert all(variants(CORPUS, case, "anthropic", "anthropic") == () for case in single)


@pytest.mark.parametrize(
    "rule", [rule.raw for rule in CORPUS.rules.values() if rule.raw["check"] == "loop"], ids=lambda rule: rule["id"]
)
def test_loop_rules_show_their_examples(rule: dict[str, Any]) -> None:
    def rules(pair: dict[str, Any]) -> dict[str, Level]:
        found = judge_history(pair["source"], pair["output"], client=pair["client"], upstream=pair["upstream"]).findings
        return {finding.rule: finding.level for finding in found}

    assert rules(rule["breaks"]).get(rule["id"]) == rule["level"]
    assert rule["id"] not in rules(rule["obeys"])
    assert Level.MUST not in rules(rule["obeys"]).values()
