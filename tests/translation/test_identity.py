"""Between two ends of one format: what changes the meaning fails, what changes the bytes alone is told."""

from __future__ import annotations

from typing import Any

import pytest

from judging import judge
from toolcall_conformance.findings import Level
from toolcall_conformance.jsonvalue import copied
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CASE = CORPUS.cases["shell/realistic"]


def levels(name: str, direction: str, *edits: tuple[str, Any]) -> set[tuple[str, Level]]:
    """The findings for the second exchange's body with keys set at its top; a value ... takes the key away."""
    exchange = CASE.exchanges(name)[1]
    source = exchange.request if direction == "request" else exchange.response
    output = copied(source)
    for key, value in edits:
        output.pop(key, None)
        if value is not ...:
            output[key] = value
    found = judge(source, output, client=name, upstream=name, direction=direction, corpus=CORPUS).findings
    return {(finding.rule, finding.level) for finding in found}


@pytest.mark.parametrize(
    ("name", "direction", "edit"),
    [
        ("anthropic", "request", ("stream", False)),
        ("anthropic", "request", ("stop_sequences", None)),
        ("gemini", "request", ("safetySettings", [])),
        ("openai_chat", "request", ("metadata", {})),
        ("openai_chat", "response", ("provider", "openai")),
        ("openai_responses", "response", ("provider", {"name": "openai"})),
        ("anthropic", "response", ("id", "msg_another")),
        ("openai_chat", "response", ("created", 1)),
        ("openai_responses", "response", ("id", "resp_another")),
        ("gemini", "response", ("responseId", "another")),
    ],
)
def test_what_changes_the_bytes_alone_is_told(name: str, direction: str, edit: tuple[str, Any]) -> None:
    found = levels(name, direction, edit)
    assert ("translation/identity-spelling", Level.SHOULD) in found
    assert ("translation/identity", Level.MUST) not in found


@pytest.mark.parametrize(
    ("name", "direction", "edit"),
    [
        ("anthropic", "request", ("service_tier", "auto")),
        ("anthropic", "request", ("metadata", {"user_id": "somebody"})),
        ("openai_chat", "request", ("user", "somebody")),
        ("openai_chat", "response", ("system_fingerprint", ...)),
        ("openai_chat", "response", ("created", "today")),
        ("gemini", "response", ("responseId", ...)),
    ],
)
def test_what_is_added_to_a_request_or_lost_from_a_reply_fails(
    name: str, direction: str, edit: tuple[str, Any]
) -> None:
    assert ("translation/identity", Level.MUST) in levels(name, direction, edit)


def test_a_body_that_comes_back_has_no_findings() -> None:
    assert levels("anthropic", "request") == set()
