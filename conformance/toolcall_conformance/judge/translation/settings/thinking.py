"""Whether the model thinks at all, and whether the client gets to read its thoughts.

Each format measures the amount of thinking in its own way, but all can turn it on or off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.settings.limits import limit_value
from toolcall_conformance.judge.translation.wire_words import setting_as_written, setting_value


def is_thinking_off(value: dict[str, Any]) -> bool:
    """Whether a measure of thinking turns it off."""
    return value.get("budget") == 0 or value.get("effort") == "none"


def is_left_to_model(pair: Pair, value: dict[str, Any]) -> bool:
    """Whether the client leaves the amount of thinking to the model, and the output's measure says just that."""
    return pair.source.thinks is not None and value == {"budget": _parameters(pair)["budget_left_to_the_model"]}


def compare_thinking_switch(pair: Pair) -> Iterator[Finding]:
    """Report thinking that the client asks for and the output turns off.

    Where both formats measure thinking alike, the comparison of settings reports it as a changed setting. Where the
    model cannot think together with the request's tools, nothing else can be requested.
    """
    after = pair.output.settings.get("reasoning")
    if after is None or not is_thinking_off(after.value):
        return
    before = pair.source.settings.get("reasoning") or pair.source.thinks
    if before is None or _means_no_thinking(pair, before.value) or pair.both_express("reasoning"):
        return
    if limit_value(pair, "reasoning", before.value) is not None:
        return
    yield pair.finding(
        "translation/thinking-turned-off",
        after.pointer,
        want=MISSING if before is pair.source.thinks else setting_value(pair, "reasoning", before),
        got=setting_as_written(pair.output, after),
        source=before.pointer,
    )


def _means_no_thinking(pair: Pair, value: Any) -> bool:
    least = _parameters(pair)["effort_next_to_nothing"]
    return isinstance(value, dict) and (is_thinking_off(value) or value.get("effort") == least)


def _parameters(pair: Pair) -> Mapping[str, Any]:
    return pair.corpus.equivalence("default-absent").parameters


def compare_shown_thoughts(pair: Pair) -> Iterator[Finding]:
    """Report thoughts that the client asks to see and the output does not: it hides or omits them.

    Between two ends of one format other comparisons report it.
    """
    before, after, word = pair.source.thoughts, pair.output.thoughts, pair.wire_words.get("thoughts")
    if before is None or before.value is not True or word is None or pair.is_same_format:
        return
    if pair.through is not None and "thoughts" not in pair.corpus.format(pair.through)["wire_words"]:
        return  # the format between has no word for it
    if after is None:
        unsaid = pair.output.settings.get("reasoning") if pair.target["thoughts_shown"] is False else None
        place = None if unsaid is None else word["place"].rpartition("/")[0]
    else:
        place = after.pointer if after.value is False else None
    if place is not None:
        yield pair.finding(
            "translation/thoughts-not-shown",
            place,
            want=word["shown"],
            got=MISSING if after is None else setting_as_written(pair.output, after),
            source=before.pointer,
            subject=word["place"].rpartition("/")[2],
        )
