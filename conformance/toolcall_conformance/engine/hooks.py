"""The hooks that add items to pytest's collection and their records to its reports."""

from __future__ import annotations

import contextlib
import functools
import json
import traceback
import warnings
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics.findings import MISSING, Finding, Verdict, failing_findings
from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.checks import ItemResult
from toolcall_conformance.drivers.python.blame import blamed_line
from toolcall_conformance.drivers.python.foreign import text_of, type_name
from toolcall_conformance.drivers.python.tracebacks import traceback_of
from toolcall_conformance.engine.client_reactions import ask_clients
from toolcall_conformance.engine.distributed.handover import Handover
from toolcall_conformance.engine.items.nodes import (
    ConformanceItem,
    HarnessError,
    ItemFailedError,
    RootNode,
    is_users_file,
)
from toolcall_conformance.engine.items.selection import PREFIX
from toolcall_conformance.engine.output import artifacts
from toolcall_conformance.engine.output.sanitizer import (
    sanitize_live_logs,
    sanitize_report,
    sanitize_warning,
    write_captured,
    write_findings,
)
from toolcall_conformance.engine.output.shown_bodies import shown_bodies
from toolcall_conformance.engine.run import Run
from toolcall_conformance.engine.settings import relative
from toolcall_conformance.reports.causes.examples import Examples
from toolcall_conformance.reports.causes.surroundings import surrounding_text
from toolcall_conformance.reports.item_record import ItemRecord, finding_json

# The attribute of a report that holds its record. Attributes cross from xdist's workers, as user properties do, but do
# not fill the JUnit file.
RECORD_ATTRIBUTE = "toolcall_record"
VERDICT_ATTRIBUTE = "toolcall_verdict"
UNSTABLE = "unstable"


class Engine:
    """Collects the items and makes their records. Active in every process that runs items."""

    def __init__(self, run: Run, handover: Handover) -> None:
        self.run = run
        self._handover = handover
        self._examples = Examples()

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result.append(RootNode.of(collector, self.run))
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        with sanitize_live_logs(item.config) if isinstance(item, ConformanceItem) else contextlib.nullcontext():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Sanitize the message of an interrupt, which pytest shows: a translator can raise one, too."""
        excinfo.value.args = tuple(visible(text_of(argument)) for argument in excinfo.value.args)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        if not isinstance(item, ConformanceItem):
            return (yield)
        if call.when != "call":
            if call.when == "teardown":
                item.drop_result()
            report = yield
            sanitize_report(report, self._files_folder(item))
            return report
        error = call.excinfo.value if call.excinfo is not None else None
        if (
            isinstance(error, (ItemFailedError, HarnessError))
            and self.run.settings.artifacts is not None
            and item.repeated_result
        ):
            item.files = artifacts.write_bodies(self.run.settings.artifacts, item.planned, item.repeated_result.result)
        elif self.run.settings.artifacts is not None:
            artifacts.clear_bodies(self.run.settings.artifacts, item.planned)
        if isinstance(error, ItemFailedError) and self.run.settings.witness and item.repeated_result:
            item.client_reactions = ask_clients(self.run, item.planned, item.repeated_result.result)
        report = yield
        if item.files is not None:
            write_captured(item.files, report)
            if all_lines := getattr(report.longrepr, "all_lines", None):
                write_findings(item.files, "\n".join(line.text for line in all_lines))
        if isinstance(error, HarnessError):
            # Not the translator's failure: report it as an error of the item's setup.
            report.when = "setup"
        if report.skipped and not hasattr(report, "wasxfail") and item.repeated_result is not None:
            report.longrepr = (str(item.planned.case.file), 1, item.repeated_result.result.reason)
        sanitize_report(report, self._files_folder(item))
        record = self._add_bodies(item, item_record(item, error, call.duration))
        # If a plugin runs an item again, the last run counts.
        others = [entry for entry in item.user_properties if not entry[0].startswith(f"{PREFIX}_")]
        item.user_properties[:] = [*others, *_user_properties(record)]
        if not self._handover.offer(record):
            setattr(report, RECORD_ATTRIBUTE, record.dumps())
        setattr(report, VERDICT_ATTRIBUTE, UNSTABLE if record.outcome == UNSTABLE else record.verdict)
        return report

    def _files_folder(self, item: ConformanceItem) -> str | None:
        return None if item.files is None else relative(item.files, self.run.settings.directory)

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, nodeid: str) -> None:
        if nodeid.startswith(f"{PREFIX}::") or not nodeid:
            sanitize_warning(warning_message)

    def _add_bodies(self, item: ConformanceItem, record: ItemRecord) -> ItemRecord:
        """Add the bodies that findings are about to a record, if a report shows this item."""
        if item.repeated_result is None or not self.run.settings.reports or not self._examples.offer(record)[0]:
            return record
        bodies = shown_bodies(self.run.corpus, item.planned.route, item.repeated_result.result)
        return replace(record, bodies=bodies)

    def pytest_unconfigure(self) -> None:
        self.run.close()
        if self.run.watchdog is not None:
            self.run.watchdog.end_run()

    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
        if report.passed and getattr(report, VERDICT_ATTRIBUTE, None) == Verdict.WARN:
            return "passed", ".", ("WARN", {"yellow": True})
        if report.skipped and getattr(report, VERDICT_ATTRIBUTE, None) == UNSTABLE:
            return UNSTABLE, "u", ("UNSTABLE", {"yellow": True})
        return None


def _user_properties(record: ItemRecord) -> Iterator[tuple[str, object]]:
    """The user properties of an item, which files such as JUnit's hold."""
    yield "toolcall_case", record.case
    yield "toolcall_check", record.check
    yield "toolcall_route", f"{record.client}-to-{record.upstream}"
    if record.variant:
        yield "toolcall_variant", record.variant
    yield VERDICT_ATTRIBUTE, record.verdict
    if record.rules:
        yield "toolcall_rules", " ".join(record.rules)


