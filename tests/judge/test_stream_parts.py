"""Findings on the reply that a stream assembles to name events, and what that takes is bounded."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.growing_replies import STREAM_FAULTS, stream, streamed
from toolcall_conformance import Ends, Judge, formats
from toolcall_conformance.findings import TOGETHER, Finding
from toolcall_conformance.judge import stream_parts
from toolcall_conformance.library import Corpus
from toolcall_conformance.streaming import parse

SIZE = 12


def test_only_so_many_beginnings_are_put_together_and_every_finding_comes(
    monkeypatch: pytest.MonkeyPatch, corpus: Corpus
) -> None:
    source = stream("anthropic", "texts and calls", SIZE)
    output = STREAM_FAULTS["events twice"](streamed(source, "anthropic", "gemini"))
    read: list[int] = []
    whole = formats.assembled

    def counted(name: str, given: dict[str, Any]) -> Any:
        read.append(len(given["events"]))
        return whole(name, given)

    def judged() -> list[Finding]:
        read.clear()
        found = Judge(corpus).stream(parse(source), parse(output), Ends("gemini", "anthropic")).findings
        assert sum(one.rule == "translation/text-duplicated" for one in found) == SIZE
        return list(found)

    monkeypatch.setattr(formats, "assembled", counted)
    told, most = judged(), sum(read)
    assert named(told)[-SIZE:] == [True] * SIZE
    monkeypatch.setattr(stream_parts, "MOST_READ", 30)
    few = judged()
    assert (named(few)[-SIZE], named(few)[-1]) == (True, False)
    assert sum(read) < most / 2
    monkeypatch.setattr(stream_parts, "MOST_EVENTS", 2 * SIZE)
    assert not any(named(judged()))
    assert unnamed(judged()) == unnamed(few) == unnamed(told)


def named(found: list[Finding]) -> list[bool]:
    """Whether each finding on the reply says from which events its place came."""
    return ["made of event" in one.subject for one in found if one.body == TOGETHER]


def unnamed(found: list[Finding]) -> list[Finding]:
    return [replace(one, subject=re.sub(r"(; )?made of .*", "", one.subject)) for one in found]
