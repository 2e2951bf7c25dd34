"""Plays the corpus's broken streams: those that end in an error event, in silence, or at the token limit."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from toolcall_conformance import formats
from toolcall_conformance.checks.base import Harness, Tally
from toolcall_conformance.checks.golden_replies import rename_calls_in_stream
from toolcall_conformance.checks.streamed import Blocked, ClientStream, StreamedExchange, kept, said_in_streams
from toolcall_conformance.drivers import Source, Streamed
from toolcall_conformance.findings import MISSING, Finding, one_of
from toolcall_conformance.jsonvalue import JSONError
from toolcall_conformance.jsonvalue import parse as parse_json
from toolcall_conformance.judge.given import Ends
from toolcall_conformance.judge.streams import compare_begun, last_event
from toolcall_conformance.levels import finding
from toolcall_conformance.library import Corpus, Exchange
from toolcall_conformance.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.streaming import cuts
from toolcall_conformance.translation.stream_ends import compare_ends


def play(exchange: StreamedExchange, upstream: Exchange, harness: Harness, tally: Tally) -> bool:
    """Play the broken stream: the client must learn of it, and receive no call that the source did not finish."""
    assert upstream.broken_path is not None
    name, route = upstream.broken_path.name, exchange.route
    stream = rename_calls_in_stream(upstream.broken_path.read_bytes(), exchange.names, said_in_streams(harness, route))
    source = formats.assembled_from(route.upstream, stream)
    for end in ("plain", "lost") if source.end == "open" else ("plain",):
        came = exchange.play(Source(cuts.split_events(stream), end))
        if isinstance(came, Blocked):
            tally.block(came.operation, came.failed, name)
            return False
        if not isinstance(came, Streamed) or came.raised is not None:
            if source.end != "whole":
                continue  # raising reports the failure as well as an error event does
            failed = came.raised if isinstance(came, Streamed) else came
            assert failed is not None
            tally.fail("stream", failed, name)
            return False
        received = ClientStream(route.client, came)
        found = list(_findings(harness.corpus, route.upstream, source, received, end))
        if source.end == "whole":
            found += harness.judge.body(route.client, "stream", received.stream).findings
        tally.findings += [replace(one, body=name) for one in found]
        if found:
            tally.played.append(kept(tally, name, cuts.split_events(stream), came))
            break
    return True


def _findings(corpus: Corpus, upstream: str, source: Assembled, received: ClientStream, end: str) -> Iterator[Finding]:
    client = received.assembled
    cut = {"".join(call.fragments) for call in source.calls if not _is_whole(call, source)}
    had = sum(_is_whole(call, source) for call in source.calls)
    got = sum(_is_whole(call, client, cut) for call in client.calls)
    last = last_event(received.stream)
    how = _HOW[source.end, end]
    ends = [*compare_ends(corpus, source, client, how, calls=(had, got), last=last)]
    yield from ends
    if source.end != "whole" and not any(one.is_must for one in ends):
        route = Ends(received.format, upstream)
        yield from compare_begun(corpus, (source, client), route, how, received.stream)
    if source.end == "whole" and got <= had:
        want = formats.read(upstream, "response", source.body).finish
        end_received = formats.read(received.format, "response", client.body).finish
        if want is not None and (end_received is None or end_received.reason != want.reason):
            words = corpus.format(received.format)["wire_words"]["finish"].get(want.reason, {})
            yield finding(
                corpus,
                "translation/finish-reason",
                last,
                f"the reply was cut in the middle of a call ({want.raw}), the translation says "
                f"{end_received and end_received.raw}",
                want=one_of((word for place in words.values() for word in place), MISSING),
                got=MISSING if end_received is None else end_received.raw,
                element="finish",
            )


_HOW = {
    ("failed", "plain"): "failed",
    ("open", "plain"): "ended",
    ("open", "lost"): "was lost",
    ("whole", "plain"): "was cut by the limit of tokens",
}


def _is_whole(call: StreamedCall, reply: Assembled, cut: Collection[str] = ()) -> bool:
    """Whether a client may run the call: it is closed and, in a reply that ended, its arguments are all there.

    Some translators wrap the text of ``cut`` arguments in an object under a key: no tool takes that for its arguments.
    """
    if not (call.closed or call.whole is not None):
        return False
    if reply.end != "whole":
        return True
    text = call.whole if call.whole is not None else "".join(call.fragments)
    try:
        given = parse_json(text)
    except JSONError:
        return False
    return isinstance(given, dict) and not any(isinstance(value, str) and value in cut for value in given.values())
