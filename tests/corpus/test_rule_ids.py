"""Ids of rules: none is used again after it was retired, and a rule on streams has one name for one meaning."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from every import every
from toolcall_conformance.cli import main
from toolcall_conformance.library import Corpus, load_corpus, read_json
from toolcall_conformance.reports.known_failures import RuleNames, load

RETIRED = load_corpus().retired


def test_no_rule_has_a_retired_id(corpus: Corpus) -> None:
    assert set(RETIRED) & set(corpus.rules) == set()


@every("was", RETIRED, id=str)
def test_a_retired_id_leads_to_a_rule_of_its_format(was: str, corpus: Corpus) -> None:
    for now in RETIRED[was]:
        assert now in corpus.rules, "let it name the rule that there is now, not one that was retired as well"
        assert now.split("/")[0] == was.split("/", maxsplit=1)[0]


@pytest.mark.parametrize("was", ["anthropic/stream-data-json", "gemini/stream-framing"])
def test_explain_names_the_rule_that_there_is_now(was: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", was]) == 0
    output = capsys.readouterr().out
    for now in RETIRED[was]:
        assert f"the rule is now {' and '.join(RETIRED[was])}" in output
        assert f"\n{now}  (" in output


def test_a_known_failure_by_its_old_id_stays_known(tmp_path: Path, corpus: Corpus) -> None:
    file = tmp_path / "known.txt"
    file.write_text("*  gemini/stream-framing  # our issue 7\n", encoding="utf-8")
    failures = load(file, RuleNames(corpus.rules, corpus.retired))
    assert failures.reason("toolcall::a/b::stream::x-to-gemini", "gemini/stream-text", "") == "our issue 7"
    assert failures.reason("toolcall::a/b::stream::x-to-gemini", "gemini/stream-last-event", "") == "our issue 7"
    assert failures.reason("toolcall::a/b::stream::x-to-gemini", "gemini/stream-data", "") is None
    assert failures.find_stale(["a"], {"a": [("gemini/stream-text", "")]}) == []
    assert [stale.entry.rule for stale in failures.find_stale(["a"], {"a": [("gemini/stream-data", "")]})] == [
        "gemini/stream-framing"
    ]


def test_formats_share_the_words_of_the_vocabulary(corpus: Corpus) -> None:
    """Who writes a format takes the word that is there."""
    of_streams = [
        rule_id.split("/")
        for rule_id in corpus.rules
        if rule_id.split("/")[0] in corpus.formats and corpus.rule(rule_id).raw["direction"] == "stream"
    ]
    formats_of = Counter(slug for _, slug in of_streams)
    for slug in read_json(corpus.root / "stream-rules.json"):
        assert formats_of[slug] > 1, f"{slug} is the word of no two formats"


def test_what_harm_and_places_name_is_there(corpus: Corpus) -> None:
    harm = corpus.harm
    groups = [*harm["order"]["steps"], *harm["alike"]["groups"], *harm["repairs"]["rows"], harm["echoes"]]
    rows = [row for key in ("reported", "suppressed") for row in corpus.consequences[key]["rows"]]
    rules = {rule for row in [*groups, *rows] for rule in (*row.get("rules", ()), *row.get("follow", ()))} - {"*/"}
    rules |= {*corpus.places["messages"]["keys"], *harm["order"]["never_first"]}
    elements = {element for group in groups for element in group.get("elements", ())}
    assert rules - set(corpus.rules) == set()
    elements_of_rules = {corpus.rule(rule).element for rule in corpus.rules}
    assert (elements | {*corpus.places["subjects"]["keys"]}) - elements_of_rules == set()
    # Every element has its place in the order.
    assert (
        elements_of_rules - {element for step in harm["order"]["steps"] for element in step.get("elements", ())}
        == set()
    )


def test_no_fault_follows_from_itself(corpus: Corpus) -> None:
    """But one finding of a rule from another, where the first leads."""
    rows = corpus.consequences["reported"]["rows"]
    after: dict[str, set[str]] = {}
    for row in rows:
        for rule in row["rules"]:
            after.setdefault(rule, set()).update(consequence for consequence in row["follow"] if consequence != rule)
    for first, reached in after.items():
        visited: set[str] = set()
        while reached - visited:
            visited |= reached
            reached = {rule for rule_id in reached for rule in after.get(rule_id, ())}
        assert first not in visited, f"{first} follows from itself"
