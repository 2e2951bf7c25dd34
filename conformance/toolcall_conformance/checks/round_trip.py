"""The check ``round_trip``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, PlayedBodies, Tally, answer
from toolcall_conformance.checks.golden_replies import rename_calls
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import Opened, Produced, SessionDriver
from toolcall_conformance.levels import weighed
from toolcall_conformance.library import Case, Exchange


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translates the last request and the replies with calls to the other format and back, and compares them."""
    del variant, other  # this check has one way to be played
    tally = Tally.of(harness, case, "round_trip")
    for direction, name, source, there, back in _trips(case, route, open_session, harness, tally):
        tally.played.append(PlayedBodies(name, source, back, source))
        own, through = (route.client, route.upstream) if direction == "request" else (route.upstream, route.client)
        found = harness.judge.round_trip(source, back, own=own, through=through, direction=direction).findings
        if found and not _seen_on_the_way(harness, route, direction, source, there, back):
            found = tuple(weighed(harness.corpus, finding, ["round-trip-only"]) for finding in found)
        tally.findings += [replace(finding, body=name) for finding in found]
    return tally.result()


Trip = tuple[str, str, Any, Any, Any]


def _trips(case: Case, route: Route, open_session: OpenSession, harness: Harness, tally: Tally) -> Iterator[Trip]:
    """Direction, name, body, its translation, and the translation back."""
    there = _opened(open_session, route, tally)
    home = _opened(open_session, _reverse(route), tally)
    if there is None or home is None:
        return
    exchanges = list(zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True))
    if there.own_history or home.own_history:
        exchanges = exchanges[:1]
    last, answered = exchanges[-1]
    sent = _step(there, "request", last.request, last.request_path.stem, tally)
    if sent is None:
        return
    there.finish_exchange(answer(answered))
    returned = _step(home, "request", sent, last.request_path.stem, tally)
    if returned is None:
        return
    home.finish_exchange(answer(last))
    yield "request", last.request_path.stem, last.request, sent, returned
    if "response" not in there.operations & home.operations:
        return
    for client, upstream in exchanges:
        if upstream.response is None or not formats.read(route.upstream, "response", upstream.response).calls:
            continue  # for text alone one translation is enough
        trip = _reply(client, upstream, route, open_session, harness, tally)
        if trip is None:
            return
        yield trip


def _reply(
    client: Exchange, upstream: Exchange, route: Route, open_session: OpenSession, harness: Harness, tally: Tally
) -> Trip | None:
    """Translate an upstream's reply for the client, then give it to a second translator as its upstream's reply."""
    name = upstream.response_path.stem
    body = upstream.response
    for way, asked, golden in ((route, client, upstream), (_reverse(route), upstream, client)):
        session = _opened(open_session, way, tally)
        sent = session and _step(session, "request", asked.request, asked.request_path.stem, tally)
        if session is None or sent is None:
            return None
        given = rename_calls(way.upstream, body, harness.judge.declared_names(golden.request, sent, way.upstream))
        body = _step(session, "response", given, name, tally)
        if body is None:
            return None
        if way is route:
            there = body
    return "response", name, upstream.response, there, body


def _seen_on_the_way(harness: Harness, route: Route, direction: str, source: Any, there: Any, back: Any) -> bool:
    """Whether one of the two translations breaks a MUST by itself."""
    for way, given, came in ((route, source, there), (_reverse(route), there, back)):
        judge = harness.judge.request if direction == "request" else harness.judge.response
        found = judge(given, came, way)
        if any(finding.is_must for finding in found.findings):
            return True
    return False


def _reverse(route: Route) -> Route:
    return Route(route.upstream, route.client, route.upstream_model, route.client_model, route.stream)


def _opened(open_session: OpenSession, route: Route, tally: Tally) -> SessionDriver | None:
    opened = open_session(route)
    if isinstance(opened, Opened):
        return opened.session
    tally.block("open", opened, "session")
    return None


def _step(session: SessionDriver, operation: str, body: Any, name: str, tally: Tally) -> Any:
    """What a call returns; None if it failed, which the other checks report."""
    outcome = getattr(session, operation)(body)
    if isinstance(outcome, Produced):
        return outcome.value
    tally.block(operation, outcome, name)
    return None


def variants(case: Case, client: str, upstream: str) -> tuple[str, ...]:
    """The plain variant between two different formats that we can read; a vendor's deviations do not survive it."""
    known = {client, upstream} <= set(formats.names())
    return ("",) if known and client != upstream and not {client, upstream} & case.dialects else ()
