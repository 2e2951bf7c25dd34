"""The check ``round_trip``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, provider_answer
from toolcall_conformance.checks.conversation.golden_replies import rename_calls
from toolcall_conformance.checks.conversation.shorter_requests import shorter_requests
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import FailedOutcome, Opened, Produced, SessionDriver
from toolcall_conformance.judge.consequences import consequence_table
from toolcall_conformance.judge.context import UNKNOWN_REQUESTS, Requests
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.judge.excuses.unread_notations import unread_spelling
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.library import Case, Exchange


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translates the last request and the replies with calls to the other format and back, and compares them."""
    del variant, other  # this check has one way to be played
    tally = Tally.of(harness, case, "round_trip", route)
    for trip in _play_trips(case, route, open_session, harness, tally):
        tally.played.append(PlayedBodies(trip.body_label, trip.source, trip.way_back.output, trip.source))
        tally.played.append(PlayedBodies(f"{trip.body_label}-between", trip.source, trip.translation.output, MISSING))
        tally.findings += _judge_trip(trip, route, harness)
    return tally.result()


@dataclass(frozen=True, slots=True)
class _Translation:
    """One translation of a round trip; ``requests`` are those before a reply."""

    source: Any
    output: Any
    requests: Requests = UNKNOWN_REQUESTS


@dataclass(frozen=True, slots=True)
class _Trip:
    """A body, its translation, and the translation back."""

    direction: str
    body_label: str
    source: Any
    translation: _Translation
    way_back: _Translation


@dataclass(frozen=True, slots=True)
class _Stopped:
    """A round trip that ended with the ``failure`` of a ``request`` on a ``route``."""

    failure: FailedOutcome
    request: Any
    route: Route


def _judge_trip(trip: _Trip, route: Route, harness: Harness) -> Iterator[Finding]:
    """The findings on a round trip; each says which translation caused it, and has the body between the two."""
    is_request = trip.direction == "request"
    own, through = (route.client, route.upstream) if is_request else (route.upstream, route.client)
    source, back = trip.source, trip.way_back.output
    judgement = harness.judge.round_trip(source, back, own=own, through=through, direction=trip.direction)
    if not judgement.findings:
        return
    ways = {
        f"on the way {'up' if is_request else 'down'}, {route}": _judge_translation(
            trip.translation, route, is_request, harness
        ),
        f"on the way back, {_reverse(route)}": _judge_translation(trip.way_back, _reverse(route), is_request, harness),
    }
    spellings = [(finding.rule, unread_spelling(through, finding)) for finding in [*ways.values()][1]]
    table = consequence_table(harness.corpus)
    for finding in judgement.findings:
        causes = {finding.rule, *(rule for rule, _ in table.causes_of(finding.rule, way_back=True))}
        finding = _take_translation_rule(
            finding, [must for musts in ways.values() for must in musts if must.rule in causes]
        )
        rules_by_way = {way: [must.rule for must in musts if must.rule in causes] for way, musts in ways.items()}
        spelled = next((spelling for rule, spelling in spellings if rule == finding.rule and spelling), "")
        notes = [
            _blame(finding.rule, rules_by_way, [way for way, musts in ways.items() if musts]),
            f"the body between is {trip.body_label}-between",
            *filter(None, [spelled.replace("source", "body")]),
        ]
        message = f"{finding.message} ({'; '.join(notes)})"
        finding = replace(finding, body=trip.body_label, message=message, between=trip.translation.output)
        yield apply_circumstances(harness.corpus, finding, [] if any(rules_by_way.values()) else ["round-trip-only"])


def _judge_translation(translation: _Translation, route: Route, is_request: bool, harness: Harness) -> list[Finding]:
    """The MUSTs that one translation breaks by itself."""
    judge = harness.judge
    if is_request:
        judgement = judge.request(translation.source, translation.output, route)
    else:
        judgement = judge.response(translation.source, translation.output, route, requests=translation.requests)
    return [finding for finding in judgement.findings if finding.is_must]


def _take_translation_rule(finding: Finding, causes: Sequence[Finding]) -> Finding:
    """The finding, with the rule and message of a translation's own finding on the same subject, if there is one."""
    if not finding.subject or any(cause.rule == finding.rule for cause in causes):
        return finding
    about = (finding.subject, finding.element)
    same = next((cause for cause in causes if (cause.subject, cause.element) == about), None)
    return finding if same is None else replace(finding, rule=same.rule, message=same.message)


def _blame(rule: str, rules_by_way: Mapping[str, Sequence[str]], guilty: Sequence[str]) -> str:
    """The translation to blame, in words: one that breaks the same ``rule`` itself, else one that breaks a cause of it.

    ``rules_by_way`` are such rules by translation. Other broken MUSTs (``guilty``) are only a hint.
    """
    if alike := [way for way, rules in rules_by_way.items() if rule in rules]:
        return " and ".join(alike)
    if causes := [f"{way}: {rules[0]}" for way, rules in rules_by_way.items() if rules]:
        return " and ".join(causes)
    if guilty:
        return f"neither way breaks this rule by itself; other MUSTs broke {' and '.join(guilty)}"
    return "only both translations together break it: neither breaks a MUST by itself"


