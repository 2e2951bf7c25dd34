"""The checks of recorded exchanges: the recorded bodies, and their translations. They need no golden.

They have the signature of the other checks (``checks.base.Check``). Before a reply the translator gets its request, in
the client's format (``asking``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.cassettes.asking import UNANSWERED, ask
from toolcall_conformance.cassettes.cases import RecordedCase
from toolcall_conformance.cassettes.drift import drift_findings, golden_of
from toolcall_conformance.cassettes.identify import Recorded
from toolcall_conformance.checks.base import Check, Failed, Harness, ItemResult, OpenSession, Tally, produced
from toolcall_conformance.checks.golden_replies import rename_calls, rename_calls_in_stream
from toolcall_conformance.checks.noting import noting
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.checks.streamed import ClientStream, said_in_streams
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import Opened, Produced, RaisedError, SessionDriver, Source, Streamed
from toolcall_conformance.findings import MISSING, Judgement
from toolcall_conformance.judge.given import Requests
from toolcall_conformance.levels import weighed
from toolcall_conformance.library import Case
from toolcall_conformance.streaming import cuts, parse


def wire(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Judge the recorded bodies by the schemas, rules and stream grammar of their own format."""
    del open_session, variant, other
    one = _recorded(case)
    tally = Tally.of(harness, case, "wire", route)
    bodies: list[tuple[str, Any]] = [("error", one.error), ("response", one.response)]
    if one.error is None:
        bodies.insert(0, ("request", one.request))  # the provider may have refused it with reason
    if one.stream is not None:
        bodies.append(("stream", parse(one.stream)))
    for direction, body in bodies:
        if body is None:
            continue
        found = harness.judge.body(route.upstream, direction, body, model=route.upstream_model).findings
        under = [] if one.official else ["unofficial-recording"]
        tally.findings += [weighed(harness.corpus, replace(finding, body=direction), under) for finding in found]
        tally.played.append(PlayedBodies(direction, body, MISSING, MISSING))
    return tally.result()


