"""The check ``otel``: an instrumentation's record of each exchange for OpenTelemetry, within one format."""

from __future__ import annotations

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, produced_body
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import Opened, Produced
from toolcall_conformance.library import Case, Exchange


def variants(case: Case, format_name: str) -> tuple[str, ...]:
    """The variants of a case in a format: the plain one if it has a reply, else none."""
    return ("",) if any(exchange.response is not None for exchange in case.exchanges(format_name)) else ()


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
    format_name = route.client
    for exchange in case.exchanges(format_name):
        if exchange.response is None:
            continue
        body_label = _body_label(exchange)
        outcome = opened.session.call("otel", exchange.request, exchange.response)
        source = {"request": exchange.request, "reply": exchange.response}
        tally.played.append(PlayedBodies(body_label, source, produced_body(outcome), None))
        if not isinstance(outcome, Produced):
            tally.fail("otel", outcome, body_label)
            break
        tally.add_side_effects("otel", outcome, body_label)
        tally.add_judgement(
            harness.judge.otel(format_name, exchange.request, exchange.response, outcome.value), body_label
        )
    return tally.result()


def _body_label(exchange: Exchange) -> str:
    return exchange.request_path.stem.replace("request", "otel")
