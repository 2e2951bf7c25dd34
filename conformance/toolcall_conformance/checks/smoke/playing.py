"""Plays one plain call on a route, unstreamed and streamed, and an error of the provider; judges formats alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import cuts, parse
from toolcall_conformance.checks.base import provider_answer
from toolcall_conformance.checks.smoke.plainest import find_plainest
from toolcall_conformance.checks.smoke.report import Problem, RouteReport, describe_problem
from toolcall_conformance.drivers import (
    Driver,
    NoRoute,
    Opened,
    Produced,
    SessionDriver,
    Source,
    Streamed,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.base import OPERATIONS
from toolcall_conformance.library import Case, Corpus

ReportItem = Callable[[str], object]


def play_route(
    driver: Driver, corpus: Corpus, case: Case, route: Route, on_item: ReportItem
) -> tuple[RouteReport, bool]:
    """Play a case on a route; return the report, and whether a call hung."""
    report = RouteReport(str(route))
    on_item(item_id(case, "request", route))
    driver.begin_item(case.id)
    session = _open_session(driver, route, report)
    if session is None:
        return report, any("within" in problem.sentence for problem in report.problems)
    report.operations = tuple(name for name in OPERATIONS if name in session.operations)
    report.own_history = session.own_history
    if not report.operations:
        hint = "give it request(body), response(body), or exchange(body, upstream_url)"
        report.problems.append(Problem("the session that open returned has no operation", hint=hint))
        return report, False
    hung = _play_exchange(session, corpus, case, route, report, on_item)
    if not hung and not report.problems and report.unsupported is None:
        on_item(item_id(case, "stream", route))
        hung = _play_stream(driver, corpus, case, route, report)
    failing = find_plainest(corpus, route.client, route.upstream, failing=True)
    if hung or report.problems or failing is None or report.unsupported is not None:
        return report, hung
    if "error" not in session.operations:
        report.notes.append("no error(status, body): what it makes of the provider's errors is not judged")
        return report, False
    on_item(item_id(failing, "response", route))
    driver.begin_item(failing.id)
    again = _open_session(driver, route, report)
    if again is None:
        return report, False
    return report, _play_error(again, failing, route, report)


def _open_session(driver: Driver, route: Route, report: RouteReport) -> SessionDriver | None:
    opened = driver.open(route)
    if isinstance(opened, Opened):
        return opened.session
    if isinstance(opened, UnsupportedOutcome):
        report.unsupported = opened.reason
    else:
        report.problems.append(describe_problem("open", opened, ""))
    return None


def _play_exchange(
    session: SessionDriver, corpus: Corpus, case: Case, route: Route, report: RouteReport, on_item: ReportItem
) -> bool:
    """Play one request and its reply; return whether a call hung."""
    client_exchange, upstream_exchange = case.exchanges(route.client)[0], case.exchanges(route.upstream)[0]
    if "request" in session.operations:
        sent = session.request(client_exchange.request)
        if isinstance(sent, NoRoute):
            report.problems.append(Problem(f"the gateway {sent.reason}", hint=sent.hint))
            return False
        if isinstance(sent, UnsupportedOutcome):
            report.unsupported = sent.reason
            return False
        if not isinstance(sent, Produced):
            report.problems.append(describe_problem("request", sent, item_id(case, "request", route)))
            return isinstance(sent, TimedOut)
        _check_format(corpus, route, "request", client_exchange.request, sent, case, report)
        for flaw in sent.flaws:
            report.problems.append(Problem(flaw.sentence, item=item_id(case, "request", route)))
    if "response" in session.operations:
        on_item(item_id(case, "response", route))
        back = session.response(upstream_exchange.response)
        if isinstance(back, UnsupportedOutcome):
            report.notes.append(f"no responses ({back.reason or 'no reason given'}): they are not judged")
        elif not isinstance(back, Produced):
            report.problems.append(describe_problem("response", back, item_id(case, "response", route)))
            return isinstance(back, TimedOut)
        else:
            _check_format(corpus, route, "response", upstream_exchange.response, back, case, report)
    else:
        session.finish_exchange(provider_answer(upstream_exchange))
    return False


def _play_stream(driver: Driver, corpus: Corpus, case: Case, route: Route, report: RouteReport) -> bool:
    """Play the reply as a stream; return whether a call hung."""
    request, answered = case.exchanges(route.client)[0].request, case.exchanges(route.upstream)[0]
    if "stream" not in report.operations:
        report.notes.append("no stream(chunks): what it makes of streams is not judged")
        return False
    session = _open_session(driver, replace(route, stream=True), report) if answered.stream_path is not None else None
    if session is None:
        return False
    request = {**request, **corpus.transports[route.client]["stream"].get("body", {})}
    sent = session.request(request) if "request" in session.operations else None
    if isinstance(sent, NoRoute) and not sent.may_lack:
        report.problems.append(Problem(f"the gateway {sent.reason}", hint=sent.hint))
    if sent is not None and not isinstance(sent, Produced):
        return False  # the suite judges other requests
    source = Source(cuts.split_events(answered.stream()), reply=answered.response)
    outcome = session.stream(source)
    failure = outcome.raised if isinstance(outcome, Streamed) else outcome
    if isinstance(failure, UnsupportedOutcome):
        report.operations = tuple(name for name in report.operations if name != "stream")
        report.notes.append(f"streams are not judged: {failure.reason or 'no reason given'}")
    elif failure is not None:
        report.problems.append(describe_problem("stream", failure, item_id(case, "stream", route)))
    elif isinstance(outcome, Streamed) and not parse(outcome.data)["events"]:
        problem_text = f"the output has no events: {outcome.data[:60]!r}" if outcome.data else "there was no output"
        hint = (
            "take the upstream's bytes, and give the client's: events with their lines `data: …`, a blank "
            "line after each"
        )
        report.problems.append(Problem(f"stream: {problem_text}", hint=hint, item=item_id(case, "stream", route)))
    return isinstance(failure, TimedOut)


def _play_error(session: SessionDriver, case: Case, route: Route, report: RouteReport) -> bool:
    """Play an error of the provider; return whether a call hung."""
    client_exchange, upstream_exchange = case.exchanges(route.client)[0], case.exchanges(route.upstream)[0]
    if "request" in session.operations and not isinstance(session.request(client_exchange.request), Produced):
        return False  # the suite judges other requests
    outcome = session.error(upstream_exchange.error)
    if isinstance(outcome, UnsupportedOutcome):
        report.operations = tuple(name for name in report.operations if name != "error")
        report.notes.append(f"errors of the provider are not judged: {outcome.reason or 'no reason given'}")
    elif not isinstance(outcome, Produced):
        report.problems.append(describe_problem("error", outcome, item_id(case, "response", route)))
    return isinstance(outcome, TimedOut)


def _check_format(
    corpus: Corpus, route: Route, direction: str, source: Any, output: Produced, case: Case, report: RouteReport
) -> None:
    """Check only that the body has the right format; the suite judges the rest."""
    from toolcall_conformance.judge import Judge

    judge = Judge(corpus)
    judged = judge.request if direction == "request" else judge.response
    for finding in judged(source, output.value, route).findings:
        if finding.rule == "translation/target-format":
            report.problems.append(
                Problem(
                    f"{direction}: {finding.message}",
                    hint="route.client is the caller's format, route.upstream the provider's; request "
                    "translates towards the provider, response towards the client",
                    item=item_id(case, direction, route),
                )
            )


def item_id(case: Case, check: str, route: Route) -> str:
    """The id of an item, without the prefix that all share."""
    return f"{case.id}::{check}::{route}"
