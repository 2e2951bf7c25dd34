"""Every comparison of two bodies, in the one order in which their findings are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.judge.translation.calls.calls import compare_calls
from toolcall_conformance.judge.translation.media.media import compare_media
from toolcall_conformance.judge.translation.outcome.outcome import compare_finish, compare_usage
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.results import compare_results
from toolcall_conformance.judge.translation.settings.cache_marks import compare_cache_marks
from toolcall_conformance.judge.translation.settings.settings import compare_settings
from toolcall_conformance.judge.translation.settings.thinking import compare_shown_thoughts, compare_thinking_switch
from toolcall_conformance.judge.translation.state.hosted_steps import compare_hosted_steps
from toolcall_conformance.judge.translation.state.state import compare_opaque_state, compare_shown_state
from toolcall_conformance.judge.translation.state.state_return import (
    compare_own_state,
    compare_returned_ids,
    compare_returned_state,
)
from toolcall_conformance.judge.translation.texts.citations import compare_citations
from toolcall_conformance.judge.translation.texts.seams import compare_seams
from toolcall_conformance.judge.translation.texts.text_roles import compare_promoted_texts
from toolcall_conformance.judge.translation.texts.texts import compare_texts
from toolcall_conformance.judge.translation.tools.tools import compare_tools

REQUEST: Final = "request"
"""A request and its translation."""
REPLY: Final = "response"
"""A reply and its translation."""
HISTORY: Final = "history"
"""A request in a running conversation and the one that a native client would send."""

_ALL_KINDS: Final = frozenset({REQUEST, REPLY, HISTORY})


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two bodies, and the kinds of pairs that it applies to."""

    compare: Callable[[Pair], Iterable[Finding]]
    kinds: frozenset[str]


COMPARISONS: Final = (
    Comparison(compare_calls, _ALL_KINDS),
    Comparison(compare_results, frozenset({REQUEST, HISTORY})),
    Comparison(compare_texts, _ALL_KINDS),
    Comparison(compare_promoted_texts, frozenset({REQUEST, HISTORY})),
    Comparison(compare_seams, frozenset({REQUEST})),
    Comparison(compare_hosted_steps, frozenset({REQUEST})),
    Comparison(compare_citations, frozenset({REPLY})),
    Comparison(compare_tools, frozenset({REQUEST})),
    Comparison(compare_settings, frozenset({REQUEST})),
    Comparison(compare_shown_thoughts, frozenset({REQUEST})),
    Comparison(compare_thinking_switch, frozenset({REQUEST})),
    Comparison(compare_cache_marks, frozenset({REQUEST})),
    Comparison(compare_finish, frozenset({REPLY})),
    Comparison(compare_usage, frozenset({REPLY})),
    Comparison(compare_media, _ALL_KINDS),
    Comparison(compare_opaque_state, frozenset({REQUEST})),
    Comparison(compare_own_state, frozenset({REQUEST, REPLY})),
    Comparison(compare_shown_state, frozenset({REPLY})),
    Comparison(compare_returned_state, frozenset({HISTORY})),
    Comparison(compare_returned_ids, frozenset({HISTORY})),
)


def compare(pair: Pair, kind: str) -> list[Finding]:
    """The findings of all comparisons that apply to this ``kind`` of pair."""
    return [finding for comparison in COMPARISONS if kind in comparison.kinds for finding in comparison.compare(pair)]
