"""Plays two streams that are open at once, and reads them in turns.

The second is that of the case's twin, which has the same ids and other contents. It begins in the middle of the first,
so state that every stream resets loses the first one's content. Faults that a stream also has alone are left to the
plain variant.

A translator that never has two streams in their middle is not judged, and the reason is reported: one that serves one
request at a time, and a Python generator that reads its source to the end before it gives any output. A library or a
gateway that lets a second stream wait inside passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import Harness, OpenSession, Tally, provider_answer
from toolcall_conformance.checks.conversation.twin import twin_of
from toolcall_conformance.checks.streams.exchange import (
    BlockedExchange,
    StreamedExchange,
    begin_exchange,
    judge_output,
    record_wrong_stream,
)
from toolcall_conformance.drivers import (
    FailedOutcome,
    Opened,
    OpenOutcome,
    Source,
    Streamed,
    StreamOutcome,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.habits import send_while_open
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Case, Exchange

# Shorter words of another stream may occur in ids that a translator generates.
_LONG_WORD = re.compile(r"\w{6,}")
_READS_TO_END_REASON = (
    "stream reads its source to the end before it gives anything, so the two are read one after the other here; "
    "whether threads would mix them is not seen"
)


@dataclass(frozen=True, slots=True)
class _Conversation:
    """One of the two conversations: its first exchange in both formats, and the begun exchange."""

    case: Case
    client: Exchange
    upstream: Exchange
    exchange: StreamedExchange

    @property
    def source(self) -> Source:
        return Source(cuts.split_events(self.exchange.stream), reply=self.upstream.response)


def run(case: Case, route: Route, open_session: OpenSession, harness: Harness, tally: Tally) -> None:
    """Read the first stream of the case and that of its twin in turns, and judge each by itself."""
    first = _begin_conversation(case, route, open_session, harness)
    if isinstance(first, BlockedExchange):
        may_refuse = harness.judge.may_refuse(route, case.exchanges(route.client)[0].request)
        tally.block(first.operation, first.failure, "01-request", may_refuse=may_refuse)
        return
    if tally.skip_impossible_reply(first.upstream.response, first.exchange.request, first.exchange.sent):
        first.exchange.leave_unplayed(provider_answer(first.upstream))
        return
    second = _begin_conversation(twin_of(harness.corpus, case), route, _open_beside(first, open_session), harness)
    if isinstance(second, BlockedExchange):
        first.exchange.leave_unplayed(provider_answer(first.upstream))
        failure = second.failure
        why = failure.reason if isinstance(failure, UnsupportedOutcome) else f"{second.operation} fails"
        tally.inapplicable = f"no second exchange begins while one is open: {why}"
        return
    sessions = first.exchange.open_sessions.pop(), second.exchange.open_sessions.pop()
    outcomes = sessions[0].stream_interleaved(first.source, sessions[1], second.source)
    for conversation, outcome, other_conversation in ((first, outcomes[0], second), (second, outcomes[1], first)):
        body_label = conversation.exchange.name if conversation is first else f"{conversation.exchange.name}, beside it"
        faults = list(_find_faults(conversation, outcome, other_conversation, harness, body_label))
        if not faults:
            continue
        alone = _begin_conversation(conversation.case, route, open_session, harness)
        played = alone if isinstance(alone, BlockedExchange) else alone.exchange.play(alone.source)
        if isinstance(alone, BlockedExchange) or isinstance(played, BlockedExchange):
            tally.blocked = f"blocked: {body_label}: the stream cannot be played by itself"
            continue
        reported = {
            (fault.rule, fault.pointer)
            for fault in _find_faults(alone, played, other_conversation, harness, body_label)
        }
        fresh = [fault for fault in faults if (fault.rule, fault.pointer) not in reported]
        if fresh:
            tally.played.append(
                record_wrong_stream(tally, conversation.exchange.name, conversation.source.pieces, outcome)
            )
            tally.findings += [
                replace(fault, message=f"{fault.message}, while another stream is open") for fault in fresh
            ]
    if not tally.findings and isinstance(outcomes[0], Streamed) and outcomes[0].alone:
        tally.inapplicable = _READS_TO_END_REASON


def _open_beside(first: _Conversation, open_session: OpenSession) -> OpenSession:
    """A function that opens sessions whose requests are sent while the first exchange is open."""

    def opened(route: Route) -> OpenOutcome:
        session = open_session(route)
        if isinstance(session, Opened):
            send_while_open(session.session, first.exchange.open_sessions[0])
        return session

    return opened


def _begin_conversation(
    case: Case, route: Route, open_session: OpenSession, harness: Harness
) -> _Conversation | BlockedExchange:
    client, upstream = case.exchanges(route.client)[0], case.exchanges(route.upstream)[0]
    exchange = begin_exchange(client, upstream, route, open_session, harness)
    return exchange if isinstance(exchange, BlockedExchange) else _Conversation(case, client, upstream, exchange)


def _find_faults(
    conversation: _Conversation,
    outcome: StreamOutcome,
    other_conversation: _Conversation,
    harness: Harness,
    body_label: str,
) -> Iterator[Finding]:
    """The findings on a stream by itself, and on words of the other one in it."""
    exchange = conversation.exchange
    tally = Tally.of(harness, conversation.case, "stream", exchange.route)
    failure: FailedOutcome | None = outcome.raised if isinstance(outcome, Streamed) else outcome
    if failure is not None or not isinstance(outcome, Streamed):
        if failure is not None:
            tally.fail("stream", failure, body_label)
        yield from tally.findings
        return
    judge_output(exchange, exchange.stream, outcome, harness, tally, body_label)
    own_words = set(_LONG_WORD.findall(f"{_text(exchange.stream)} {conversation.upstream.response}"))
    foreign = sorted(_foreign_words(other_conversation, outcome.data) - own_words)
    hint = f" (the other stream says {foreign[0]!r})" if foreign else ""
    yield from (replace(entry, message=f"{entry.message}{hint}") for entry in tally.findings)
    if foreign and all(entry.is_note for entry in tally.findings):
        message = f"words of another stream that is open at the same time ({foreign[0]!r})"
        yield make_finding(
            harness.corpus,
            "translation/text-invented",
            "",
            message,
            got=foreign[0],
            source="",
            element="text",
            body=body_label,
        )


def _foreign_words(conversation: _Conversation, output: bytes) -> set[str]:
    """The words of the other stream in an output, in its events or in its assembled reply."""
    format_name = conversation.exchange.route.client
    assembled = formats.assemble_bytes(format_name, output).body
    words = set(_LONG_WORD.findall(_text(output))) | set(_LONG_WORD.findall(str(assembled)))
    return words & set(_LONG_WORD.findall(f"{_text(conversation.exchange.stream)} {conversation.upstream.response}"))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
