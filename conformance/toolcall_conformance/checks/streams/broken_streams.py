"""Plays the corpus's broken streams: those that end in an error event, in silence, or at the token limit."""

from __future__ import annotations

from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import Harness, Tally
from toolcall_conformance.checks.conversation.golden_replies import rename_calls_in_stream
from toolcall_conformance.checks.streams.exchange import (
    BlockedExchange,
    StreamedExchange,
    judge_output,
    record_wrong_stream,
    stream_transport,
)
from toolcall_conformance.drivers import Source, Streamed
from toolcall_conformance.library import Exchange


def play(exchange: StreamedExchange, upstream: Exchange, harness: Harness, tally: Tally) -> bool:
    """Play the broken stream: the client must learn of it, and receive no call that the source has not finished."""
    assert upstream.broken_path is not None
    body_label, route = upstream.broken_path.name, exchange.route
    stream = rename_calls_in_stream(upstream.broken(), exchange.names, stream_transport(harness, route))
    source = formats.assemble_bytes(route.upstream, stream)
    for end in ("plain", "lost") if source.end == "open" else ("plain",):
        outcome = exchange.play(Source(cuts.split_events(stream), end))
        if isinstance(outcome, BlockedExchange):
            tally.block(outcome.operation, outcome.failure, body_label)
            return False
        if not isinstance(outcome, Streamed) or outcome.raised is not None:
            if source.end != "whole":
                continue  # raising reports the failure as well as an error event does
            failure = outcome.raised if isinstance(outcome, Streamed) else outcome
            assert failure is not None
            tally.fail("stream", failure, body_label)
            return False
        judged = judge_output(
            exchange, stream, outcome, harness, tally, body_label, _END_WORDS.get((source.end, end), "")
        )
        if any(not finding.is_note for finding in judged.findings):
            tally.played.append(record_wrong_stream(tally, body_label, cuts.split_events(stream), outcome))
            break
    return True


_END_WORDS = {
    ("failed", "plain"): "failed",
    ("open", "plain"): "ended",
    ("open", "lost"): "was lost",
}
