"""One streamed exchange with a translator: its request, the upstream's stream, and the client's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, MISSING, Judgement
from toolcall_conformance.basics.reading import Opaque, Reading
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.basics.streaming import cuts, read
from toolcall_conformance.checks.base import Harness, OpenSession, Tally
from toolcall_conformance.checks.conversation.golden_replies import rename_calls_in_stream, requests_before
from toolcall_conformance.checks.conversation.shorter_requests import shorter_requests
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.checks.streams.token_counts import drop_unasked_counts
from toolcall_conformance.drivers import (
    BadOutput,
    FailedOutcome,
    Opened,
    Outcome,
    Produced,
    SessionDriver,
    Source,
    Streamed,
    StreamOutcome,
)
from toolcall_conformance.judge.context import UNKNOWN_REQUESTS, Requests
from toolcall_conformance.library import Exchange


@dataclass(frozen=True)
class ClientStream:
    """The stream that a client receives, the reply that it assembles to, and the reading of that reply."""

    format: str
    outcome: Streamed

    @cached_property
    def data(self) -> bytes:
        return self.outcome.data

    @cached_property
    def stream(self) -> dict[str, Any]:
        return read(self.data)

    @cached_property
    def assembled(self) -> Assembled:
        return formats.assemble_bytes(self.format, self.data)

    @cached_property
    def content(self) -> dict[str, Any]:
        """The content of the reply and its end, without ids and cuts; equal for equal replies."""
        return {**reply_content(self.reading), "end": self.assembled.end}

    def state_from(self, source: bytes) -> list[str]:
        """The provider's own state that ``source`` has as well: state that a translator seals itself always differs."""
        text = source.decode("utf-8", "replace")
        items = (item for turn in self.reading.turns for item in turn.items)
        return [item.value for item in items if isinstance(item, Opaque) and item.value and item.value in text]

    @cached_property
    def reading(self) -> Reading:
        return formats.read(self.format, "response", self.assembled.body)


def reply_content(reading: Reading) -> dict[str, Any]:
    """A reply without its ids, as JSON: its words, its calls with arguments, its finish reason."""
    return {
        "text": "".join(str(getattr(item, "text", "")) for turn in reading.turns for item in turn.items),
        "calls": [[call.name, call.arguments] for call in reading.calls],
        "finish": reading.finish.reason if reading.finish is not None else None,
    }


@dataclass(frozen=True, slots=True)
class BlockedExchange:
    """The exchange did not get as far as its stream; ``operation`` failed."""

    operation: str
    failure: FailedOutcome


@dataclass(frozen=True)
class StreamedExchange:
    """A streamed exchange that is played repeatedly, each time in its own session and with another source.

    ``stream`` is the upstream's, with its calls under the names that the translator declared; ``name`` is its file
    name. ``names`` maps golden names to declared ones. ``costly_pieces``: each piece of a stream is a message to
    another process. ``open_sessions`` has the session that has sent its request, until it is played. ``left_out`` are
    pointers to settings that the request lacks, because it failed with them (``failure``). ``requests`` are those
    before it.
    """

    name: str
    route: Route
    open_session: OpenSession
    request: Any
    stream: bytes
    names: Mapping[str, str]
    sent: Any
    costly_pieces: bool
    open_sessions: list[SessionDriver]
    left_out: tuple[str, ...] = ()
    failure: FailedOutcome | None = None
    requests: Requests = UNKNOWN_REQUESTS

    def play(self, source: Source) -> Streamed | FailedOutcome | BlockedExchange:
        """Play ``source`` as the upstream's stream, in the open session or in a new one."""
        if self.open_sessions:
            return self.open_sessions.pop().stream(source)
        started = begin_session(self.open_session, self.route, self.request)
        return started if isinstance(started, BlockedExchange) else started[0].stream(source)

    def leave_unplayed(self, reply: dict[str, Any]) -> None:
        """End the exchange whose request was sent, without a stream; ``reply`` as ``finish_exchange`` takes it."""
        while self.open_sessions:
            self.open_sessions.pop().finish_exchange(reply)


def record_wrong_stream(
    tally: Tally, body_label: str, sent: Sequence[bytes], outcome: StreamOutcome, uncut: Streamed | None = None
) -> PlayedBodies:
    """Record a wrong stream for the user: the pieces that were sent, and the bytes that were received.

    ``uncut`` is the outcome of the same stream cut only between its events.
    """
    before = sum(played.name.startswith(body_label) for played in tally.played)
    files: dict[str, Any] = {"sent.sse": b"".join(sent), "sent-pieces.json": [len(piece) for piece in sent]}
    for end, stream in (("received.sse", outcome), ("usual.sse", uncut)):
        if isinstance(stream, Streamed):
            files[end] = stream.data
    label = f"{body_label}.{before + 1}" if before else body_label
    return PlayedBodies(label, MISSING, MISSING, MISSING, files)


