"""State between two ends of one format: nothing had to be translated, so it stays as it is and where it is."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.state.state_return import compare_state, lost_in_reply


def compare_own_state(pair: Pair) -> Iterator[Finding]:
    """A request is what the provider gets back; a reply is all that its client will ever know."""
    if pair.is_same_format:
        yield from compare_state(pair) if pair.is_request else lost_in_reply(pair)
