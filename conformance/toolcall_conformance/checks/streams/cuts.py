"""Plays streams cut in hostile pieces, and streams that break off."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, TypeGuard

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.memoize import MAX_MEMOIZED_BYTES
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.basics.streaming import cuts, dump
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.checks.base import Harness, Tally
from toolcall_conformance.checks.streams.exchange import (
    BlockedExchange,
    ClientStream,
    StreamedExchange,
    judge_output,
    record_wrong_stream,
)
from toolcall_conformance.drivers import Crashed, FailedOutcome, ProtocolError, Source, Streamed, TimedOut
from toolcall_conformance.judge.levels import make_finding

_CUTS_RULE: Final = "translation/stream-cuts"


def choose_fineness(harness: Harness, *, costly_pieces: bool) -> cuts.Fineness:
    """The fineness that the user has set, else one by the cost of pieces."""
    return harness.fineness or (cuts.SPARSE if costly_pieces else cuts.USUAL)


def play_recut(exchange: StreamedExchange, harness: Harness, tally: Tally) -> bool:
    """Play the stream in other pieces and frames, which must assemble to the same reply."""
    route, body_label = exchange.route, exchange.name
    uncut = _uncut_stream(exchange.play(Source(cuts.split_events(exchange.stream))), route, tally, body_label)
    if uncut is None:
        return False
    transport = harness.corpus.transports[route.upstream]["stream"]
    plainly = transport.get("plain_frames", False)
    reported: set[str] = set()
    for way, pieces in _stream_variants(
        exchange.stream, choose_fineness(harness, costly_pieces=exchange.costly_pieces), plainly=plainly
    ):
        rule = _broken_rule(way, transport)
        if rule in reported:
            continue
        outcome = exchange.play(Source(pieces))
        if isinstance(outcome, BlockedExchange):
            tally.block(outcome.operation, outcome.failure, body_label)
            return False
        if _has_died(outcome):
            tally.played.append(record_wrong_stream(tally, body_label, pieces, outcome))
            tally.fail("stream", outcome, f"{body_label}, cut in another way ({way})")
            return True
        differs = _difference(outcome, uncut, exchange)
        if differs is not None and not (way == cuts.NO_LAST_BLANK_LINE and _shows_missing_end(outcome, route)):
            problem, want, got = differs
            tally.played.append(record_wrong_stream(tally, body_label, pieces, outcome, uncut.outcome))
            message = f"cut in another way ({way}), {problem}"
            tally.findings.append(
                make_finding(harness.corpus, rule, "", message, want=want, got=got, element="body", body=body_label)
            )
            reported.add(rule)
            if rule == _CUTS_RULE:
                break  # one finding is enough: the next would have the same cause
    return True


def _difference(
    outcome: Streamed | FailedOutcome, uncut: ClientStream, exchange: StreamedExchange
) -> tuple[str, Any, Any] | None:
    """The difference of an outcome from the uncut stream: a sentence, want and got; None if there is none."""
    if not isinstance(outcome, Streamed):
        return f"the translator {getattr(outcome, 'sentence', 'fails')}", "a stream", "an error"
    if outcome.raised is not None:
        return f"the translator {getattr(outcome.raised, 'sentence', 'refuses')}", "a stream", "an error"
    if outcome.data == uncut.outcome.data:
        return None  # equal bytes, as from most translators, need no reading
    received = ClientStream(exchange.route.client, outcome)
    if canonical(received.content) != canonical(uncut.content):
        return "the translator makes another reply", uncut.content, received.content
    state, uncut_state = received.state_from(exchange.stream), uncut.state_from(exchange.stream)
    return ("the provider's own state is damaged", uncut_state, state) if state != uncut_state else None


def _broken_rule(variant: str, transport: Mapping[str, Any]) -> str:
    """The rule that a difference under this variant breaks: a softer one for frames that the provider never sends."""
    end = cuts.LINE_ENDS.get(variant)
    if end is not None and end not in transport["line_ends"]:
        return "translation/stream-line-ends"
    return "translation/stream-comments" if variant == cuts.COMMENTS and not transport.get("comments") else _CUTS_RULE


def _shows_missing_end(outcome: object, route: Route) -> bool:
    """Whether the client's stream shows a missing end: an event without its blank line may be ignored."""
    return (
        not isinstance(outcome, Streamed)
        or outcome.raised is not None
        or ClientStream(route.client, outcome).assembled.end != "whole"
    )


def _stream_variants(stream: bytes, fineness: cuts.Fineness, *, plainly: bool) -> Iterable[tuple[str, cuts.Pieces]]:
    """The variants of cuts and frames of a stream; few variants of a short one are cached for the next route."""
    is_cached = len(stream) <= MAX_MEMOIZED_BYTES and fineness.cuts <= cuts.USUAL.cuts
    return _cached_variants(stream, fineness, plainly) if is_cached else _all_variants(stream, fineness, plainly)


