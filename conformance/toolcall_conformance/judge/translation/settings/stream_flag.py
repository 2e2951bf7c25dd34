"""Whether a request asks for a stream, where its body says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.library import Corpus

RULE = "translation/stream-lost"


def asks_in_body(corpus: Corpus, format_name: str) -> bool:
    """Whether a format's requests ask for a stream in their body; others do by their address."""
    return corpus.transports[format_name]["stream"].get("body", {}).get("stream") is True


def asks(body: Any) -> bool:
    """Whether such a body asks for a stream."""
    return isinstance(body, dict) and body.get("stream") is True


def find_stream_lost(pair: Pair) -> Iterator[Finding]:
    """The wish for a stream, where both bodies have a word for it."""
    before, after = pair.source.settings.get("stream"), pair.output.settings.get("stream")
    wished = before is not None and before.value is True and asks_in_body(pair.corpus, pair.output.format)
    if before is not None and wished and (after is None or after.value is not True):
        got = MISSING if after is None else after.value
        pointer = "" if after is None else after.pointer
        counts = pair.corpus.transports[pair.output.format]["stream"].get("counts_asked")
        # Whoever asks for a stream has to ask for its token counts as well.
        want = True if counts is None or pair.value_at(counts, MISSING) is True else Words(f"true, and so at {counts}")
        yield pair.finding(RULE, pointer, want=want, got=got, source=before.pointer)
