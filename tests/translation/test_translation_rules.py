"""Every translation rule's own examples: the breaking pair shows the rule, the obeying pair shows nothing grave."""

from __future__ import annotations

from typing import Any

from corpus_judge import judge
from every import every
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.library import load_corpus

RULES = [rule.raw for rule in load_corpus().rules.values() if rule.id.startswith("translation/")]
JUDGED = [rule for rule in RULES if rule["check"] == "judge"]
each_rule = every("rule", JUDGED, id=lambda rule: rule["id"])


def verdict(rule: dict[str, Any], example: dict[str, Any]) -> dict[str, Level]:
    findings = judge(
        example["source"],
        example["output"],
        client=example["client"],
        upstream=example["upstream"],
        direction=rule["direction"],
        upstream_model=example.get("upstream_model"),
        request=example.get("request"),
        upstream_request=example.get("upstream_request"),
    ).findings
    return {finding.rule: finding.level for finding in findings}


@each_rule
def test_breaking_pair_shows_the_rule(rule: dict[str, Any]) -> None:
    level = load_corpus().rule(rule["id"]).level_in(rule["direction"])
    assert verdict(rule, rule["breaks"]).get(rule["id"]) == level


@each_rule
def test_obeying_pair_shows_nothing(rule: dict[str, Any]) -> None:
    levels = verdict(rule, rule["obeys"])
    assert rule["id"] not in levels
    assert Level.MUST not in levels.values(), levels


def test_harness_rules_need_no_examples() -> None:
    assert {rule["id"] for rule in RULES if rule["check"] == "harness"} >= {
        "translation/crashed",
        "translation/timed-out",
        "translation/bad-output",
        "translation/refused",
        "translation/input-mutated",
    }
