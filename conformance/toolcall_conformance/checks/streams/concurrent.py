"""Plays two streams that are open at once, and reads them in turns.

The second is that of the case's twin, which has the same ids and says something else. It begins when the first is in
its middle: so state that is begun anew with every stream loses what the first had in it. What is wrong with a stream
also when it is alone is left to the plain variant.

A translator whose streams never are in their middle both is told so, and not judged: one that serves one request at a
time, and a Python generator that reads its source to the end before it gives anything. A library or a gateway that
lets a second stream wait within itself passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import Failed, Harness, OpenSession, Tally, answer
from toolcall_conformance.checks.conversation.twin import twin_of
from toolcall_conformance.checks.streams.exchange import Blocked, StreamedExchange, begin_exchange, judge_played, kept
from toolcall_conformance.drivers import (
    Crashed,
    Opened,
    OpenOutcome,
    RefusedOutcome,
    Source,
    Streamed,
    StreamOutcome,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.habits import send_while_open
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Case, Exchange

# Shorter words of another stream may stand in ids that a translator makes.
_WORD = re.compile(r"\w{6,}")
_ALONE = (
    "stream reads its source to the end before it gives anything, so the two are read one after the other here; "
    "whether threads would mix them is not seen"
)


@dataclass(frozen=True, slots=True)
class _Conversation:
    """One of the two: its first exchange in both formats, and the session that has asked."""

    case: Case
    client: Exchange
    upstream: Exchange
    exchange: StreamedExchange

    @property
    def source(self) -> Source:
        return Source(cuts.split_events(self.exchange.stream), reply=self.upstream.response)


def run(case: Case, route: Route, open_session: OpenSession, harness: Harness, tally: Tally) -> None:
    """Read the first stream of the case and that of its twin in turns, and judge each by itself."""
    first = _begun(case, route, open_session, harness)
    if isinstance(first, Blocked):
        allowed = harness.judge.may_refuse(route, case.exchanges(route.client)[0].request)
        tally.block(first.operation, first.failed, "01-request", may_refuse=allowed)
        return
    if tally.never_sent(first.upstream.response, first.exchange.request, first.exchange.sent):
        first.exchange.leave_unplayed(answer(first.upstream))
        return
    second = _begun(twin_of(harness.corpus, case), route, _beside(first, open_session), harness)
    if isinstance(second, Blocked):
        first.exchange.leave_unplayed(answer(first.upstream))
        failed = second.failed
        why = failed.reason if isinstance(failed, UnsupportedOutcome) else f"{second.operation} fails"
        tally.inapplicable = f"no second exchange begins while one is open: {why}"
        return
    sessions = first.exchange.begun.pop(), second.exchange.begun.pop()
    outcomes = sessions[0].stream_interleaved(first.source, sessions[1], second.source)
    for this, outcome, other in ((first, outcomes[0], second), (second, outcomes[1], first)):
        name = this.exchange.name if this is first else f"{this.exchange.name}, beside it"
        faults = list(_faults(this, outcome, other, harness, name))
        if not faults:
            continue
        alone = _begun(this.case, route, open_session, harness)
        played = alone if isinstance(alone, Blocked) else alone.exchange.play(alone.source)
        if isinstance(alone, Blocked) or isinstance(played, Blocked):
            tally.blocked = f"blocked: {name}: the stream cannot be played by itself"
            continue
        reported = {(fault.rule, fault.pointer) for fault in _faults(alone, played, other, harness, name)}
        fresh = [fault for fault in faults if (fault.rule, fault.pointer) not in reported]
        if fresh:
            tally.played.append(kept(tally, this.exchange.name, this.source.pieces, outcome))
            tally.findings += [
                replace(fault, message=f"{fault.message}, while another stream is open") for fault in fresh
            ]
    if not tally.findings and isinstance(outcomes[0], Streamed) and outcomes[0].alone:
        tally.inapplicable = _ALONE


def _beside(first: _Conversation, open_session: OpenSession) -> OpenSession:
    """Open sessions whose requests are sent while the exchange of the first is open."""

    def opened(route: Route) -> OpenOutcome:
        session = open_session(route)
        if isinstance(session, Opened):
            send_while_open(session.session, first.exchange.begun[0])
        return session

    return opened


def _begun(case: Case, route: Route, open_session: OpenSession, harness: Harness) -> _Conversation | Blocked:
    client, upstream = case.exchanges(route.client)[0], case.exchanges(route.upstream)[0]
    exchange = begin_exchange(client, upstream, route, open_session, harness)
    return exchange if isinstance(exchange, Blocked) else _Conversation(case, client, upstream, exchange)


def _faults(
    this: _Conversation, outcome: StreamOutcome, other: _Conversation, harness: Harness, name: str
) -> Iterator[Finding]:
    """What is wrong with a stream by itself, and what it has of the other one."""
    exchange = this.exchange
    tally = Tally.of(harness, this.case, "stream", exchange.route)
    failed: Failed | RefusedOutcome | Crashed | None = outcome.raised if isinstance(outcome, Streamed) else outcome
    if failed is not None or not isinstance(outcome, Streamed):
        if failed is not None:
            tally.fail("stream", failed, name)
        yield from tally.findings
        return
    judge_played(exchange, exchange.stream, outcome, harness, tally, name)
    own = set(_WORD.findall(f"{_text(exchange.stream)} {this.upstream.response}"))
    foreign = sorted(_words_of(other, outcome.data) - own)
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
            body=name,
        )


def _words_of(other: _Conversation, output: bytes) -> set[str]:
    """The words of the other stream that stand in an output, in its events or in what they assemble to."""
    format_name = other.exchange.route.client
    assembled = formats.assemble_bytes(format_name, output).body
    words = set(_WORD.findall(_text(output))) | set(_WORD.findall(str(assembled)))
    return words & set(_WORD.findall(f"{_text(other.exchange.stream)} {other.upstream.response}"))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
