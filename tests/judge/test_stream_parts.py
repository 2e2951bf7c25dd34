"""Findings on the reply that a stream assembles to name events, and what that takes is bounded."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.growing_replies import STREAM_FAULTS, stream, translate_stream
from toolcall_conformance import Ends, Judge, formats
from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge.streams import locations as stream_parts
from toolcall_conformance.library import Corpus

SIZE = 12


def test_only_so_many_beginnings_are_put_together_and_every_finding_comes(
    monkeypatch: pytest.MonkeyPatch, corpus: Corpus
) -> None:
    source = stream("anthropic", "texts and calls", SIZE)
    output = STREAM_FAULTS["events twice"](translate_stream(source, "anthropic", "gemini"))
    read: list[int] = []
    whole = formats.assemble

    def count_events(name: str, body: dict[str, Any]) -> Any:
        read.append(len(body["events"]))
        return whole(name, body)

    def judge_stream() -> list[Finding]:
        read.clear()
        findings = Judge(corpus).stream(parse(source), parse(output), Ends("gemini", "anthropic")).findings
        assert sum(finding.rule == "translation/text-duplicated" for finding in findings) == SIZE
        return list(findings)

    monkeypatch.setattr(formats, "assemble", count_events)
    findings, most = judge_stream(), sum(read)
    assert are_named(findings)[-SIZE:] == [True] * SIZE
    monkeypatch.setattr(stream_parts, "MAX_EVENTS_READ", 30)
    few = judge_stream()
    assert (are_named(few)[-SIZE], are_named(few)[-1]) == (True, False)
    assert sum(read) < most / 2
    monkeypatch.setattr(stream_parts, "MAX_EVENTS", 2 * SIZE)
    assert not any(are_named(judge_stream()))
    assert without_event_names(judge_stream()) == without_event_names(few) == without_event_names(findings)


def are_named(findings: list[Finding]) -> list[bool]:
    """Whether each finding on the reply says from which events its place came."""
    return ["made of event" in finding.subject for finding in findings if finding.body == ASSEMBLED_REPLY]


def without_event_names(findings: list[Finding]) -> list[Finding]:
    return [replace(finding, subject=re.sub(r"(; )?made of .*", "", finding.subject)) for finding in findings]
