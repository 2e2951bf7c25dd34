"""The texts of rules that depend on what happened, and what no text of a rule says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from toolcall_conformance.checks.base import failure_finding
from toolcall_conformance.drivers import BadOutput, Crashed, RefusedOutcome
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
# Names of the contract: who runs a translator of somebody else's raises nothing.
CONTRACT = re.compile(r"\b(Refused|Unsupported)\b")


class BadRequestError(Exception):
    status_code = 400


REFUSING = Crashed(BadRequestError("no such role"), "", refuses=True)


@pytest.mark.parametrize(
    ("operation", "outcome", "breach"),
    [
        ("request", REFUSING, "the translator refuses a body that the API takes"),
        ("request", RefusedOutcome("no such role"), "the translator refuses a body that the API takes"),
        ("response", REFUSING, "the translator refuses a reply that the API gives"),
        ("stream", RefusedOutcome("no such role"), "the translator refuses a reply that the API gives"),
        ("request", Crashed(KeyError("x"), ""), "the translator raised an exception"),
        ("request", BadOutput("request returned NaN, which JSON does not have"), "a number that JSON does not have"),
        ("request", BadOutput("request returned None"), "something that is no JSON object"),
    ],
)
def test_a_finding_is_reported_as_what_it_is(operation: str, outcome: Any, breach: str) -> None:
    finding = failure_finding(CORPUS, operation, outcome, "01-request")
    assert CORPUS.rule(finding.rule).about(finding.message).breach.endswith(breach)


def test_no_text_of_a_rule_speaks_to_the_author_of_an_adapter() -> None:
    texts = {
        rule.id: [rule.breach, rule.why, rule.fix, *map(str, rule.raw.get("kinds", ()))]
        for rule in CORPUS.rules.values()
    }
    texts["words"] = [str(CORPUS.words)]
    assert [name for name, words in texts.items() if CONTRACT.search(" ".join(words))] == []


def test_a_kind_has_texts_of_its_own() -> None:
    for rule in CORPUS.rules.values():
        for kind in rule.raw.get("kinds", ()):
            assert re.compile(kind["message"])
            assert kind["fix"] != rule.fix, rule.id
            assert not re.search(kind["message"], rule.breach), f"{rule.id}: the kind takes in the usual message"
