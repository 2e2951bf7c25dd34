"""Tries a translator: does its adapter work, and what does it declare? Plays one plain call on every route.

If the session has the operations, it also plays the reply as a stream, and an error of the provider. Where all that
works, it judges the whole conversation around that call as pytest does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from toolcall_conformance.checks import CHECKS, Harness, needs
from toolcall_conformance.checks.base import Failed, answer
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Driver,
    Misdirected,
    NoRoute,
    Opened,
    Produced,
    ProtocolError,
    RefusedOutcome,
    SessionDriver,
    Source,
    Streamed,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.base import OPERATIONS
from toolcall_conformance.findings import failing as failing_of
from toolcall_conformance.jsonvalue import canonical
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.streaming import cuts, parse


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not work: ``what`` is a sentence, ``where`` a place if known, ``hint`` what to do next.

    ``rule`` is the broken one, where the adapter works and what it makes is wrong; ``check`` is what showed it.
    """

    what: str
    where: str = ""
    hint: str = ""
    item: str = ""
    rule: str = ""
    check: str = ""


@dataclass(slots=True)
class RouteReport:
    """The result of a route. ``unsupported`` is the translator's reason if it does not support the route.

    ``wrong`` is what it translates wrongly, though the adapter works.
    """

    route: str
    operations: tuple[str, ...] = ()
    own_history: bool = False
    unsupported: str | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    wrong: list[Problem] = field(default_factory=list)


Tell = Callable[[str], object]


def try_routes(driver: Driver, corpus: Corpus, tell: Tell = lambda _nodeid: None) -> Iterator[RouteReport]:
    """Play one plain call, unstreamed and streamed, and an error of the provider on each route; judge what works.

    ``tell`` is given the id of the item that has what is played now. Stops after a call that did not return: it would
    probably hang on every route.
    """
    harness = _harness(corpus)
    for client in corpus.formats:
        for upstream in corpus.formats:
            case = _plainest(corpus, client, upstream, failing=False)
            if case is None:
                continue
            route = Route(client, upstream, case.model(client), case.model(upstream))
            report, hung = _try_route(driver, corpus, case, route, tell)
            driver.end_item()
            if not hung and not report.problems and report.unsupported is None:
                _judge(driver, harness, case, route, report, tell)
            yield report
            if hung:
                return


def _harness(corpus: Corpus) -> Harness:
    from toolcall_conformance.judge import CachingJudge

    return Harness(CachingJudge(corpus))


def _judge(driver: Driver, harness: Harness, case: Case, route: Route, report: RouteReport, tell: Tell) -> None:
    """Judge the whole conversation in every check that applies."""
    for check in ("request", "response", "stream"):
        if not needs(check, case, route.upstream) <= set(report.operations):
            continue
        tell(_item(case, check, route))
        driver.begin_item(case.id)
        try:
            result = CHECKS[check](case, route, driver.open, harness, "", None)
        finally:
            driver.end_item()
        told: set[str] = set()
        for found in failing_of(result.findings):
            if found.rule not in told:
                told.add(found.rule)
                item = _item(case, check, route)
                hint = f"toolcall-conformance explain {found.rule}"
                report.wrong.append(Problem(found.message, found.pointer, hint, item, found.rule, check))


def _item(case: Case, check: str, route: Route) -> str:
    """The id of an item, without the word that all begin with."""
    return f"{case.id}::{check}::{route}"


