"""Indexes of the wrong type: that is reported once, and the stream is read on as it was meant."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge_stream
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import load_corpus

KINDS = [("0", "a string"), ("x", "a string"), (0.5, "a decimal number"), (True, "a boolean"), (None, "null")]


def stream_findings(client: str, events: list[dict[str, Any]]) -> list[Finding]:
    stream = {"events": events, "rest": ""}
    return list(judge_stream(stream, client=client, upstream="gemini").findings)


def golden(client: str, key: str, index: Any) -> list[dict[str, Any]]:
    """A stream of the corpus with a text alone, one of its indexes as ``index``."""
    path = load_corpus().cases["replace/choice-none"].exchanges(client)[0].stream_path
    assert path is not None
    events: list[dict[str, Any]] = parse(path.read_bytes())["events"]
    for event in events:
        if key in event["data"]:
            event["data"][key] = index
    return events


@pytest.mark.parametrize(("index", "kind"), KINDS)
def test_of_a_block(index: Any, kind: str) -> None:
    findings = [
        finding
        for finding in stream_findings("anthropic", golden("anthropic", "index", index))
        if "stream-block" in finding.rule
    ]
    assert {finding.rule for finding in findings} == {"anthropic/stream-block-index"}
    assert findings[0].message == f"the index is {kind}, not a whole number"


@pytest.mark.parametrize(("index", "kind"), KINDS)
@pytest.mark.parametrize(
    ("key", "rule"), [("output_index", "stream-output-index"), ("content_index", "stream-part-index")]
)
def test_of_an_item_or_part(key: str, rule: str, index: Any, kind: str) -> None:
    findings = [
        finding
        for finding in stream_findings("openai_responses", golden("openai_responses", key, index))
        if finding.rule.endswith(rule)
    ]
    assert findings[0].message == f"{key} is {kind}, not a whole number"


@pytest.mark.parametrize(("index", "kind"), KINDS)
def test_of_a_call(index: Any, kind: str) -> None:
    call = {"index": index, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    first = {"index": 0, "delta": {"role": "assistant", "content": None, "tool_calls": [call]}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    events = [{"data": chunk | {"choices": [each]}} for each in (first, last)]
    findings = stream_findings("openai_chat", [*events, {"data": "[DONE]"}])
    assert [finding.message for finding in findings if finding.rule == "openai_chat/stream-call-index"] == [
        f"the index is {kind}, not a whole number"
    ]
