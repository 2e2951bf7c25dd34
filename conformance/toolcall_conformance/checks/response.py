"""The check ``response``."""

from __future__ import annotations

from dataclasses import replace

from toolcall_conformance.checks.base import ItemResult, Judges, OpenSession, Played, Tally, produced
from toolcall_conformance.checks.upstream import as_declared
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import Opened, Produced
from toolcall_conformance.library import Case


def run(
    case: Case, route: Route, open_session: OpenSession, judges: Judges, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Each exchange's upstream reply is translated, after its request was, and judged as a client reply."""
    del variant, other  # this check has one way to be played
    tally = Tally.of(case, "response")
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.block("open", opened, "session")
        return tally.result()
    session = opened.session
    exchanges = list(zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True))
    for client, upstream in exchanges[:1] if session.own_history else exchanges:
        sent, reply = None, upstream.response
        if "request" in session.operations:
            asked = session.request(client.request)
            if not isinstance(asked, Produced):
                tally.block("request", asked, client.request_path.stem)
                break
            sent = asked.value
            declared = judges.names(upstream.request, sent, upstream=route.upstream)
            reply = as_declared(route.upstream, upstream.response, declared)
        body = upstream.response_path.stem
        outcome = session.response(reply)
        tally.played.append(Played(body, reply, produced(outcome), client.response))
        if not isinstance(outcome, Produced):
            tally.fail("response", outcome, body)
            break
        if outcome.mutated:
            tally.mutated("response", body)
        found = judges.body(
            reply,
            outcome.value,
            client=route.client,
            upstream=route.upstream,
            direction="response",
            upstream_model=route.upstream_model,
            client_model=route.client_model,
            request=client.request,
            upstream_request=sent,
        )
        tally.findings += [replace(finding, body=body) for finding in found]
    return tally.result()
