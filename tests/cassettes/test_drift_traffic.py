"""How much of the recorded traffic of the providers has drift: little, and each exchange was read.

Where the recordings are looked for, and which hosts are official, is in ``formats.test_traffic``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from formats.test_traffic import TRAFFIC, records
from toolcall_conformance import formats
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.interactions import RecordedExchange
from toolcall_conformance.recording.cassettes.replay.drift import drift_findings

#: The models whose exchanges are measured.
MODELS = {
    "anthropic": (
        *("claude-3-5-haiku-20241022", "claude-3-opus-20240229", "claude-haiku-4-5", "claude-opus-4-6"),
        *("claude-opus-4-8", "claude-sonnet-4-0", "claude-sonnet-4-20250514", "claude-sonnet-4-5"),
        *("claude-sonnet-4-5-20250929", "claude-sonnet-4-6", "claude-sonnet-5"),
    ),
    "openai_chat": (
        *("gpt-3.5-turbo", "gpt-4", "gpt-4.1", "gpt-4.1-mini", "gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-mini"),
        *("gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5.1", "gpt-5.4-mini", "o4-mini"),
    ),
    "openai_responses": (
        *("gpt-4.1", "gpt-4o", "gpt-4o-mini", "gpt-5", "gpt-5-mini", "gpt-5.1", "gpt-5.2", "gpt-5.4", "gpt-5.5"),
        *("gpt-5.6", "gpt-5.6-sol", "o4-mini"),
    ),
    "gemini": (
        *("gemini-2.0-flash", "gemini-2.0-flash-001", "gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-flash-preview"),
        *("gemini-3-pro-preview", "gemini-3.5-flash"),
    ),
}
#: The greatest share of their exchanges that may have drift.
BOUND = 0.05
#: What is left, each exchange of it read: what its drift is about, and why that is no news of today.
READ = {
    "sequence_number": "streams of May 2025, before events were numbered",
    "[DONE] after finish": "usage was asked for, and none came",
    "delta.role+delta.tool_calls after delta.tool_calls": "two choices in one stream (n: 2), the second begins",
    "finish+part.functionCall after part.functionCall": "calls one a record, as the goldens of later models have them",
    "/tools/*=function/strict": "written by hand for a mock server; no provider ever sent it",
}

pytestmark = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")


def exchanges(name: str) -> Iterator[RecordedExchange]:
    for record in records(name):
        content = record.content
        stream = content["sse"].encode("utf-8", "surrogatepass") if content["sse"] else None
        if not record.is_official(name) or content["model"] not in MODELS[name]:
            continue
        if (stream is not None and content["stream_format"] == "sse") or isinstance(content["response"], dict):
            about = (
                Path(record.path),
                1,
                name,
                content["model"],
                content["host"] or "",
                True,
                None,
                content["request"] or {},
            )
            yield RecordedExchange(*about, response=None if stream else content["response"], stream=stream)


def test_few_exchanges_have_drift(corpus: Corpus) -> None:
    counts: Counter[str] = Counter()
    drifted: dict[str, list[str]] = {}
    for name in formats.names():
        for recorded in exchanges(name):
            counts[name] += 1
            findings = drift_findings(corpus, recorded)
            if findings:
                drifted[recorded.path.as_posix()] = [finding.message for finding in findings]
    share = len(drifted) / counts.total()
    print(f"\ndrift in {len(drifted)} of {counts.total()} exchanges, {share:.1%}: {dict(counts)}")
    print("\n".join(f"  {path}\n    " + "\n    ".join(messages) for path, messages in drifted.items()))
    assert counts.total() > 1000
    assert share < BOUND
    unread = {
        path: messages
        for path, messages in drifted.items()
        if not all(any(phrase in text for phrase in READ) for text in messages)
    }
    assert unread == {}
    assert all(any(phrase in text for messages in drifted.values() for text in messages) for phrase in READ)
