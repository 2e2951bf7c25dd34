"""Plays the corpus's broken streams: those that end in an error event, in silence, or at the token limit."""

from __future__ import annotations

from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import Harness, Tally
from toolcall_conformance.checks.conversation.golden_replies import rename_calls_in_stream
from toolcall_conformance.checks.streams.exchange import Blocked, StreamedExchange, judge_played, kept, said_in_streams
from toolcall_conformance.drivers import Source, Streamed
from toolcall_conformance.library import Exchange


def play(exchange: StreamedExchange, upstream: Exchange, harness: Harness, tally: Tally) -> bool:
    """Play the broken stream: the client must learn of it, and receive no call that the source did not finish."""
    assert upstream.broken_path is not None
    name, route = upstream.broken_path.name, exchange.route
    stream = rename_calls_in_stream(upstream.broken(), exchange.names, said_in_streams(harness, route))
    source = formats.assemble_bytes(route.upstream, stream)
    for end in ("plain", "lost") if source.end == "open" else ("plain",):
        outcome = exchange.play(Source(cuts.split_events(stream), end))
        if isinstance(outcome, Blocked):
            tally.block(outcome.operation, outcome.failed, name)
            return False
        if not isinstance(outcome, Streamed) or outcome.raised is not None:
            if source.end != "whole":
                continue  # raising reports the failure as well as an error event does
            failed = outcome.raised if isinstance(outcome, Streamed) else outcome
            assert failed is not None
            tally.fail("stream", failed, name)
            return False
        judged = judge_played(exchange, stream, outcome, harness, tally, name, _HOW.get((source.end, end), ""))
        if any(not finding.is_note for finding in judged.findings):
            tally.played.append(kept(tally, name, cuts.split_events(stream), outcome))
            break
    return True


_HOW = {
    ("failed", "plain"): "failed",
    ("open", "plain"): "ended",
    ("open", "lost"): "was lost",
}
