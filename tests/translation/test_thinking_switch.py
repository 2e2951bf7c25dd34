"""Whether a model thinks: turned off, left to it, or measured in another way."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance import Ends, Judge, load_corpus
from toolcall_conformance.basics.findings import MISSING

JUDGE = Judge(load_corpus())
TURNED_OFF, ADDED = "translation/thinking-turned-off", "translation/setting-added"
ENABLED = {"type": "enabled", "budget_tokens": 2000}


def wants_by_rule(thinking: dict[str, Any], config: dict[str, Any] | None) -> dict[str, Any]:
    """What is wanted by each rule that a request to Gemini breaks, but for notes."""
    source = {
        "model": "claude-opus-4-6",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "Is the tree clean?"}],
        "thinking": thinking,
    }
    generation = {"maxOutputTokens": 4096} | ({} if config is None else {"thinkingConfig": config})
    output = {
        "contents": [{"role": "user", "parts": [{"text": "Is the tree clean?"}]}],
        "generationConfig": generation,
    }
    findings = JUDGE.request(source, output, Ends("anthropic", "gemini")).findings
    return {finding.rule: finding.want for finding in findings if finding.level != "NOTE"}


@pytest.mark.parametrize(
    ("thinking", "budget", "expected"),
    [
        ({"type": "adaptive"}, 0, {TURNED_OFF: MISSING}),
        (ENABLED, 0, {TURNED_OFF: {"thinkingBudget": 2000}}),
        ({"type": "disabled"}, -1, {ADDED: MISSING}),
        ({"type": "adaptive"}, -1, {}),
        (ENABLED, -1, {}),
        ({"type": "disabled"}, 0, {}),
    ],
)
def test_a_budget_that_says_whether_to_think(thinking: Any, budget: int, expected: Any) -> None:
    assert wants_by_rule(thinking, {"thinkingBudget": budget}) == expected


def test_nothing_said_leaves_it_to_the_model() -> None:
    assert wants_by_rule({"type": "adaptive"}, None) == {}
