"""Where judging bounds its work, what is wrong beyond the bound is still found, and what is right still passes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.growing import MODELS, Body, translate_request
from corpus_judge import judge
from toolcall_conformance.judge.translation import identity
from toolcall_conformance.judge.translation.schemas import normal_schemas
from toolcall_conformance.library import Corpus

Texts = Callable[[str], str]


def is_read(depth: int) -> bool:
    try:
        json.loads("[" * depth + "]" * depth)
    except RecursionError:  # until Python 3.11 the parser counts as functions do
        return False
    return True


DEPTH = 2_000 if is_read(2_000) else 600
"""Deeper than functions may call themselves, and still read by JSON's parser."""

NESTED: dict[str, Texts] = {
    "lists": lambda inner: "[" * DEPTH + inner + "]" * DEPTH,
    "objects": lambda inner: '{"a":' * DEPTH + inner + "}" * DEPTH,
}


def chat(arguments: str = "{}", result: str = "ok", schema: Any = None) -> Body:
    """A request with a call and its result."""
    call = {"id": "call_00000001", "type": "function", "function": {"name": "t", "arguments": arguments}}
    messages: list[Body] = [{"role": "user", "content": "Go on"}, {"role": "assistant", "tool_calls": [call]}]
    messages.append({"role": "tool", "tool_call_id": "call_00000001", "content": result})
    function = {"name": "t", "description": "d", "parameters": schema or {"type": "object"}}
    return {
        "model": MODELS["openai_chat"],
        "messages": messages,
        "tools": [{"type": "function", "function": function}],
    }


def must_rules(corpus: Corpus, source: Body, output: Body, upstream: str) -> set[str]:
    """The rules that a request of Chat's breaks by a MUST."""
    findings = judge(source, output, client="openai_chat", upstream=upstream, corpus=corpus).findings
    return {finding.rule for finding in findings if finding.is_must}


@pytest.mark.parametrize("upstream", ["anthropic", "gemini", "openai_responses"])
@pytest.mark.parametrize("nested", NESTED)
def test_a_result_that_is_nested_deeply(corpus: Corpus, nested: str, upstream: str) -> None:
    text = NESTED[nested]
    source = chat(result=text("1"))
    spaced = text("1").replace(":", ": ").replace("[", "[ ")

    def must_rules_with_result(result: str) -> set[str]:
        return must_rules(corpus, source, translate_request(chat(result=result), "openai_chat", upstream), upstream)

    assert must_rules_with_result(text("1")) == must_rules_with_result(spaced) == set()
    assert must_rules_with_result(text("2")) == {"translation/result-content"}


def test_a_failure_that_is_nested_deeply(corpus: Corpus) -> None:
    def failed_request(inner: str) -> Body:
        source = translate_request(chat(result=NESTED["objects"](inner)), "openai_chat", "anthropic")
        source["messages"][-1]["content"][0]["is_error"] = True
        return source

    def must_rules_with_failure(source: Body, inner: str) -> set[str]:
        output = translate_request(failed_request(inner), "anthropic", "openai_responses")
        findings = judge(source, output, client="anthropic", upstream="openai_responses", corpus=corpus).findings
        return {finding.rule for finding in findings if finding.is_must}

    assert must_rules_with_failure(failed_request("1"), "1") == set()
    assert must_rules_with_failure(failed_request("1"), "2") == {"translation/error-message"}


def test_arguments_that_are_nested_deeply(corpus: Corpus) -> None:
    text = NESTED["objects"]

    def must_rules_with_arguments(arguments: str) -> set[str]:
        output = translate_request(chat(arguments), "openai_chat", "openai_responses")
        return must_rules(corpus, chat(text("1")), output, "openai_responses")

    assert must_rules_with_arguments(text("1")) == must_rules_with_arguments(text("1").replace(":", ": ")) == set()
    assert must_rules_with_arguments(text("2")) == {"translation/arguments"}


def test_a_schema_that_is_nested_deeply(corpus: Corpus) -> None:
    def request_with_required(key: str) -> Body:
        schema: Body = {"type": "OBJECT", "properties": {"b": {"type": "STRING"}}, "required": [key]}
        for _ in range(80):
            schema = {"type": "OBJECT", "properties": {"a": schema}, "required": ["a"]}
        tool = {"functionDeclarations": [{"name": "t", "description": "d", "parameters": schema}]}
        return {"contents": [{"role": "user", "parts": [{"text": "Go on"}]}], "tools": [tool]}

    def rules_with_required(key: str) -> set[str]:
        findings = judge(
            request_with_required("b"), request_with_required(key), client="gemini", upstream="gemini", corpus=corpus
        ).findings
        return {finding.rule for finding in findings}

    assert rules_with_required("b") == set()
    assert "gemini/schema-required-defined" in rules_with_required("gone")


def test_a_schema_of_too_many_steps(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    properties = {f"k{number}": {"type": "string"} for number in range(9)}
    source = chat(schema={"type": "object", "properties": properties})
    other = json.loads(json.dumps(source).replace('"k8": {"type": "string"}', '"k8": {"type": "integer"}'))
    outputs = [translate_request(body, "openai_chat", "anthropic") for body in (source, other)]
    monkeypatch.setattr(normal_schemas, "MAX_STEPS", 3)
    judgements = [
        judge(source, output, client="openai_chat", upstream="anthropic", corpus=corpus) for output in outputs
    ]
    assert [[finding.rule for finding in each.findings] for each in judgements] == [[], ["translation/schema-changed"]]


def test_what_says_the_same_hides_nothing_that_is_lost(corpus: Corpus) -> None:
    """Members of a vendor, which no other rule compares: the last one is another, the others are blank and gone."""
    blank = {f"x{number}": None for number in range(2 * identity.MAX_DIFFERENCES)}

    def count_losses(last: int) -> dict[str, int]:
        source = translate_request(chat(), "openai_chat", "anthropic")
        source["metadata"] = {"user_id": "u", **blank, "y": 1}
        output = source | {"metadata": {"user_id": "u", "y": last}}
        findings = judge(source, output, client="anthropic", upstream="anthropic", corpus=corpus).findings
        rules = [finding.rule for finding in findings if finding.rule.startswith("translation/identity")]
        return {rule: rules.count(rule) for rule in rules}

    assert count_losses(1) == {"translation/identity-spelling": identity.MAX_DIFFERENCES}
    assert count_losses(2) == {"translation/identity-spelling": identity.MAX_DIFFERENCES, "translation/identity": 1}
