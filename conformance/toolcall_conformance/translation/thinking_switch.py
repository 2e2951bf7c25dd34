"""Whether the model thinks at all: how much is measured otherwise in each format, but that it thinks is said in all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.findings import Finding
from toolcall_conformance.translation.pair import Pair
from toolcall_conformance.translation.wire_words import written

_NEXT_TO_NOTHING: Final = "minimal"
"""An effort of few tokens or none, by OpenAI's own words."""


def no_thinking(value: dict[str, Any]) -> bool:
    """Whether a measure of thinking says that there is to be none."""
    return value.get("budget") == 0 or value.get("effort") == "none"


def compare_thinking_switch(pair: Pair) -> Iterator[Finding]:
    """Report thinking that the client asks for, in another measure than the output's, and the output turns off."""
    after = pair.output.settings.get("reasoning")
    if after is None or not no_thinking(after.value):
        return
    before = pair.source.settings.get("reasoning") or pair.source.thinks
    if before is None or _asks_for_none(before.value) or _measured_alike(before.value, after.value):
        return
    yield pair.finding(
        "translation/thinking-turned-off",
        after.pointer,
        want=before.value,
        got=written(pair.output, after),
        source=before.pointer,
    )


def _asks_for_none(value: Any) -> bool:
    return isinstance(value, dict) and (no_thinking(value) or value.get("effort") == _NEXT_TO_NOTHING)


def _measured_alike(before: Any, after: dict[str, Any]) -> bool:
    """Whether both say it in one measure: then other comparisons see the change."""
    return isinstance(before, dict) and not before.keys().isdisjoint(after)
