"""What follows from a fault names it, and what its repair takes away is not reported: by the table of the corpus."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import MISSING, Because, Finding, Level
from toolcall_conformance.judge.consequences import Consequence, ConsequenceTable, Where, name_causes, suppress
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.item_record import finding_json

CORPUS = load_corpus()


def finding(rule: str, pointer: str = "/a", level: Level = Level.MUST, **more: Any) -> Finding:
    return Finding(rule, level, pointer, "it is wrong", element=more.pop("element", "call"), **more)


def table(where: str) -> ConsequenceTable:
    return ConsequenceTable((Consequence(("translation/call-lost",), frozenset(["a/b"]), Where(where)),))


def test_the_words_of_the_table_are_those_that_the_code_knows() -> None:
    assert [*CORPUS.consequences["where"]] == [
        each.value for each in sorted(Where, key=[*CORPUS.consequences["where"]].index)
    ]
    assert {place.value for place in Where} == set(CORPUS.consequences["where"])


@pytest.mark.parametrize(("place", "inside"), [("/a", True), ("/a/b", True), ("/ab", False), ("/", False), ("", False)])
def test_inner_is_at_or_in_the_place_of_the_cause(place: str, inside: bool) -> None:
    _, other = name_causes(table("inner"), [finding("translation/call-lost"), finding("a/b", place)])
    assert (other.because is not None) is inside


def test_a_cause_is_named_by_rule_place_and_body_and_is_as_grave() -> None:
    lost, other = finding("translation/call-lost", "/x", body="02-request"), finding("a/b", body="02-request")
    assert name_causes(table("body"), [other, lost])[0].because == Because(lost.rule, "/x", "02-request")
    light = finding("translation/call-lost", "/x", Level.SHOULD, body="02-request")
    assert name_causes(table("body"), [other, light])[0].because is None
    assert name_causes(table("body"), [other, finding("translation/call-lost", body="01-request")])[0].because is None


def test_what_the_source_breaks_stays_the_cause() -> None:
    inherited = finding("a/b", because=Because("c/d", "/tools/0", in_source=True))
    assert name_causes(table("body"), [finding("translation/call-lost"), inherited])[1] == inherited
    assert finding_json(inherited)["because"] == {"rule": "c/d", "pointer": "/tools/0", "in_source": True}


def chat(case: str, exchange: int = 1) -> Any:
    return copy.deepcopy(CORPUS.cases[case].exchanges("openai_chat")[exchange].request)


def test_results_of_a_call_that_is_gone_name_it() -> None:
    source = CORPUS.cases["parallel/three-tools"].exchanges("anthropic")[1].request
    output = chat("parallel/three-tools")
    calls = next(message["tool_calls"] for message in output["messages"] if message.get("tool_calls"))
    del calls[0]
    findings = judge(source, output, client="anthropic", upstream="openai_chat").findings
    rules = {fault.rule: fault.because for fault in findings}
    assert rules["openai_chat/result-answers-call"] == Because("translation/call-lost", rules_pointer(findings))


def rules_pointer(findings: Any) -> str:
    return next(str(fault.pointer) for fault in findings if fault.rule == "translation/call-lost")


def test_what_a_source_breaks_itself_is_a_note_that_points_into_it() -> None:
    source = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Go."}],
        "tools": [{"name": "a b", "input_schema": {"type": "object"}}],
    }
    output = {
        "model": "gpt-4.1",
        "max_completion_tokens": 100,
        "messages": [{"role": "user", "content": "Go."}],
        "tools": [{"type": "function", "function": {"name": "a b", "parameters": {"type": "object"}}}],
    }
    findings = judge(source, output, client="anthropic", upstream="openai_chat").findings
    (name,) = [fault for fault in findings if fault.rule == "openai_chat/tool-name"]
    assert (name.level, name.because) == (Level.NOTE, Because("anthropic/tool-name", "/tools/0/name", in_source=True))


def test_faults_of_a_call_that_nobody_made_are_not_reported_unless_another_is_lost() -> None:
    invented = finding("translation/call-invented", "/calls/1", want=MISSING, got={})
    inside, beside = finding("openai_chat/call-id", "/calls/1/id"), finding("openai_chat/call-id", "/calls/2/id")
    assert suppress(CORPUS, [inside, beside], [invented]) == [beside]
    light = finding("translation/call-invented", "/calls/1", Level.SHOULD, want=MISSING, got={})
    assert suppress(CORPUS, [inside], [light]) == [inside]
    lost = finding("translation/call-lost", "/calls", want={"name": "f"}, got=MISSING)
    assert suppress(CORPUS, [inside], [invented, lost]) == [inside]
    # A tool that is lost says nothing of calls, and no comparison is a fault of the call's own format.
    tool = finding("translation/tool-lost", "/tools", element="tool", want="f", got=MISSING)
    assert suppress(CORPUS, [inside], [invented, tool]) == []
    arguments = finding("translation/arguments", "/calls/1/arguments")
    assert suppress(CORPUS, [arguments], [invented]) == [arguments]


def test_counts_are_suppressed_only_where_the_stream_is_broken() -> None:
    end, counts = finding("translation/finish-reason", element="finish"), finding("translation/usage-lost")
    assert suppress(CORPUS, [end, counts], [end, counts]) == [end, counts]
    assert suppress(CORPUS, [end, counts], [end, counts], conditions=["stream-broken"]) == [end]
