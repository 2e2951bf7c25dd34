"""The check ``stream``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, provider_answer
from toolcall_conformance.checks.conversation.golden_replies import rename_calls
from toolcall_conformance.checks.conversation.shorter_requests import drop_members
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.checks.streams import broken_streams, concurrent
from toolcall_conformance.checks.streams import cuts as stream_cuts
from toolcall_conformance.checks.streams.exchange import (
    BlockedExchange,
    ClientStream,
    StreamedExchange,
    begin_exchange,
    begin_session,
    judge_output,
    reply_content,
)
from toolcall_conformance.drivers import Opened, Produced, Source, Streamed
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.translation.calls.call_arguments import has_odd_arguments
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.settings.stream_settings import (
    STREAM_RULE,
    has_stream_flag,
    report_uncounted_stream,
    requests_stream,
)
from toolcall_conformance.library import Case, Corpus, Exchange

# With fewer events, a translator that reads one ahead has nothing to send early.
_MIN_EVENTS = 4

VARIANTS = ("", "recut", "cut", "concurrent")


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Streams each reply and judges it as a client's stream, as a reply, and against the translator's unary reply."""
    del other  # it is for checks that play two conversations
    tally = Tally.of(harness, case, "stream", route)
    streaming = replace(route, stream=True)
    if variant == "concurrent":
        concurrent.run(case, streaming, open_session, harness, tally)
        return tally.result()
    exchanges = list(zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True))
    if variant:
        exchanges = exchanges[:1]  # a cut that breaks any stream breaks the first one
    elif _has_own_history(open_session, streaming):
        exchanges = exchanges[:1]
    for client, upstream in exchanges:
        if upstream.stream_path is None:
            continue
        exchange = begin_exchange(client, upstream, streaming, open_session, harness)
        if isinstance(exchange, BlockedExchange):
            may_refuse = harness.judge.may_refuse(route, client.request)
            tally.block(exchange.operation, exchange.failure, client.request_path.stem, may_refuse=may_refuse)
            break
        if exchange.failure is not None:
            tally.go_on_without(exchange.left_out, exchange.failure, client.request_path.stem, client.request)
        if tally.skip_impossible_reply(upstream.response, exchange.request, exchange.sent):
            exchange.leave_unplayed(provider_answer(upstream))
            continue
        breaks = variant == "" and upstream.broken_path is not None
        if breaks and not broken_streams.play(exchange, upstream, harness, tally):
            break
        if variant == "":
            goes_on = _play_whole(exchange, client, upstream, harness, tally)
        else:
            goes_on = {"recut": stream_cuts.play_recut, "cut": stream_cuts.play_cut_short}[variant](
                exchange, harness, tally
            )
        if not goes_on:
            break
    return tally.result()


def _report_missing_stream_flag(exchange: StreamedExchange, body_label: str, corpus: Corpus, tally: Tally) -> None:
    """Report a request that does not ask the provider for the stream that the client's own body asks for.

    A translator that makes a stream of a whole reply need not ask for one: the client gets its stream, only later.
    """
    asks_in_bodies = all(has_stream_flag(corpus, name) for name in (exchange.route.client, exchange.route.upstream))
    if asks_in_bodies and exchange.sent is not None and not requests_stream(exchange.sent):
        got = exchange.sent.get("stream", MISSING)
        pointer = "" if got is MISSING else "/stream"
        tally.findings.append(
            make_finding(corpus, STREAM_RULE, pointer, want=True, got=got, source="/stream", body=body_label)
        )


def _report_missing_count_flag(exchange: StreamedExchange, body_label: str, corpus: Corpus, tally: Tally) -> None:
    """Report a request for a stream without the token counts that the client's API would send."""
    route = exchange.route
    if exchange.sent is not None:
        reading = formats.read(route.client, "request", exchange.request)
        sides = Sides(corpus, reading, formats.read(route.upstream, "request", exchange.sent))
        tally.findings += [replace(entry, body=body_label) for entry in report_uncounted_stream(sides)]


def _has_own_history(open_session: OpenSession, route: Route) -> bool:
    """Whether sessions continue only conversations that they started."""
    opened = open_session(route)
    return isinstance(opened, Opened) and opened.session.own_history


