"""A key of a chunk that is null is absent, as protobuf's JSON has it: https://protobuf.dev/programming-guides/json/"""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import load_corpus


def rules(reason: Any) -> set[str]:
    """The broken rules of a stream whose first chunk has this finishReason."""
    content = {"role": "model", "parts": [{"text": "a"}]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    chunks = [{"content": content, "index": 0, "finishReason": reason}, {"content": content, "finishReason": "STOP"}]
    events = [{"data": {"candidates": [chunk], "usageMetadata": usage, "modelVersion": "m"}} for chunk in chunks]
    return {finding.rule for finding in check_body(load_corpus(), "gemini", "stream", {"events": events, "rest": ""})}


def test_no_reason_yet() -> None:
    assert rules(None) == set()


@pytest.mark.parametrize("reason", ["tool_calls", {}])
def test_no_reason_of_gemini_s(reason: Any) -> None:
    assert "gemini/finish-reason" in rules(reason)
