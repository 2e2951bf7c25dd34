"""The checks of recorded exchanges: the recorded bodies, and their translations. They need no golden.

They have the signature of the other checks (``checks.base.Check``). Before a reply the translator gets its request, in
the client's format (``earlier_request``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Judgement
from toolcall_conformance.basics.streaming import cuts, parse
from toolcall_conformance.checks.base import Check, Harness, ItemResult, OpenSession, Tally, produced_body
from toolcall_conformance.checks.check_wrappers import record_made_up
from toolcall_conformance.checks.conversation.golden_replies import rename_calls, rename_calls_in_stream
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.checks.streams.exchange import ClientStream, stream_transport
from toolcall_conformance.drivers import FailedOutcome, Opened, Produced, RaisedError, SessionDriver, Source, Streamed
from toolcall_conformance.judge.context import Requests
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.library import Case
from toolcall_conformance.recording.cassettes.cases import RecordedCase
from toolcall_conformance.recording.cassettes.interactions import RecordedExchange
from toolcall_conformance.recording.cassettes.replay.drift import drift_findings, golden_of
from toolcall_conformance.recording.cassettes.replay.earlier_request import UNANSWERED, send_recorded


def wire(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Judge the recorded bodies by the schemas, rules and stream grammar of their own format."""
    del open_session, variant, other
    recording = _recorded_exchange(case)
    tally = Tally.of(harness, case, "wire", route)
    bodies: list[tuple[str, Any]] = [("error", recording.error), ("response", recording.response)]
    if recording.error is None:
        bodies.insert(0, ("request", recording.request))  # the provider may have refused it with reason
    if recording.stream is not None:
        bodies.append(("stream", parse(recording.stream)))
    for direction, body in bodies:
        if body is None:
            continue
        findings = harness.judge.body(route.upstream, direction, body, model=route.upstream_model).findings
        under = [] if recording.official else ["unofficial-recording"]
        tally.findings += [
            apply_circumstances(harness.corpus, replace(finding, body=direction), under) for finding in findings
        ]
        tally.played.append(PlayedBodies(direction, body, MISSING, MISSING))
    return tally.result()