def _play_whole(
    exchange: StreamedExchange, client: Exchange, upstream: Exchange, harness: Harness, tally: Tally
) -> bool:
    route, body_label = exchange.route, exchange.name
    pieces = cuts.split_events(exchange.stream)
    reply = rename_calls(route.upstream, upstream.response, exchange.names)
    # A reply without content has nothing to send early.
    watched = len(pieces) >= _MIN_EVENTS and any(formats.read(route.upstream, "response", reply).turns)
    outcome = exchange.play(Source(pieces, watched=watched, reply=reply))
    may_fail = harness.judge.may_fail(route.upstream, reply)
    if isinstance(outcome, BlockedExchange):
        tally.block(outcome.operation, outcome.failure, client.request_path.stem)
        return False
    if not (isinstance(outcome, Streamed) and outcome.from_whole):
        _report_missing_stream_flag(exchange, client.request_path.stem, harness.corpus, tally)
        _report_missing_count_flag(exchange, client.request_path.stem, harness.corpus, tally)
    if not isinstance(outcome, Streamed):
        tally.fail_reply("stream", outcome, body_label, may_fail=may_fail)
        return False
    received = ClientStream(route.client, outcome)
    files: dict[str, Any] = {"sent.sse": exchange.stream, "received.sse": outcome.data}
    if received.assembled.body is not None:
        files["assembled.json"] = received.assembled.body
    tally.played.append(PlayedBodies(body_label, reply, received.stream, client.response, files))
    if outcome.raised is not None:
        tally.fail_reply("stream", outcome.raised, body_label, may_fail=may_fail)
        return False
    judge_output(exchange, exchange.stream, outcome, harness, tally, body_label)
    if received.assembled.body is None or (received.assembled.end == "failed" and may_fail):
        return True  # there is no reply to compare with the unary one
    tally.findings += _differences_from_reply(harness.corpus, exchange, client, reply, received)
    # A translator that stops reading at the API's own end of a reply never takes the end of the stream.
    if (
        watched
        and outcome.pieces
        and all(piece.is_after_end or (outcome.exact and piece.source_count == len(pieces)) for piece in outcome.pieces)
    ):
        tally.findings.append(
            make_finding(
                harness.corpus,
                "translation/stream-at-once",
                "",
                "the translator gives no output before it has read the whole stream",
                want=f"the first piece before all {len(pieces)} events are read",
                got="the first piece after them",
                source="",
                element="body",
                body=body_label,
            )
        )
    return True


def _differences_from_reply(
    corpus: Corpus, exchange: StreamedExchange, client: Exchange, reply: Any, received: ClientStream
) -> Iterator[Finding]:
    """The finding for a stream that differs from the translator's own translation of the unary reply.

    A stream with the content of the provider's reply needs no comparison: ``response`` judges the unary reply.
    """
    source = formats.read(exchange.route.upstream, "response", reply)
    if any(map(has_odd_arguments, source.calls)):
        return  # where a reply must have an object, a stream may have what the model wrote
    streamed = canonical(reply_content(received.reading))
    if streamed == canonical(reply_content(source)):
        return
    request = drop_members(client.request, exchange.left_out)
    started = begin_session(exchange.open_session, replace(exchange.route, stream=False), request)
    if isinstance(started, BlockedExchange) or "response" not in started[0].operations:
        return
    outcome = started[0].response(reply)
    if not isinstance(outcome, Produced):
        return  # the check `response` reports it
    unary = reply_content(formats.read(exchange.route.client, "response", outcome.value))
    if canonical(unary) != streamed:
        yield make_finding(
            corpus,
            "translation/stream-equals-reply",
            "",
            "the stream assembles to another reply than the translator makes of the same reply unstreamed",
            want=unary,
            got=reply_content(received.reading),
            source="",
            element="body",
            body=exchange.name,
        )


def variants(
    corpus: Corpus, case: Case, client: str, upstream: str, *, cut_everywhere: bool = False
) -> tuple[str, ...]:
    """The variants of a case: the whole stream if it is readable; hostile cuts if they can break something.

    ``cut_everywhere``: hostile cuts in any case.
    """
    is_readable = all(name in formats.names() and formats.get(name).stream is not None for name in (client, upstream))
    is_readable = is_readable and case.streams(client, upstream)
    if not is_readable or not any(exchange.stream_path is not None for exchange in case.exchanges(upstream)):
        return ()
    # In a case about a stream's shape only the streams with that shape are cut, not the usual ones.
    by_hand = f"{upstream}/01-response.sse" in case.scenario.get("files", {})
    has_usual_shape = "stream-shape" in case.features and not by_hand
    cut = cut_everywhere or (not has_usual_shape and not case.features.isdisjoint(corpus.cut_finely))
    at_once = not case.features.isdisjoint(corpus.streamed_at_once)
    fitting = {"recut": cut, "cut": cut, "concurrent": at_once and case.exchanges(upstream)[0].stream_path is not None}
    return tuple(name for name in VARIANTS if fitting.get(name, True))