def _try_route(driver: Driver, corpus: Corpus, case: Case, route: Route, tell: Tell) -> tuple[RouteReport, bool]:
    report = RouteReport(str(route))
    tell(_item(case, "request", route))
    driver.begin_item(case.id)
    session = _open_session(driver, route, report)
    if session is None:
        return report, any("within" in problem.what for problem in report.problems)
    report.operations = tuple(name for name in OPERATIONS if name in session.operations)
    report.own_history = session.own_history
    if not report.operations:
        hint = "give it request(body), response(body), or exchange(body, upstream_url)"
        report.problems.append(Problem("the session that open returned has no operation", hint=hint))
        return report, False
    hung = _play_exchange(session, corpus, case, route, report, tell)
    if not hung and not report.problems and report.unsupported is None:
        tell(_item(case, "stream", route))
        hung = _play_stream(driver, corpus, case, route, report)
    failing = _plainest(corpus, route.client, route.upstream, failing=True)
    if hung or report.problems or failing is None or report.unsupported is not None:
        return report, hung
    if "error" not in session.operations:
        report.notes.append("no error(status, body): what it makes of the provider's errors is not judged")
        return report, False
    tell(_item(failing, "response", route))
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
        report.problems.append(_describe_failure("open", opened, ""))
    return None


def _play_exchange(
    session: SessionDriver, corpus: Corpus, case: Case, route: Route, report: RouteReport, tell: Tell
) -> bool:
    """Play one request and its reply; return whether a call hung."""
    asked, given = case.exchanges(route.client)[0], case.exchanges(route.upstream)[0]
    if "request" in session.operations:
        sent = session.request(asked.request)
        if isinstance(sent, NoRoute):
            report.problems.append(Problem(f"the gateway {sent.reason}", hint=sent.hint))
            return False
        if isinstance(sent, UnsupportedOutcome):
            report.unsupported = sent.reason
            return False
        if not isinstance(sent, Produced):
            report.problems.append(_describe_failure("request", sent, _item(case, "request", route)))
            return isinstance(sent, TimedOut)
        _check_format(corpus, route, "request", asked.request, sent, case, report)
        for flaw in sent.flaws:
            report.problems.append(Problem(flaw.sentence, item=_item(case, "request", route)))
    if "response" in session.operations:
        tell(_item(case, "response", route))
        back = session.response(given.response)
        if isinstance(back, UnsupportedOutcome):
            report.notes.append(f"no responses ({back.reason or 'no reason given'}): they are not judged")
        elif not isinstance(back, Produced):
            report.problems.append(_describe_failure("response", back, _item(case, "response", route)))
            return isinstance(back, TimedOut)
        else:
            _check_format(corpus, route, "response", given.response, back, case, report)
    else:
        session.finish_exchange(answer(given))
    return False


def _play_stream(driver: Driver, corpus: Corpus, case: Case, route: Route, report: RouteReport) -> bool:
    """Play the reply as a stream; return whether a call hung."""
    asked, path = case.exchanges(route.client)[0].request, case.exchanges(route.upstream)[0].stream_path
    if "stream" not in report.operations:
        report.notes.append("no stream(chunks): what it makes of streams is not judged")
        return False
    session = _open_session(driver, replace(route, stream=True), report) if path is not None else None
    if session is None or path is None:
        return False
    asked = {**asked, **corpus.transports[route.client]["stream"].get("body", {})}
    sent = session.request(asked) if "request" in session.operations else None
    if isinstance(sent, NoRoute) and not sent.may_lack:
        report.problems.append(Problem(f"the gateway {sent.reason}", hint=sent.hint))
    if sent is not None and not isinstance(sent, Produced):
        return False  # the suite judges other requests
    source = Source(cuts.split_events(path.read_bytes()), reply=case.exchanges(route.upstream)[0].response)
    outcome = session.stream(source)
    failed = outcome.raised if isinstance(outcome, Streamed) else outcome
    if isinstance(failed, UnsupportedOutcome):
        report.operations = tuple(name for name in report.operations if name != "stream")
        report.notes.append(f"streams are not judged: {failed.reason or 'no reason given'}")
    elif failed is not None:
        report.problems.append(_describe_failure("stream", failed, _item(case, "stream", route)))
    elif isinstance(outcome, Streamed) and not parse(outcome.data)["events"]:
        said = f"the output has no events: {outcome.data[:60]!r}" if outcome.data else "nothing came out"
        hint = (
            "take the upstream's bytes, and give the client's: events with their lines `data: …`, a blank line behind"
        )
        report.problems.append(Problem(f"stream: {said}", hint=hint, item=_item(case, "stream", route)))
    return isinstance(failed, TimedOut)