def drift(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Compare the answer with the goldens' shape: new members and events, other types, another order."""
    del open_session, variant, other
    tally = Tally.of(harness, case, "drift", route)
    recording = _recorded_exchange(case)
    tally.findings += [replace(finding, body="reply") for finding in drift_findings(harness.corpus, recording)]
    golden = golden_of(harness.corpus, recording)
    if golden is not None and recording.response is not None:  # reports show where the two differ, by path
        tally.played.append(PlayedBodies("reply", MISSING, recording.response, golden.response))
    return tally.result()


def request(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translate the recorded request and judge it as an upstream request."""
    del variant, other
    recording = _recorded_exchange(case)
    tally = Tally.of(harness, case, "request", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        _fail(tally, "open", opened, "")
        return tally.result()
    if _cannot_continue(opened.session, recording, tally):
        return tally.result()
    outcome = opened.session.request(recording.request)
    opened.session.finish_exchange(UNANSWERED)
    tally.played.append(PlayedBodies("request", recording.request, produced_body(outcome), MISSING))
    if not isinstance(outcome, Produced):
        _fail(tally, "request", outcome, "request")
        return tally.result()
    tally.add_side_effects("request", outcome, "request")
    judgement = harness.judge.request(recording.request, outcome.value, route, declared=outcome.losses, captured=True)
    tally.add_judgement(judgement, "request")
    return tally.result()


def response(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translate the recorded request, then its reply or error, and judge that as the client's."""
    del variant, other
    recording = _recorded_exchange(case)
    tally = Tally.of(harness, case, "response", route)
    conversation = send_recorded(recording.request, route, open_session, tally)
    if conversation is None:
        return tally.result()
    name = "response" if recording.error is None else "error"
    reply = recording.response if recording.error is None else recording.error
    names = conversation.names(harness.judge, recording.request, route)
    if recording.error is None:
        reply = rename_calls(route.upstream, reply, names)
    outcome = getattr(conversation.session, name)(reply)
    if isinstance(outcome, RaisedError):
        tally.inapplicable = outcome.reason
        return tally.result()
    tally.played.append(PlayedBodies(name, reply, produced_body(outcome), MISSING))
    if not isinstance(outcome, Produced):
        _fail(tally, name, outcome, name)
        return tally.result()
    tally.add_side_effects(name, outcome, name)
    if name == "error":
        tally.add_judgement(harness.judge.error(reply, outcome.value, route), name)
    else:
        requests = conversation.requests(names)
        tally.add_judgement(_judge_reply(harness, case, route, reply, outcome.value, requests, outcome.losses), name)
    return tally.result()


def stream(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translate the recorded stream, and judge it as a client's stream and as a reply."""
    del variant, other
    recording = _recorded_exchange(case)
    assert recording.stream is not None
    tally = Tally.of(harness, case, "stream", route)
    patch = harness.corpus.transports[route.client]["stream"].get("body", {})
    conversation = send_recorded(recording.request, replace(route, stream=True), open_session, tally, patch)
    if conversation is None:
        return tally.result()
    names = conversation.names(harness.judge, recording.request, route)
    data = rename_calls_in_stream(recording.stream, names, stream_transport(harness, route))
    outcome = conversation.session.stream(Source(cuts.split_events(data)))
    if not isinstance(outcome, Streamed):
        _fail(tally, "stream", outcome, "stream")
        return tally.result()
    received, reply = ClientStream(route.client, outcome), formats.assemble(route.upstream, parse(data)).as_sent
    tally.played.append(PlayedBodies("stream", reply.body, received.stream, MISSING, {"received.sse": outcome.data}))
    if outcome.raised is not None:
        _fail(tally, "stream", outcome.raised, "stream")
        return tally.result()
    body_judgement = harness.judge.body(route.client, "stream", received.stream)
    tally.findings += [replace(finding, body="stream") for finding in body_judgement.findings]
    if reply.end == "whole":
        requests = conversation.requests(names)
        judgement = _judge_reply(harness, case, route, reply.body, received.assembled.body, requests, outcome.losses)
        tally.add_judgement(judgement, "response")
    return tally.result()


def _judge_reply(
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


def _fail(tally: Tally, operation: str, failure: FailedOutcome, body: str) -> None:
    """As for a case of the corpus, under the circumstance that the input was recorded."""
    tally.fail(operation, failure, body)
    tally.findings = [apply_circumstances(tally.corpus, finding, ["recorded-input"]) for finding in tally.findings]


def _cannot_continue(session: SessionDriver, recording: RecordedExchange, tally: Tally) -> bool:
    """Whether a session with its own history did not start the recorded conversation."""
    calls = formats.read(recording.format, "request", recording.request).calls
    if session.own_history and calls:
        tally.blocked = "blocked: the recorded request continues a conversation that this session did not start"
        return True
    return False


def _recorded_exchange(case: Case) -> RecordedExchange:
    assert isinstance(case, RecordedCase)
    return case.recorded


ALONE = ("wire", "drift")
"""The checks of the recorded bodies themselves, which need no translator."""

REPLAYS: Mapping[str, Check] = MappingProxyType(
    {
        "wire": wire,
        "drift": drift,
        "request": record_made_up(request),
        "response": record_made_up(response),
        "stream": record_made_up(stream),
    }
)


def needs(case: RecordedCase, check: str) -> frozenset[str]:
    """The operations that a check of an exchange needs; those of the bodies alone need none."""
    if check in ALONE:
        return frozenset()
    return frozenset({"error"} if check == "response" and case.recorded.error is not None else {check})


def plays(case: RecordedCase, check: str, client: str, upstream: str) -> bool:
    """Whether an exchange has what the check needs on this route."""
    recording = case.recorded
    if check in ALONE:
        return client == upstream == recording.format and (check == "wire" or recording.error is None)
    if check == "request":
        return client == recording.format and recording.error is None
    if upstream != recording.format:
        return False
    return recording.stream is not None if check == "stream" else recording.stream is None
