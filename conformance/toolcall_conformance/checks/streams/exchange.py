"""One streamed exchange with a translator: its request, the upstream's stream, and what the client gets."""

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
from toolcall_conformance.checks.base import Failed, Harness, OpenSession, Tally
from toolcall_conformance.checks.conversation.golden_replies import rename_calls_in_stream, requests_before
from toolcall_conformance.checks.conversation.left_out import shorter_requests
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.checks.streams.uncounted import as_asked
from toolcall_conformance.drivers import (
    BadOutput,
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
    came: Streamed

    @cached_property
    def data(self) -> bytes:
        return self.came.data

    @cached_property
    def stream(self) -> dict[str, Any]:
        return read(self.data)

    @cached_property
    def assembled(self) -> Assembled:
        return formats.assemble_bytes(self.format, self.data)

    @cached_property
    def content(self) -> dict[str, Any]:
        """What the reply says and how it ends, without ids and cuts; equal for equal replies."""
        return {**reply_content(self.reading), "end": self.assembled.end}

    def state_from(self, source: bytes) -> list[str]:
        """The provider's own state that ``source`` holds as well: state that a translator seals anew always differs."""
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
class Blocked:
    """The exchange did not get as far as its stream; ``operation`` failed."""

    operation: str
    failed: Failed


@dataclass(frozen=True)
class StreamedExchange:
    """A streamed exchange that is played repeatedly, each time in its own session and with another source.

    ``stream`` is what the upstream sends, with its calls under the names that the translator declared; ``name`` is its
    file name. ``names`` maps golden names to declared ones. ``costly_pieces``: each piece of a stream is a message to
    another process. ``begun`` holds the session that has already sent its request, until it is played. ``left_out`` are
    pointers to settings that the request lacks, because it ``failed`` with them. ``requests`` are those before it.
    """

    name: str
    route: Route
    open_session: OpenSession
    request: Any
    stream: bytes
    names: Mapping[str, str]
    sent: Any
    costly_pieces: bool
    begun: list[SessionDriver]
    left_out: tuple[str, ...] = ()
    failed: Failed | None = None
    requests: Requests = UNKNOWN_REQUESTS

    def play(self, source: Source) -> Streamed | Failed | Blocked:
        """The upstream sends ``source``."""
        if self.begun:
            return self.begun.pop().stream(source)
        began = begin_session(self.open_session, self.route, self.request)
        return began if isinstance(began, Blocked) else began[0].stream(source)

    def leave_unplayed(self, reply: dict[str, Any]) -> None:
        """End the exchange whose request was sent, without a stream; ``reply`` as ``finish_exchange`` takes it."""
        while self.begun:
            self.begun.pop().finish_exchange(reply)


def kept(
    tally: Tally, name: str, sent: Sequence[bytes], outcome: StreamOutcome, usual: Streamed | None = None
) -> PlayedBodies:
    """A stream that was found wrong, to be looked at: the pieces that were sent, and the bytes that came.

    ``usual`` is what came of the same stream cut between its events.
    """
    before = sum(played.name.startswith(name) for played in tally.played)
    files: dict[str, Any] = {"sent.sse": b"".join(sent), "sent-pieces.json": [len(piece) for piece in sent]}
    for end, stream in (("received.sse", outcome), ("usual.sse", usual)):
        if isinstance(stream, Streamed):
            files[end] = stream.data
    label = f"{name}.{before + 1}" if before else name
    return PlayedBodies(label, MISSING, MISSING, MISSING, files)


def judge_played(
    exchange: StreamedExchange, sent: bytes, output: Streamed, harness: Harness, tally: Tally, name: str, how: str = ""
) -> Judgement:
    """Judge the stream that came of what was ``sent``, and add what the judge says; ``name`` is that of the body."""
    judged = harness.judge.stream(
        sent,
        output.data,
        exchange.route,
        requests=exchange.requests,
        vendor=exchange.route.upstream in tally.case.dialects,
        declared=output.losses,
        how=how,
    )
    tally.lose(judged)
    for finding in judged.findings:
        body = f"{name}, assembled" if finding.body == ASSEMBLED_REPLY else name
        tally.findings.append(replace(finding, body=body))
    return judged


def begin_session(open_session: OpenSession, route: Route, request: Any) -> tuple[SessionDriver, Any] | Blocked:
    """Open a session and send its request. Returns the session and what it sent upstream, None without requests."""
    opened = open_session(route)
    if not isinstance(opened, Opened):
        return Blocked("open", opened)
    if "request" not in opened.session.operations:
        return opened.session, None
    outcome = opened.session.request(request)
    return (opened.session, outcome.value) if isinstance(outcome, Produced) else Blocked("request", outcome)


def reply_streamed(
    session: SessionDriver, upstream: Exchange, sent: Any, route: Route, names: Mapping[str, str], harness: Harness
) -> Outcome:
    """The reply that the client assembles when the upstream's stream, cut at its events, is played to ``session``.

    ``sent`` is the request that the upstream has; ``names`` maps golden tool names to those that it declares.
    """
    stream = as_asked(harness.corpus, route.upstream, upstream.stream(), sent)
    stream = rename_calls_in_stream(stream, names, said_in_streams(harness, route))
    return _reply_outcome(session.stream(Source(cuts.split_events(stream))), route)


def reply_alone(
    client: Exchange, upstream: Exchange, route: Route, open_session: OpenSession, harness: Harness
) -> Outcome:
    """The same in a session of its own, without the earlier exchanges, as the check ``stream`` plays it."""
    exchange = begin_exchange(client, upstream, route, open_session, harness)
    if isinstance(exchange, Blocked):
        return exchange.failed
    outcome = exchange.play(Source(cuts.split_events(exchange.stream)))
    return outcome.failed if isinstance(outcome, Blocked) else _reply_outcome(outcome, route)


def said_in_streams(harness: Harness, route: Route) -> Mapping[str, Any]:
    """Where events of the upstream's streams have the names of calls, and what is said."""
    transport: Mapping[str, Any] = harness.corpus.transports[route.upstream]["stream"]
    return transport


def _reply_outcome(outcome: StreamOutcome, route: Route) -> Outcome:
    """The reply that a stream assembles to, or a failure where the conversation cannot continue from it."""
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
) -> StreamedExchange | Blocked:
    """Send the client's request, with the keys by which its API asks for a stream."""
    assert upstream.stream_path is not None
    request = {**client.request, **harness.corpus.transports[route.client]["stream"].get("body", {})}
    began = begin_session(open_session, route, request)
    omissions: tuple[str, ...] = ()
    failed = began.failed if isinstance(began, Blocked) and began.operation == "request" else None
    for pointers, shorter in shorter_requests(harness.corpus, route.client, request, failed) if failed else ():
        again = begin_session(open_session, route, shorter)
        if not isinstance(again, Blocked):
            began, request, omissions = again, shorter, pointers
            break
    if isinstance(began, Blocked):
        return began
    stream = as_asked(harness.corpus, route.upstream, upstream.stream(), began[1])
    names: Mapping[str, str] = {}
    if began[1] is not None:
        names = harness.judge.declared_names(upstream.request, began[1], route.upstream)
    return StreamedExchange(
        upstream.stream_path.name,
        route,
        open_session,
        request,
        rename_calls_in_stream(stream, names, said_in_streams(harness, route)),
        names,
        began[1],
        began[0].costly_pieces,
        [began[0]],
        omissions,
        failed,
        requests_before(request, began[1], upstream),
    )
