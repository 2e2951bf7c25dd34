"""The check ``response``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, PlayedBodies, Tally, produced
from toolcall_conformance.checks.golden_replies import rename_calls
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import Opened, Produced, SessionDriver
from toolcall_conformance.judge.given import Requests
from toolcall_conformance.library import Case, Exchange


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translates each exchange's upstream reply or error, after its request, and judges it as the client's."""
    del variant, other  # this check has one way to be played
    tally = Tally.of(harness, case, "response")
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.block("open", opened, "session")
        return tally.result()
    session = opened.session
    exchanges = list(zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True))
    for client, upstream in exchanges[:1] if session.own_history else exchanges:
        if upstream.error is not None:
            if not _ask(session, client, tally) or not _judge_error(session, client, upstream, route, harness, tally):
                break
            if upstream.response is None:
                continue
        sent = _ask(session, client, tally)
        if not sent:
            break
        reply = upstream.response
        if sent.value is not None:
            declared = harness.judge.declared_names(upstream.request, sent.value, route.upstream)
            reply = rename_calls(route.upstream, upstream.response, declared)
        body = upstream.response_path.stem
        outcome = session.response(reply)
        tally.played.append(PlayedBodies(body, reply, produced(outcome), client.response))
        if not isinstance(outcome, Produced):
            tally.fail("response", outcome, body)
            break
        tally.observe("response", outcome, body)
        judgement = harness.judge.response(
            reply,
            outcome.value,
            route,
            requests=Requests(client.request, sent.value),
            vendor=route.upstream in case.dialects,
            declared=outcome.losses,
        )
        tally.note(judgement, body)
    return tally.result()


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request that went upstream; ``value`` is None for a translator of replies alone."""

    value: Any = None


def _ask(session: SessionDriver, client: Exchange, tally: Tally) -> _Sent | None:
    """Send the request that comes before a reply; None if that failed, which blocks the reply."""
    if "request" not in session.operations:
        return _Sent()
    asked = session.request(client.request)
    if isinstance(asked, Produced):
        return _Sent(asked.value)
    tally.block("request", asked, client.request_path.stem)
    return None


def _judge_error(
    session: SessionDriver, client: Exchange, upstream: Exchange, route: Route, harness: Harness, tally: Tally
) -> bool:
    """Give the session the provider's error and judge the client's; False if none came."""
    body = upstream.error_path.stem if upstream.error_path is not None else ""
    outcome = session.error(upstream.error)
    tally.played.append(PlayedBodies(body, upstream.error, produced(outcome), client.error))
    if not isinstance(outcome, Produced):
        tally.fail("error", outcome, body)
        return False
    tally.observe("error", outcome, body)
    tally.note(harness.judge.error(upstream.error, outcome.value, route), body)
    return True