def drift(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Compare the answer with the goldens' shape: new members and events, other types, another order."""
    del open_session, variant, other
    tally = Tally.of(harness, case, "drift", route)
    one = _recorded(case)
    tally.findings += [replace(finding, body="reply") for finding in drift_findings(harness.corpus, one)]
    golden = golden_of(harness.corpus, one)
    if golden is not None and one.response is not None:  # reports show where the two differ, by path
        tally.played.append(PlayedBodies("reply", MISSING, one.response, golden.response))
    return tally.result()


def request(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translate the recorded request and judge it as an upstream request."""
    del variant, other
    one = _recorded(case)
    tally = Tally.of(harness, case, "request", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        _fail(tally, "open", opened, "")
        return tally.result()
    if _cannot_continue(opened.session, one, tally):
        return tally.result()
    outcome = opened.session.request(one.request)
    opened.session.finish_exchange(UNANSWERED)
    tally.played.append(PlayedBodies("request", one.request, produced(outcome), MISSING))
    if not isinstance(outcome, Produced):
        _fail(tally, "request", outcome, "request")
        return tally.result()
    tally.observe("request", outcome, "request")
    judgement = harness.judge.request(one.request, outcome.value, route, declared=outcome.losses, captured=True)
    tally.note(judgement, "request")
    return tally.result()


def response(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translate the recorded request, then its reply or error, and judge that as the client's."""
    del variant, other
    one = _recorded(case)
    tally = Tally.of(harness, case, "response", route)
    asked = ask(one.request, route, open_session, tally)
    if asked is None:
        return tally.result()
    name = "response" if one.error is None else "error"
    reply = one.response if one.error is None else one.error
    names = asked.names(harness.judge, one.request, route)
    if one.error is None:
        reply = rename_calls(route.upstream, reply, names)
    outcome = getattr(asked.session, name)(reply)
    if isinstance(outcome, RaisedError):
        tally.inapplicable = outcome.reason
        return tally.result()
    tally.played.append(PlayedBodies(name, reply, produced(outcome), MISSING))
    if not isinstance(outcome, Produced):
        _fail(tally, name, outcome, name)
        return tally.result()
    tally.observe(name, outcome, name)
    if name == "error":
        tally.note(harness.judge.error(reply, outcome.value, route), name)
    else:
        requests = asked.requests(names)
        tally.note(_judged(harness, case, route, reply, outcome.value, requests, outcome.losses), name)
    return tally.result()


def stream(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translate the recorded stream, and judge it as a client's stream and as a reply."""
    del variant, other
    one = _recorded(case)
    assert one.stream is not None
    tally = Tally.of(harness, case, "stream", route)
    patch = harness.corpus.transports[route.client]["stream"].get("body", {})
    asked = ask(one.request, replace(route, stream=True), open_session, tally, patch)
    if asked is None:
        return tally.result()
    names = asked.names(harness.judge, one.request, route)
    data = rename_calls_in_stream(one.stream, names, said_in_streams(harness, route))
    came = asked.session.stream(Source(cuts.split_events(data)))
    if not isinstance(came, Streamed):
        _fail(tally, "stream", came, "stream")
        return tally.result()
    heard, reply = ClientStream(route.client, came), formats.assembled(route.upstream, parse(data)).sent
    tally.played.append(PlayedBodies("stream", reply.body, heard.stream, MISSING, {"received.sse": came.data}))
    if came.raised is not None:
        _fail(tally, "stream", came.raised, "stream")
        return tally.result()
    own = harness.judge.body(route.client, "stream", heard.stream)
    tally.findings += [replace(found, body="stream") for found in own.findings]
    if reply.end == "whole":
        requests = asked.requests(names)
        judgement = _judged(harness, case, route, reply.body, heard.assembled.body, requests, came.losses)
        tally.note(judgement, "response")
    return tally.result()


def _judged(
    harness: Harness, case: Case, route: Route, reply: Any, output: Any, requests: Requests, declared: tuple[str, ...]
) -> Judgement:
    return harness.judge.response(
        reply,
        output,
        route,
        requests=requests,
        vendor=route.upstream in case.dialects,
        declared=declared,
        captured=True,
    )


def _fail(tally: Tally, operation: str, failed: Failed, body: str) -> None:
    """As for a case of the corpus, under the circumstance that the input was recorded."""
    tally.fail(operation, failed, body)
    tally.findings = [weighed(tally.corpus, one, ["recorded-input"]) for one in tally.findings]


def _cannot_continue(session: SessionDriver, one: Recorded, tally: Tally) -> bool:
    """Whether a session with its own history did not start the recorded conversation."""
    calls = formats.read(one.format, "request", one.request).calls
    if session.own_history and calls:
        tally.blocked = "blocked: the recorded request continues a conversation that this session did not start"
        return True
    return False


def _recorded(case: Case) -> Recorded:
    assert isinstance(case, RecordedCase)
    return case.recorded


ALONE = ("wire", "drift")
"""The checks of the recorded bodies themselves, which need no translator."""

REPLAYS: Mapping[str, Check] = MappingProxyType(
    {
        "wire": wire,
        "drift": drift,
        "request": noting(request),
        "response": noting(response),
        "stream": noting(stream),
    }
)


def needs(case: RecordedCase, check: str) -> frozenset[str]:
    """The operations that a check of an exchange needs; those of the bodies alone need none."""
    if check in ALONE:
        return frozenset()
    return frozenset({"error"} if check == "response" and case.recorded.error is not None else {check})


def plays(case: RecordedCase, check: str, client: str, upstream: str) -> bool:
    """Whether an exchange has what the check needs on this route."""
    one = case.recorded
    if check in ALONE:
        return client == upstream == one.format and (check == "wire" or one.error is None)
    if check == "request":
        return client == one.format and one.error is None
    if upstream != one.format:
        return False
    return one.stream is not None if check == "stream" else one.stream is None