def judge_output(
    exchange: StreamedExchange,
    sent: bytes,
    output: Streamed,
    harness: Harness,
    tally: Tally,
    body_label: str,
    how: str = "",
) -> Judgement:
    """Judge the client's stream for the one that was ``sent``, and add the findings under ``body_label``."""
    judgement = harness.judge.stream(
        sent,
        output.data,
        exchange.route,
        requests=exchange.requests,
        vendor=exchange.route.upstream in tally.case.dialects,
        declared=output.losses,
        how=how,
    )
    tally.add_losses(judgement)
    for finding in judgement.findings:
        judged_label = f"{body_label}, assembled" if finding.body == ASSEMBLED_REPLY else body_label
        tally.findings.append(replace(finding, body=judged_label))
    return judgement


def begin_session(open_session: OpenSession, route: Route, request: Any) -> tuple[SessionDriver, Any] | BlockedExchange:
    """Open a session and send its request. Returns the session and what it sent upstream, None without requests."""
    opened = open_session(route)
    if not isinstance(opened, Opened):
        return BlockedExchange("open", opened)
    if "request" not in opened.session.operations:
        return opened.session, None
    outcome = opened.session.request(request)
    return (opened.session, outcome.value) if isinstance(outcome, Produced) else BlockedExchange("request", outcome)


def play_reply(
    session: SessionDriver,
    upstream: Exchange,
    upstream_request: Any,
    route: Route,
    names: Mapping[str, str],
    harness: Harness,
) -> Outcome:
    """The reply that the client assembles when the upstream's stream, cut at its events, is played to ``session``.

    ``names`` maps golden tool names to those that the ``upstream_request`` declares.
    """
    stream = drop_unasked_counts(harness.corpus, route.upstream, upstream.stream(), upstream_request)
    stream = rename_calls_in_stream(stream, names, stream_transport(harness, route))
    return _assembled_outcome(session.stream(Source(cuts.split_events(stream))), route)


def play_reply_alone(
    client: Exchange, upstream: Exchange, route: Route, open_session: OpenSession, harness: Harness
) -> Outcome:
    """Play the reply's stream in a session of its own, without the earlier exchanges, as the check ``stream`` does."""
    exchange = begin_exchange(client, upstream, route, open_session, harness)
    if isinstance(exchange, BlockedExchange):
        return exchange.failure
    outcome = exchange.play(Source(cuts.split_events(exchange.stream)))
    return outcome.failure if isinstance(outcome, BlockedExchange) else _assembled_outcome(outcome, route)


def stream_transport(harness: Harness, route: Route) -> Mapping[str, Any]:
    """The corpus's ``stream`` of ``transport.json`` for the upstream: the places of names and texts in its events."""
    transport: Mapping[str, Any] = harness.corpus.transports[route.upstream]["stream"]
    return transport


def _assembled_outcome(outcome: StreamOutcome, route: Route) -> Outcome:
    """The assembled reply, or a failure if the conversation cannot continue from it."""
    if not isinstance(outcome, Streamed):
        return outcome
    if outcome.raised is not None:
        return outcome.raised
    reply = ClientStream(route.client, outcome).assembled
    if reply.body is None or reply.end == "failed":
        return BadOutput("stream gave an error" if reply.end == "failed" else "stream gave no reply")
    return Produced(reply.body)


def begin_exchange(
    client: Exchange, upstream: Exchange, route: Route, open_session: OpenSession, harness: Harness
) -> StreamedExchange | BlockedExchange:
    """Begin an exchange: send the client's request, with the keys by which its API asks for a stream."""
    assert upstream.stream_path is not None
    request = {**client.request, **harness.corpus.transports[route.client]["stream"].get("body", {})}
    started = begin_session(open_session, route, request)
    omissions: tuple[str, ...] = ()
    failure = started.failure if isinstance(started, BlockedExchange) and started.operation == "request" else None
    for pointers, shorter in shorter_requests(harness.corpus, route.client, request, failure) if failure else ():
        again = begin_session(open_session, route, shorter)
        if not isinstance(again, BlockedExchange):
            started, request, omissions = again, shorter, pointers
            break
    if isinstance(started, BlockedExchange):
        return started
    stream = drop_unasked_counts(harness.corpus, route.upstream, upstream.stream(), started[1])
    names: Mapping[str, str] = {}
    if started[1] is not None:
        names = harness.judge.declared_names(upstream.request, started[1], route.upstream)
    return StreamedExchange(
        upstream.stream_path.name,
        route,
        open_session,
        request,
        rename_calls_in_stream(stream, names, stream_transport(harness, route)),
        names,
        started[1],
        started[0].costly_pieces,
        [started[0]],
        omissions,
        failure,
        requests_before(request, started[1], upstream),
    )
