"""The check ``request``."""

from __future__ import annotations

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, produced_body, provider_answer
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import Opened, Produced
from toolcall_conformance.library import Case


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translates each exchange's client request and judges it as an upstream request."""
    del variant, other  # this check has one way to be played
    tally = Tally.of(harness, case, "request", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.fail("open", opened, "")
        return tally.result()
    exchanges = list(zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True))
    for client, golden in exchanges[:1] if opened.session.own_history else exchanges:
        body_label = client.request_path.stem
        outcome = opened.session.request(client.request)
        tally.played.append(PlayedBodies(body_label, client.request, produced_body(outcome), golden.request))
        opened.session.finish_exchange(provider_answer(golden))
        if not isinstance(outcome, Produced):
            tally.fail_request(
                outcome, body_label, client.request, may_refuse=harness.judge.may_refuse(route, client.request)
            )
            break
        tally.add_side_effects("request", outcome, body_label)
        tally.add_judgement(
            harness.judge.request(client.request, outcome.value, route, declared=outcome.losses), body_label
        )
    return tally.result()