def _play_trips(case: Case, route: Route, open_session: OpenSession, harness: Harness, tally: Tally) -> Iterator[_Trip]:
    session = _open_session(open_session, route, tally)
    session_back = _open_session(open_session, _reverse(route), tally)
    if session is None or session_back is None:
        return
    # Whole requests: what a client only names, the provider at the other end does not hold.
    clients = whole_exchanges(route.client, case.exchanges(route.client))
    upstreams = whole_exchanges(route.upstream, case.exchanges(route.upstream))
    exchanges = list(zip(clients, upstreams, strict=True))
    if session.own_history or session_back.own_history:
        exchanges = exchanges[:1]
    request_trip = _play_request(*exchanges[-1], session, session_back, route, harness, tally)
    if request_trip is None:
        return
    yield request_trip
    if "response" not in session.operations & session_back.operations:
        return
    if not case.replies(route.client, route.upstream) or not case.replies(route.upstream, route.client):
        return
    for client, upstream in exchanges:
        if upstream.response is None or not formats.read(route.upstream, "response", upstream.response).calls:
            continue  # for text alone one translation is enough
        trip = _play_reply(client, upstream, route, open_session, harness, tally)
        if trip is None:
            return
        yield trip


def _play_request(
    client: Exchange,
    upstream: Exchange,
    session: SessionDriver,
    session_back: SessionDriver,
    route: Route,
    harness: Harness,
    tally: Tally,
) -> _Trip | None:
    """Translate a client's request for the upstream, and the result back."""
    body_label = client.request_path.stem

    def played(body: Any) -> _Trip | _Stopped:
        sent = session.request(body)
        if not isinstance(sent, Produced):
            return _Stopped(sent, body, route)
        session.finish_exchange(provider_answer(upstream))
        returned = session_back.request(sent.value)
        if not isinstance(returned, Produced):
            return _Stopped(returned, sent.value, _reverse(route))
        session_back.finish_exchange(provider_answer(client))
        return _Trip(
            "request", body_label, body, _Translation(body, sent.value), _Translation(sent.value, returned.value)
        )

    trip = played(client.request)
    if isinstance(trip, _Trip):
        return trip
    failure = trip.failure
    for omissions, body in shorter_requests(tally.corpus, route.client, client.request, failure):
        shorter = played(body)
        if isinstance(shorter, _Trip):
            tally.go_on_without(omissions, failure, body_label, trip.request, trip.route)
            return shorter
    tally.block("request", failure, body_label, may_refuse=harness.judge.may_refuse(route, client.request))
    return None


def _play_reply(
    client: Exchange, upstream: Exchange, route: Route, open_session: OpenSession, harness: Harness, tally: Tally
) -> _Trip | None:
    """Translate an upstream's reply for the client, then the result as the upstream's reply of the reversed route."""
    body_label = upstream.response_path.stem
    reply, ways = upstream.response, []
    for way, exchange, golden in ((route, client, upstream), (_reverse(route), upstream, client)):
        session = _open_session(open_session, way, tally)
        sent = session and _send_request(session, exchange, way, harness, tally)
        if session is None or sent is None:
            return None
        if tally.skip_impossible_reply(reply, exchange.request, sent, way):
            session.finish_exchange(provider_answer(golden))
            return None
        names = harness.judge.declared_names(golden.request, sent, way.upstream)
        source = rename_calls(way.upstream, reply, names)
        outcome = session.response(source)
        if not isinstance(outcome, Produced):
            tally.block("response", outcome, body_label)  # the other checks report it
            return None
        ways.append(_Translation(source, outcome.value, Requests(exchange.request, sent)))
        reply = outcome.value
    return _Trip("response", body_label, upstream.response, *ways)


def _send_request(session: SessionDriver, exchange: Exchange, route: Route, harness: Harness, tally: Tally) -> Any:
    """Translate the request before a reply and return the result; None, and a blocked item, if that fails."""
    request, body_label = exchange.request, exchange.request_path.stem
    outcome = session.request(request)
    if isinstance(outcome, Produced):
        return outcome.value
    for omissions, shorter in shorter_requests(tally.corpus, route.client, request, outcome):
        again = session.request(shorter)
        if isinstance(again, Produced):
            tally.go_on_without(omissions, outcome, body_label, request, route)
            return again.value
    tally.block("request", outcome, body_label, may_refuse=harness.judge.may_refuse(route, request))
    return None


def _reverse(route: Route) -> Route:
    return Route(route.upstream, route.client, route.upstream_model, route.client_model, route.stream)


def _open_session(open_session: OpenSession, route: Route, tally: Tally) -> SessionDriver | None:
    opened = open_session(route)
    if isinstance(opened, Opened):
        return opened.session
    tally.block("open", opened, "session")
    return None


def variants(case: Case, client: str, upstream: str) -> tuple[str, ...]:
    """The plain variant between two different formats that we can read; a vendor's deviations do not survive it."""
    are_readable = {client, upstream} <= set(formats.names())
    return ("",) if are_readable and client != upstream and not {client, upstream} & case.dialects else ()
