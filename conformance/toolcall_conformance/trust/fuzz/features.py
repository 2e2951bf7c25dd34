"""What a conversation has, by names of the corpus: they choose the ways in which it is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def features_of(turns: Sequence[Mapping[str, Any]]) -> list[str]:
    """The features of some turns; never none."""
    batches = [[entry["call"] for entry in turn["content"] if "call" in entry] for turn in turns]
    calls = [call for batch in batches for call in batch]
    results = [entry["result"] for turn in turns for entry in turn["content"] if "result" in entry]
    holds_by_name = {
        "parallel-calls": any(len(batch) > 1 for batch in batches),
        "single-call": len(calls) == 1,
        "no-call": not calls,
        "two-rounds": sum(bool(batch) for batch in batches) > 1,
        "empty-arguments": any(call.get("arguments") == {} for call in calls),
        "tool-error": any(result["error"] for result in results),
        "reasoning": any("opaque" in entry for turn in turns for entry in turn["content"]),
        "hosted-step": any("hosted" in entry for turn in turns for entry in turn["content"]),
        "free-text-tool": any("input" in call for call in calls),
        "system-prompt": any(turn["role"] == "system" for turn in turns),
    }
    return sorted(name for name, holds in holds_by_name.items() if holds) or ["several-tools"]
