"""The agent loop: which variants there are, and its rules. Its doubles are in ``tests/doubles/sessions``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus_judge import judge_history
from doubles.catalogue import doubles
from doubles.loop import LoopDouble, play
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks.agent_loop import variants
from toolcall_conformance.library import Case, load_corpus

CORPUS = load_corpus()


def loop_double(name: str) -> LoopDouble:
    return next(each for each in doubles(LoopDouble) if each.fault == name)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("results-by-position", Verdict.PASS), ("one-id-for-all", Verdict.WARN), ("state-shared-by-all", Verdict.PASS)],
)
def test_the_plain_loop_does_not_see_it(name: str, verdict: Verdict) -> None:
    assert play(loop_double(name), "agent_loop", "").verdict is verdict


@pytest.mark.parametrize(
    ("variant", "verdict"),
    [("", Verdict.PASS), ("swapped", Verdict.PASS), ("interleaved", Verdict.PASS), ("fresh", Verdict.WARN)],
)
def test_another_replica_does_not_know_ids_of_its_own(variant: str, verdict: Verdict) -> None:
    assert play(loop_double("ids-of-its-own"), "agent_loop", variant).verdict is verdict


def test_swapped_results_need_ids() -> None:
    case = CORPUS.cases["shell/same-tool-twice"]
    assert None in case.scenario["ids"]["gemini"].values()
    assert "swapped" not in variants(CORPUS, case, "gemini", "anthropic")
    assert "swapped" in variants(CORPUS, case, "anthropic", "gemini")
    case = Case(case.path, {**case.scenario, "ids": {}})
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
        findings = judge_history(
            pair["source"], pair["output"], client=pair["client"], upstream=pair["upstream"]
        ).findings
        return {finding.rule: finding.level for finding in findings}

    assert rules(rule["breaks"]).get(rule["id"]) == rule["level"]
    assert rule["id"] not in rules(rule["obeys"])
    assert Level.MUST not in rules(rule["obeys"]).values()


PYTHONS_ARGUMENTS = """
import json

from toolcall_reference import ReferenceTranslator


class Session:
    def __init__(self, route):
        self.inner = ReferenceTranslator().open(route)

    def request(self, body):
        for message in body["messages"]:
            for call in message.get("tool_calls", ()):
                json.loads(call["function"]["arguments"])
        return self.inner.request(body)

    def response(self, body):
        made = self.inner.response(body)
        for call in made["choices"][0]["message"].get("tool_calls", ()):
            call["function"]["arguments"] = str(json.loads(call["function"]["arguments"]))
        return made


class T:
    def open(self, route):
        return Session(route)
"""


def test_a_crash_on_a_wrong_reply_of_its_own_is_that_reply_s(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(pythons_arguments=PYTHONS_ARGUMENTS)
    done = pytester.runpytest_inprocess(
        *("-p", "no:hypothesispytest", "-p", "no:anyio", "--toolcall-translator", "pythons_arguments:T"),
        *("toolcall::shell/seed", "-k", "openai_chat-to-anthropic", "--toolcall-report=r.json", "-q"),
    )
    done.assert_outcomes(passed=1, failed=2, skipped=1)
    report = json.loads((pytester.path / "r.json").read_text(encoding="utf-8"))
    (loop,) = (item for item in report["items"] if item["check"] == "agent_loop")
    (finding,) = loop["findings"]
    assert finding["rule"] == "translation/loop-broken"
    assert finding["pointer"] == "/choices/0/message/tool_calls/0/function/arguments"
    assert finding["body"] == "01-response"
    assert finding["message"].startswith(
        "the next request repeats what breaks translation/arguments here, and raised JSONDecodeError: "
    )
    assert [root["rule"] for root in report["roots"]] == ["translation/arguments"]
    assert report["roots"][0]["also_in_the_loop"] == 1
