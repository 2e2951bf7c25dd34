"""The text of a failing item: independent findings are explained, and their consequences have a line."""

from __future__ import annotations

from dataclasses import replace

from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.judge.consequences import consequence_table, name_causes
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.text.failure import ReportedItem, describe

CORPUS = load_corpus()
ITEM = ReportedItem("shell/two-calls", "request", "gemini", "openai_chat", exchanges=1)
SHARED = "translation/ids-injective"
UNIQUE = "openai_chat/call-ids-unique"


def chat_finding(rule: str, pointer: str, *, element: str = "id") -> Finding:
    breach = CORPUS.rules[rule].breach
    return make_finding(
        CORPUS, rule, pointer, breach, got="call_1", element=element, body="01-request", format="openai_chat"
    )


def text(*findings: Finding) -> str:
    findings = name_causes(consequence_table(CORPUS), findings)
    lines = describe(ITEM, findings, CORPUS, failing=findings, known_reason=lambda _finding: None)
    return "\n".join(line.text for line in lines)


def test_what_goes_with_another_rule_has_a_line_after_it() -> None:
    output = text(
        chat_finding(UNIQUE, "/messages/1/tool_calls/1/id"), chat_finding(SHARED, "/messages/1/tool_calls/1/id")
    )
    assert f"  {SHARED}  two calls share one id        MUST\n" in output
    assert output.endswith(
        f"  {UNIQUE}  {CORPUS.rules[UNIQUE].breach}        MUST, a consequence of {SHARED}\n"
        "    at    /messages/1/tool_calls/1/id"
    )
    assert output.count("    fix   ") == 1


def test_by_itself_the_same_rule_is_explained() -> None:
    output = text(chat_finding(UNIQUE, "/messages/1/tool_calls/1/id"))
    assert "a consequence of" not in output
    assert f"explain {UNIQUE}" in output


def test_rules_that_have_nothing_to_do_with_each_other_are_both_explained() -> None:
    lost = chat_finding("translation/media-lost", "/messages/4", element="media")
    output = text(chat_finding(SHARED, "/messages/1/tool_calls/1/id"), lost)
    assert "a consequence of" not in output
    assert output.count("    fix   ") == 2
    assert output.index(SHARED) < output.index(lost.rule)


def test_many_places_of_what_goes_with_another_rule_are_counted() -> None:
    places = [chat_finding(UNIQUE, f"/messages/1/tool_calls/{number}/id") for number in (1, 2, 3)]
    output = text(*places, chat_finding(SHARED, "/messages/1/tool_calls/1/id"))
    assert "    at    /messages/1/tool_calls/1/id and 2 more" in output


def test_nothing_goes_with_what_is_milder() -> None:
    milder = replace(chat_finding(SHARED, "/messages/1/tool_calls/1/id"), level=Level.SHOULD)
    output = text(chat_finding(UNIQUE, "/messages/1/tool_calls/1/id"), milder)
    assert "a consequence of" not in output
    assert output.index(UNIQUE) < output.index(SHARED)
