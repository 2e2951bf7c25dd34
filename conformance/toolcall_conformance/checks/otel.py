"""The check ``otel``: what an instrumentation tells OpenTelemetry of each exchange, within one format."""

from __future__ import annotations

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, produced
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.drivers import Opened, Produced
from toolcall_conformance.library import Case, Exchange


def variants(case: Case, name: str) -> tuple[str, ...]:
    """How a case is played in a format: not at all without a reply."""
    return ("",) if any(exchange.response is not None for exchange in case.exchanges(name)) else ()


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Shows the session each request with its reply, and judges the GenAI messages that it makes of them."""
    del variant, other
    tally = Tally.of(harness, case, "otel", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.fail("open", opened, "")
        return tally.result()
    name = route.client
    for exchange in case.exchanges(name):
        if exchange.response is None:
            continue
        body = _name(exchange)
        outcome = opened.session.call("otel", exchange.request, exchange.response)
        source = {"request": exchange.request, "reply": exchange.response}
        tally.played.append(PlayedBodies(body, source, produced(outcome), None))
        if not isinstance(outcome, Produced):
            tally.fail("otel", outcome, body)
            break
        tally.observe("otel", outcome, body)
        tally.note(harness.judge.otel(name, exchange.request, exchange.response, outcome.value), body)
    return tally.result()


def _name(exchange: Exchange) -> str:
    return exchange.request_path.stem.replace("request", "otel")
