"""The text of a failing item: what stands by itself is explained, and what goes with it has a line."""

from __future__ import annotations

from dataclasses import replace

from toolcall_conformance.consequences import table_of, with_causes
from toolcall_conformance.findings import Finding, Level
from toolcall_conformance.levels import finding
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.failure import ReportedItem, describe

CORPUS = load_corpus()
ITEM = ReportedItem("shell/two-calls", "request", "gemini", "openai_chat", exchanges=1)
SHARED = "translation/ids-injective"
UNIQUE = "openai_chat/call-ids-unique"


def found(rule: str, pointer: str, *, element: str = "id") -> Finding:
    said = CORPUS.rules[rule].breach
    return finding(CORPUS, rule, pointer, said, got="call_1", element=element, body="01-request", format="openai_chat")


def text(*findings: Finding) -> str:
    findings = with_causes(table_of(CORPUS), findings)
    lines = describe(ITEM, findings, CORPUS, failing=findings, known=lambda _one: None)
    return "\n".join(line.text for line in lines)


def test_what_goes_with_another_rule_has_a_line_behind_it() -> None:
    told = text(found(UNIQUE, "/messages/1/tool_calls/1/id"), found(SHARED, "/messages/1/tool_calls/1/id"))
    assert f"  {SHARED}  two calls share one id        MUST\n" in told
    assert told.endswith(
        f"  {UNIQUE}  {CORPUS.rules[UNIQUE].breach}        MUST, a consequence of {SHARED}\n"
        "    at    /messages/1/tool_calls/1/id"
    )
    assert told.count("    fix   ") == 1


def test_by_itself_the_same_rule_is_explained() -> None:
    told = text(found(UNIQUE, "/messages/1/tool_calls/1/id"))
    assert "a consequence of" not in told
    assert f"explain {UNIQUE}" in told


def test_rules_that_have_nothing_to_do_with_each_other_are_both_explained() -> None:
    lost = found("translation/media-lost", "/messages/4", element="media")
    told = text(found(SHARED, "/messages/1/tool_calls/1/id"), lost)
    assert "a consequence of" not in told
    assert told.count("    fix   ") == 2
    assert told.index(SHARED) < told.index(lost.rule)


def test_many_places_of_what_goes_with_another_rule_are_counted() -> None:
    places = [found(UNIQUE, f"/messages/1/tool_calls/{number}/id") for number in (1, 2, 3)]
    told = text(*places, found(SHARED, "/messages/1/tool_calls/1/id"))
    assert "    at    /messages/1/tool_calls/1/id and 2 more" in told


def test_nothing_goes_with_what_is_milder() -> None:
    milder = replace(found(SHARED, "/messages/1/tool_calls/1/id"), level=Level.SHOULD)
    told = text(found(UNIQUE, "/messages/1/tool_calls/1/id"), milder)
    assert "a consequence of" not in told
    assert told.index(UNIQUE) < told.index(SHARED)
