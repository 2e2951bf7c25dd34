"""Whether the model thinks at all: how much is measured otherwise in each format, but that it thinks is said in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.settings.limits import limited
from toolcall_conformance.judge.translation.wire_words import setting_as_written, setting_value


def no_thinking(value: dict[str, Any]) -> bool:
    """Whether a measure of thinking says that there is to be none."""
    return value.get("budget") == 0 or value.get("effort") == "none"


def is_asked_for(pair: Pair, value: dict[str, Any]) -> bool:
    """Whether the client leaves it to the model how much to think, and a measure in the output says just that."""
    return pair.source.thinks is not None and value == {"budget": _known(pair)["budget_left_to_the_model"]}


def compare_thinking_switch(pair: Pair) -> Iterator[Finding]:
    """Report thinking that the client asks for and the output turns off.

    Where both formats measure thinking alike, the comparison of settings reports it as a changed setting. Where the
    model takes no thinking beside the request's tools, nothing else can be said.
    """
    after = pair.output.settings.get("reasoning")
    if after is None or not no_thinking(after.value):
        return
    before = pair.source.settings.get("reasoning") or pair.source.thinks
    if before is None or _asks_for_none(pair, before.value) or pair.both_express("reasoning"):
        return
    if limited(pair, "reasoning", before.value) is not None:
        return
    yield pair.finding(
        "translation/thinking-turned-off",
        after.pointer,
        want=MISSING if before is pair.source.thinks else setting_value(pair, "reasoning", before),
        got=setting_as_written(pair.output, after),
        source=before.pointer,
    )


def _asks_for_none(pair: Pair, value: Any) -> bool:
    least = _known(pair)["effort_next_to_nothing"]
    return isinstance(value, dict) and (no_thinking(value) or value.get("effort") == least)


def _known(pair: Pair) -> Mapping[str, Any]:
    return pair.corpus.equivalence("default-absent").parameters