def item_record(item: ConformanceItem, error: BaseException | None, duration: float) -> ItemRecord:
    """Make the record of an item that has run for ``duration``."""
    planned, repeated_result = item.planned, item.repeated_result
    result = repeated_result.result if repeated_result is not None else None
    if isinstance(error, HarnessError) or repeated_result is None or result is None:
        verdict, outcome, reason = Verdict.ERROR, "error", _error_reason(item, error)
        findings: tuple[Finding, ...] = ()
    else:
        verdict, outcome, reason = result.verdict, item.run.outcome(item.nodeid, repeated_result), result.reason
        if repeated_result.differs:
            reason = f"{repeated_result.sentence}; {reason}" if reason else repeated_result.sentence
        findings = result.findings
    return ItemRecord.of(
        nodeid=item.nodeid,
        case=planned.case.id,
        check=planned.check,
        client=planned.route.client,
        upstream=planned.route.upstream,
        variant=planned.variant or None,
        verdict=verdict,
        outcome=outcome,
        duration=round(duration, 6),
        reason=reason,
        findings=findings,
        facts=functools.partial(_finding_facts, item, _produced_bodies(result)),
        size=_source_size(result) if findings else 0,
        losses=() if verdict is Verdict.ERROR or result is None else result.losses,
        left_out=[] if verdict is Verdict.ERROR or result is None else list(result.left_out),
        witness=[body.to_json() for body in item.client_reactions],
        against=[] if result is None else [_difference_json(item, difference) for difference in result.differences],
    )


def _error_reason(item: ConformanceItem, error: BaseException | None) -> str:
    """Why an item has no verdict: an error of this package or of a user's hook, or a time limit of pytest-timeout."""
    if isinstance(error, HarnessError):
        return f"the harness failed: {error}"
    if error is None or isinstance(error, (pytest.skip.Exception, pytest.fail.Exception)):  # and xfail, a failure
        return f"stopped before its verdict: {error}"
    user_frames = [frame for frame in traceback.extract_tb(traceback_of(error)) if is_users_file(frame.filename)]
    at = (
        f" at {relative(Path(user_frames[-1].filename), item.run.settings.directory)}:{user_frames[-1].lineno}"
        if user_frames
        else ""
    )
    return f"stopped before its verdict: {type_name(error)}{at}: {text_of(error)}"


def _difference_json(item: ConformanceItem, finding: Finding) -> dict[str, Any]:
    """The JSON of a difference from the other translator: ``ours`` and ``other``."""
    plain = finding_json(finding)
    return {
        **{name: plain[name] for name in ("body", "element", "pointer")},
        "says": finding.message,
        "ours": plain.get("want"),
        "other": plain.get("got"),
        "cause": item.run.signature_details(finding),
    }


def _finding_facts(item: ConformanceItem, bodies: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    """The facts that a record has in addition to a finding: its signature, the text around its place, its entry in the
    known failures.
    """
    run, repeated_result = item.run, item.repeated_result
    facts: dict[str, Any] = {"signature": run.signature(finding)}
    if around := surrounding_text(bodies.get(finding.body), finding.pointer) if finding.pointer else "":
        facts["near"] = around
    if code := _raise_location(item, finding):
        facts["code"] = code
    if repeated_result is None or not failing_findings([finding], strict=run.settings.strict):
        return facts
    status = run.known_status(item.nodeid, finding)
    facts["standing"] = status.kind.value
    if status.text and not status.is_known:
        facts["note"] = status.text
    if repeated_result.is_unstable(facts["signature"]):
        return {**facts, "unstable": True}
    return {**facts, "known": status.text} if status.is_known else facts


def _raise_location(item: ConformanceItem, finding: Finding) -> str:
    """Where in its own code the translator raised, as ``file:line``; empty if unknown."""
    raised = item.repeated_result is not None and finding.rule in ("translation/crashed", "translation/refused")
    place = blamed_line(item.repeated_result.result.traceback) if item.repeated_result is not None and raised else None
    return f"{relative(Path(place[0]), item.run.settings.directory)}:{place[1]}" if place is not None else ""


def _produced_bodies(result: ItemResult | None) -> dict[str, Any]:
    """The translator's outputs by body label."""
    played = result.played if result is not None else ()
    return {exchange.name: exchange.produced for exchange in played if exchange.produced is not MISSING}


def _source_size(result: ItemResult | None) -> int:
    """The size of the translator's inputs in characters."""
    played = result.played if result is not None else ()
    return sum(len(json.dumps(exchange.source)) for exchange in played if exchange.source is not MISSING)
