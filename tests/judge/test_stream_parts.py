"""Findings on the reply that a stream assembles to name events, and what that takes is bounded."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.growing_replies import STREAM_FAULTS, stream, streamed
from toolcall_conformance import Ends, Judge, formats
from toolcall_conformance.judge import stream_parts
from toolcall_conformance.library import Corpus
from toolcall_conformance.streaming import parse

SIZE = 12


def test_only_so_many_beginnings_are_put_together(monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    source = stream("anthropic", "texts and calls", SIZE)
    output = STREAM_FAULTS["events twice"](streamed(source, "anthropic", "gemini"))
    read: list[int] = []
    whole = formats.assembled

    def counted(name: str, given: dict[str, Any]) -> Any:
        read.append(len(given["events"]))
        return whole(name, given)

    def named() -> list[bool]:
        read.clear()
        judged = Judge(corpus).stream(parse(source), parse(output), Ends("gemini", "anthropic"))
        twice = [one for one in judged.findings if one.rule == "translation/text-duplicated"]
        assert len(twice) == SIZE
        return ["made of event" in str(one.subject) for one in twice]

    monkeypatch.setattr(formats, "assembled", counted)
    assert all(named())
    most = sum(read)
    monkeypatch.setattr(stream_parts, "MOST_READ", 30)
    few = named()
    assert few[0]
    assert not few[-1]
    assert sum(read) < most / 2