def _play_error(session: SessionDriver, case: Case, route: Route, report: RouteReport) -> bool:
    """Play an error of the provider; return whether a call hung."""
    asked, given = case.exchanges(route.client)[0], case.exchanges(route.upstream)[0]
    if "request" in session.operations and not isinstance(session.request(asked.request), Produced):
        return False  # the suite judges other requests
    outcome = session.error(given.error)
    if isinstance(outcome, UnsupportedOutcome):
        report.operations = tuple(name for name in report.operations if name != "error")
        report.notes.append(f"errors of the provider are not judged: {outcome.reason or 'no reason given'}")
    elif not isinstance(outcome, Produced):
        report.problems.append(_describe_failure("error", outcome, _item(case, "response", route)))
    return isinstance(outcome, TimedOut)


def _check_format(
    corpus: Corpus, route: Route, direction: str, source: Any, made: Produced, case: Case, report: RouteReport
) -> None:
    """Check only that the body has the right format; the suite judges the rest."""
    from toolcall_conformance.judge import Judge

    judge = Judge(corpus)
    judged = judge.request if direction == "request" else judge.response
    for finding in judged(source, made.value, route).findings:
        if finding.rule == "translation/target-format":
            report.problems.append(
                Problem(
                    f"{direction}: {finding.message}",
                    hint="route.client is what the caller speaks, route.upstream what the provider speaks; "
                    "request goes up, response comes down",
                    item=_item(case, direction, route),
                )
            )


def _describe_failure(operation: str, failed: Failed, item: str) -> Problem:
    """Describe an outcome as a compiler would."""
    match failed:
        case RefusedOutcome(reason):
            what = f"{operation} refused the plainest exchange: {reason or 'no reason given'}"
            return Problem(what, hint="a route that is never done is Unsupported, raised from open", item=item)
        case UnsupportedOutcome(reason):
            return Problem(f"{operation} is not done: {reason}", item=item)
        case Crashed(_, traceback):
            lines = [line.strip() for line in traceback.splitlines() if line.strip()]
            frames = [line for line in lines if line.startswith("File ")]
            where = frames[-1] if frames else (lines[-1] if lines else "")
            return Problem(f"{operation} {failed.sentence}", where, "its whole traceback is in the item's report", item)
        case TimedOut(seconds):
            hint = "raise --timeout if it is only slow; nothing more was tried"
            return Problem(f"{operation} did not return within {seconds:g} s", hint=hint, item=item)
        case BadOutput(sentence, pointer):
            return Problem(sentence, where=pointer, item=item)
        case ProtocolError(sentence, tail):
            last = tail.strip().splitlines()
            return Problem(f"{operation}: {sentence}", where=last[-1] if last else "", item=item)
        case Misdirected(sentence):
            return Problem(sentence, hint="the upstream's URL, and the route of this adapter", item=item)


def _plainest(corpus: Corpus, client: str, upstream: str, *, failing: bool) -> Case | None:
    """Return the plainest case that has a call and its result or, if ``failing``, an error of the provider."""
    fitting = [
        case
        for case in corpus.cases.values()
        if {client, upstream} <= set(case.formats)
        and not case.dialects
        and failing == (case.exchanges(upstream)[0].error is not None)
        and (failing or _has_calls(corpus, case))
    ]

    def oddity(case: Case) -> tuple[bool, int, int]:
        # The first case of a family is a plain one; the others have something odd about them.
        return not case.id.endswith("/seed"), len(case.features), len(canonical(case.exchanges(client)[0].request))

    return min(fitting, key=oddity, default=None)


def _has_calls(corpus: Corpus, case: Case) -> bool:
    """Whether a case that every format can say has a call with arguments, and goes on behind it."""
    plain = set(case.formats) == set(corpus.formats) and not {"no-call", "empty-arguments"} & set(case.features)
    return plain and all(len(case.exchanges(name)) > 1 for name in case.formats)