@lru_cache(maxsize=8)
def _cached_variants(stream: bytes, fineness: cuts.Fineness, plainly: bool) -> tuple[tuple[str, cuts.Pieces], ...]:
    return tuple(_all_variants(stream, fineness, plainly))


def _all_variants(stream: bytes, fineness: cuts.Fineness, plainly: bool) -> Iterator[tuple[str, cuts.Pieces]]:
    for way, pieces in cuts.vary_cuts(stream, fineness.cuts):
        yield way, cuts.limit_pieces(pieces, fineness.pieces)
    for way, other in cuts.vary_framing(stream, plainly=plainly):
        yield way, (other,)


def play_cut_short(exchange: StreamedExchange, harness: Harness, tally: Tally) -> bool:
    """Play streams that break off: an open call must stay open, and the reply must not end as if it were whole."""
    route, body_label = exchange.route, exchange.name
    events = cuts.split_events(exchange.stream)
    fine = choose_fineness(harness, costly_pieces=exchange.costly_pieces)
    # A translator need not read beyond the end of a reply.
    before_end = bisect_left(range(len(events)), True, key=lambda count: _assemble(exchange, events[:count]).finished)
    for count in cuts.pick_evenly(range(before_end), fine.ends):
        source = _assemble(exchange, events[:count])
        for end in ("plain", "lost"):
            outcome = exchange.play(Source(events[:count], end))
            if isinstance(outcome, BlockedExchange):
                tally.block(outcome.operation, outcome.failure, body_label)
                return False
            how = "ended" if end == "plain" else "was lost"
            if _has_died(outcome):
                tally.played.append(record_wrong_stream(tally, body_label, events[:count], outcome))
                tally.fail("stream", outcome, f"{body_label}, which {how} after {count} of {len(events)} events")
                return True
            if not isinstance(outcome, Streamed):
                continue  # raising, like any other visible end, is allowed
            client = ClientStream(route.client, outcome)
            received = client.assembled
            if outcome.raised is not None:
                received = replace(received, end="failed")  # whatever was received, this is no proper end
            description = f"{how} after {count} of {len(events)} events"
            findings = harness.judge.stream_end(source, received, client.stream, route, description)
            if wrong := [replace(entry, body=body_label) for entry in findings]:
                tally.played.append(record_wrong_stream(tally, body_label, events[:count], outcome))
                tally.findings += wrong
                return True
    for count in cuts.pick_evenly(range(1, before_end), fine.failures):
        if not _client_learns_of_failure(exchange, events, count, harness, tally):
            break
    return True


def _assemble(exchange: StreamedExchange, events: cuts.Pieces) -> Assembled:
    return formats.assemble_bytes(exchange.route.upstream, b"".join(events))


def _client_learns_of_failure(
    exchange: StreamedExchange, events: cuts.Pieces, count: int, harness: Harness, tally: Tally
) -> bool:
    """Play the upstream's error event in the middle: the client must get an error, by an event or by raising."""
    failing_pieces = (*events[:count], dump([harness.corpus.transports[exchange.route.upstream]["stream"]["error"]]))
    outcome = exchange.play(Source(failing_pieces))
    if _has_died(outcome):
        tally.played.append(record_wrong_stream(tally, exchange.name, failing_pieces, outcome))
        tally.fail("stream", outcome, f"{exchange.name}, which failed after {count} of {len(events)} events")
        return False
    if not isinstance(outcome, Streamed) or outcome.raised is not None:
        return True
    how = f"failed after {count} of {len(events)} events"
    body_label = f"{exchange.name}, failed after {pluralize(count, 'event')}"
    judgement = judge_output(exchange, b"".join(failing_pieces), outcome, harness, tally, body_label, how)
    wrong = any(not finding.is_note for finding in judgement.findings)
    if wrong:
        tally.played.append(record_wrong_stream(tally, exchange.name, failing_pieces, outcome))
    return not wrong


def _has_died(outcome: Streamed | FailedOutcome | BlockedExchange) -> TypeGuard[FailedOutcome]:
    """Whether the translator hung, broke the protocol or died: no stream may end so, whatever its source."""
    return isinstance(outcome, (TimedOut, ProtocolError)) or (isinstance(outcome, Crashed) and outcome.died)


def _uncut_stream(outcome: object, route: Route, tally: Tally, body_label: str) -> ClientStream | None:
    """The client's stream for cuts between events; None, and a blocked item, if it fails."""
    if isinstance(outcome, BlockedExchange):
        tally.block(outcome.operation, outcome.failure, body_label)
    elif isinstance(outcome, Streamed) and outcome.raised is None:
        return ClientStream(route.client, outcome)
    else:
        tally.blocked = f"blocked: {body_label}: the stream fails however it is cut"
    return None
