"""docs/witnesses.md: what the official clients do with the bodies that break rules, as they do it now."""

from __future__ import annotations

import re

import pytest

from toolcall_conformance.library import load_corpus
from witnesses.claims import PAGE, ObservedRule, observed_rules, page
from witnesses.wire import sdk

CORPUS = load_corpus()
VERSIONS = re.compile(r"^Made with .*$", re.MULTILINE)


@pytest.fixture(scope="module")
def cached_rules() -> list[ObservedRule]:
    for name in CORPUS.formats:
        sdk(name)
    return list(observed_rules(CORPUS))


def test_the_page_is_current(cached_rules: list[ObservedRule]) -> None:
    """The clients do what the page says; python tests witnesses.claims rewrites it."""
    written = PAGE.read_text(encoding="utf-8")
    assert VERSIONS.sub("", page(cached_rules)).splitlines() == VERSIONS.sub("", written).splitlines()


def test_the_obeying_examples_are_accepted(cached_rules: list[ObservedRule]) -> None:
    refused = {
        claim.rule.id: claim.obeying.says for claim in cached_rules if claim.obeying and not claim.obeying.accepted
    }
    assert refused == {}


def test_a_rule_that_says_what_its_sdk_raises_is_right(cached_rules: list[ObservedRule]) -> None:
    """A reason that begins with what the SDK of the format does: it does that with the example."""
    claimed = [
        claim
        for claim in cached_rules
        if re.match(r"The (official |Python )?SDK (asserts it, and )?raises(?!, or)", claim.rule.why)
    ]
    assert len(claimed) > 5
    assert {claim.rule.id for claim in claimed if not claim.broken.says[0].startswith("raised")} == set()
