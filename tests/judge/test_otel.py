"""The judge of instrumentations' records: its rules' examples, the reference, and bodies that are none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.judge import Judge
from toolcall_conformance.judge.otel.schemas import ATTRIBUTES
from toolcall_conformance.library import load_corpus
from toolcall_reference import otel

JUDGE = Judge(load_corpus())
RULES = [rule.raw for rule in load_corpus().rules.values() if rule.id.startswith("otel/")]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "parts", "type", "content", "id", "name", "uri", "response"]), inner)
    ),
    max_leaves=12,
)


def levels_by_rule(example: dict[str, Any]) -> dict[str, Level]:
    findings = JUDGE.otel(example["format"], example["request"], example["response"], example["output"]).findings
    return {finding.rule: finding.level for finding in findings}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["id"])
def test_the_examples_of_a_rule_show_it_and_nothing_else(rule: dict[str, Any]) -> None:
    assert levels_by_rule(rule["breaks"]) == {rule["id"]: Level(rule["level"])}
    assert levels_by_rule(rule["obeys"]) == {}


@pytest.mark.parametrize("name", load_corpus().formats)
def test_the_reference_records_all(name: str) -> None:
    """But for a call that its provider itself took back."""
    faults, played = [], 0
    for case in list(load_corpus().cases.values())[::3]:
        for exchange in case.exchanges(name) if name in case.formats else ():
            if exchange.response is not None:
                played += 1
                output = otel.of_exchange(exchange.request, exchange.response, name).attributes()
                findings = JUDGE.otel(name, exchange.request, exchange.response, output).findings
                faults += [(case.id, finding.rule) for finding in findings if finding.level is not Level.NOTE]
    assert faults == []
    assert played > 100


@given(output=st.dictionaries(st.sampled_from([*ATTRIBUTES, "more"]), JSON) | JSON)
def test_nothing_that_comes_breaks_the_judge(output: Any) -> None:
    example = RULES[0]["obeys"]
    for finding in JUDGE.otel(example["format"], example["request"], example["response"], output).findings:
        assert finding.rule in load_corpus().rules
