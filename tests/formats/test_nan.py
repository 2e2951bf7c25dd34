"""NaN and Infinity, which JSON does not have, are reported as such: not in a parser's words, nor as lost text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcall_conformance import Judge, load_corpus, parse
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import invalid_constant

CORPUS = load_corpus()
JUDGE = Judge(CORPUS)
WORDS = "in it is a number which JSON does not have"


def stream_of(name: str, old: str, new: str) -> Any:
    """The first stream of a case, with another text once in its bytes."""
    path = CORPUS.cases["shell/seed"].exchanges(name)[0].stream_path
    assert path is not None
    data = path.read_bytes().replace(b'": ', b'":')
    assert old.encode() in data, old
    return parse(data.replace(old.encode(), new.encode(), 1))


def finding_of_rule(findings: tuple[Finding, ...], slug: str) -> Finding:
    [finding] = [finding for finding in findings if finding.rule.endswith(f"/{slug}")]
    return finding


def is_told_as_nan(finding: Finding, name: str = "NaN") -> None:
    assert finding.message == f"{name} {WORDS}"
    about = CORPUS.rule(finding.rule).about(finding.message)
    assert about.breach == "a number that JSON does not have"
    assert "NaN and Infinity" in about.fix


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize(
    ("name", "old"),
    [
        ("anthropic", '"index":0'),
        ("gemini", '"index":0'),
        ("openai_chat", '"index":0'),
        ("openai_responses", '"output_index":0'),
    ],
)
def test_the_data_of_an_event(name: str, old: str, number: str) -> None:
    new = f"{old.partition(':')[0]}:{number}"
    findings = JUDGE.body(name, "stream", stream_of(name, old, new)).findings
    is_told_as_nan(finding_of_rule(findings, "stream-data"), number)


def test_arguments_of_a_history() -> None:
    for name, slug, path in (
        ("openai_chat", "call-arguments-json", ("messages", 1, "tool_calls", 0, "function", "arguments")),
        ("openai_responses", "arguments-json", ("input", 2, "arguments")),
    ):
        body = json.loads(json.dumps(CORPUS.cases["shell/seed"].exchanges(name)[1].request))
        holder = body
        for step in path[:-1]:
            holder = holder[step]
        for text, message in (('{"a": NaN}', f"NaN {WORDS}"), ('{"a": 1', "arguments must be JSON")):
            holder[path[-1]] = text
            assert finding_of_rule(JUDGE.body(name, "request", body).findings, slug).message == message


@pytest.mark.parametrize(
    ("text", "name"),
    [('{"a": NaN}', "NaN"), ("[1, -Infinity]", "-Infinity"), ('{"a": "NaN"}', ""), ('{"a": nan}', ""), (None, "")],
)
def test_constant_in(text: Any, name: str) -> None:
    assert invalid_constant(text) == name
