"""The wrong id of a result is reported, in a body alone and in a translation."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from toolcall_conformance import Ends, Judge, load_corpus

CORPUS = load_corpus()
JUDGE = Judge(CORPUS)
CASE = "parallel/three-tools"
# By format: where the id of the first result is, the rule, and a format to translate from.
PLACES: dict[str, tuple[list[Any], str]] = {
    "anthropic": (["messages", 2, "content", 0, "tool_use_id"], "anthropic/result-of-known-call"),
    "openai_chat": (["messages", 3, "tool_call_id"], "openai_chat/result-answers-call"),
    "openai_responses": (["input", 5, "call_id"], "openai_responses/result-has-call"),
    "gemini": (["contents", 2, "parts", 0, "functionResponse", "id"], "gemini/result-id-matches-call"),
}


def request_of(name: str) -> Any:
    return CORPUS.cases[CASE].exchanges(name)[1].request


def with_id(name: str, change: str) -> tuple[Any, str]:
    """The case's second request with another id of its first result, and the right id."""
    body = copy.deepcopy(request_of(name))
    holder, (path, _) = body, PLACES[name]
    for step in path[:-1]:
        holder = holder[step]
    right = holder[path[-1]]
    holder[path[-1]] = right + change
    return body, right


@pytest.mark.parametrize("name", PLACES)
def test_a_single_body(name: str) -> None:
    body, right = with_id(name, "x")
    [finding] = JUDGE.body(name, "request", body).findings
    assert (finding.rule, finding.want) == (PLACES[name][1], right)
    assert finding.message == f"a wrong id: {right} has no result, and no call of this id waits for one"
    rule = CORPUS.rule(finding.rule)
    assert rule.about(finding.message).breach.endswith("has a wrong id")
    assert "one map" in rule.about(finding.message).fix
    assert JUDGE.body(name, "request", with_id(name, "")[0]).findings == ()


@pytest.mark.parametrize("name", PLACES)
def test_a_translation(name: str) -> None:
    other = next(format_name for format_name in PLACES if format_name != name)
    findings = JUDGE.request(request_of(other), with_id(name, "x")[0], Ends(other, name)).findings
    [link] = [finding for finding in findings if finding.rule == "translation/results-linked"]
    assert link.message.endswith("became the answer to no call at all: it has a wrong id")
    assert CORPUS.rule(link.rule).about(link.message).breach == "a result has a wrong id, and answers no call"


@pytest.mark.parametrize("name", [name for name in PLACES if name != "gemini"])
def test_a_call_that_is_gone_is_no_wrong_id(name: str) -> None:
    """A result too many: no call waits for one."""
    body = copy.deepcopy(request_of(name))
    path, rule = PLACES[name]
    results = body
    for step in path[: 1 if name != "anthropic" else 3]:
        results = results[step]
    stray = copy.deepcopy(results[path[1] if name != "anthropic" else path[3]])
    stray[path[-1]] += "x"
    results.insert((path[1] if name != "anthropic" else path[3]) + 1, stray)
    findings = [finding for finding in JUDGE.body(name, "request", body).findings if finding.rule == rule]
    assert findings
    assert not any("wrong id" in finding.message for finding in findings)
    assert CORPUS.rule(rule).about(findings[0].message) == CORPUS.rule(rule)
