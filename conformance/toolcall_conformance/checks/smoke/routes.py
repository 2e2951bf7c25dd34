"""Every route in turn: plays it, then judges the conversation around the call as pytest does."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import failing_findings
from toolcall_conformance.checks import CHECKS, Harness, needs
from toolcall_conformance.checks.smoke.plainest import find_plainest
from toolcall_conformance.checks.smoke.playing import ReportItem, item_id, play_route
from toolcall_conformance.checks.smoke.report import Problem, RouteReport
from toolcall_conformance.drivers import Driver
from toolcall_conformance.library import Case, Corpus


def try_routes(driver: Driver, corpus: Corpus, on_item: ReportItem = lambda _nodeid: None) -> Iterator[RouteReport]:
    """Play one plain call, unstreamed and streamed, and an error of the provider on each route; judge what works.

    ``on_item`` is called with the id of the item that is played next. It stops after a call that hung: that would
    probably hang on every route.
    """
    harness = _harness(corpus)
    for client in corpus.formats:
        for upstream in corpus.formats:
            case = find_plainest(corpus, client, upstream, failing=False)
            if case is None:
                continue
            route = Route(client, upstream, case.model(client), case.model(upstream))
            report, hung = play_route(driver, corpus, case, route, on_item)
            driver.end_item()
            if not hung and not report.problems and report.unsupported is None:
                _judge(driver, harness, case, route, report, on_item)
            yield report
            if hung:
                return


def _harness(corpus: Corpus) -> Harness:
    from toolcall_conformance.judge import CachingJudge

    return Harness(CachingJudge(corpus))


def _judge(
    driver: Driver, harness: Harness, case: Case, route: Route, report: RouteReport, on_item: ReportItem
) -> None:
    """Judge the whole conversation in every check that applies."""
    for check in ("request", "response", "stream"):
        if not needs(check, case, route.upstream) <= set(report.operations):
            continue
        on_item(item_id(case, check, route))
        driver.begin_item(case.id)
        try:
            result = CHECKS[check](case, route, driver.open, harness, "", None)
        finally:
            driver.end_item()
        reported_rules: set[str] = set()
        for finding in failing_findings(result.findings):
            if finding.rule not in reported_rules:
                reported_rules.add(finding.rule)
                item = item_id(case, check, route)
                hint = f"toolcall-conformance explain {finding.rule}"
                report.wrong.append(Problem(finding.message, finding.pointer, hint, item, finding.rule, check))
