"""Collect the records of all items, write the reports and set the exit code."""

from __future__ import annotations

import platform
import shlex
from collections import Counter
from collections.abc import Generator
from dataclasses import replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.adapters.catalogue import mode_of
from toolcall_conformance.basics import run_command
from toolcall_conformance.basics.visible_text import pluralize, visible
from toolcall_conformance.drivers import Driver
from toolcall_conformance.engine import baseline
from toolcall_conformance.engine.distributed.handover import Handover
from toolcall_conformance.engine.ending.last_report import ended_item_record, item_facts, report_plan
from toolcall_conformance.engine.hooks import RECORD_ATTRIBUTE
from toolcall_conformance.engine.items import empty_selection as nothing
from toolcall_conformance.engine.items.selection import PREFIX
from toolcall_conformance.engine.output.printing import print_line
from toolcall_conformance.engine.run import Run
from toolcall_conformance.library import fingerprint
from toolcall_conformance.reports import files, timing
from toolcall_conformance.reports.causes.examples import Examples
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.known_failures import KnownFailuresError
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord
from toolcall_conformance.reports.writers.json_report import is_json


class RecordCollector:
    """Active in the process that the user started; under xdist, the controller."""

    def __init__(self, config: pytest.Config, run: Run, handover: Handover) -> None:
        self.config = config
        self.run = run
        self._handover = handover
        self._timing = timing.start(start_command(config))
        self.records: dict[str, ItemRecord] = {}
        self._examples = Examples()
        self.expected: frozenset[str] = frozenset()
        self._collected = False
        self._unplayed_outcomes: Counter[str] = Counter()
        self.run_record: RunRecord | None = None
        self.problems: list[str] = []  # sentences that fail the run
        self.written_reports: list[Path] = []
        self.notes: list[str] = []

    def pytest_report_header(self) -> str:
        driver, corpus = self.run.driver, self.run.corpus
        version = f" {driver.version}" if driver.version else ""
        items = pluralize(len(self.run.selected), "item")
        header = f"toolcall: judging {driver.name}{version} ({items}, corpus {corpus.version})"
        if (fuzz := self.run.settings.fuzz) is not None:
            header += f"; {pluralize(fuzz.count, 'conversation')} generated from seed {fuzz.seed}"
        return visible(header)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._add_expected([item.nodeid for item in session.items])
        if self.run.watchdog is not None and self.run.settings.reports:
            settings = self.run.settings
            plan = report_plan(
                self._header, settings.reports, settings.corpora, len(self.expected), self._not_applicable()
            )
            self.run.watchdog.send_plan(plan)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._add_expected(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> object:
        """Let each case stay on one worker."""
        from toolcall_conformance.engine.distributed.distribution import make_scheduler

        return make_scheduler(config, log) if self.run.selected else None

    def _add_expected(self, nodeids: list[str]) -> None:
        self._collected = True
        ours = {item.nodeid for item in self.run.selected}
        self.expected |= ours.intersection(nodeids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        text = getattr(report, RECORD_ATTRIBUTE, None)
        record = self._handover.record_of(report) if text is None else ItemRecord.loads(text)
        if record is not None:
            if self.run.watchdog is not None and self.run.settings.reports:
                self.run.watchdog.send_record(text or record.dumps(), report.duration)
            self._store_record(record.with_duration(report.duration))
        elif report.nodeid.startswith(f"{PREFIX}::") and report.when == "setup" and not report.passed:
            self._unplayed_outcomes[report.outcome] += 1
        elif (
            report.nodeid.startswith(f"{PREFIX}::")
            and report.failed
            and report.when not in ("setup", "call", "teardown")
        ):
            # The translator crashed its worker process.
            planned = next((item for item in self.run.selected if item.nodeid == report.nodeid), None)
            if planned is not None:
                message = "the process died while the translator ran"
                died = ended_item_record(self.run.corpus, item_facts(planned), "translation/crashed", message)
                self.records[report.nodeid] = died

    def _store_record(self, record: ItemRecord) -> None:
        """Store a record. Only the simplest items of each kind of finding keep their bodies."""
        if record.bodies:
            keeps, dropped = self._examples.offer(record)
            record = record if keeps else replace(record, bodies=[])
            for nodeid in dropped:
                self.records[nodeid] = replace(self.records[nodeid], bodies=[])
        self.records[record.nodeid] = record

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None]:
        broken = exitstatus in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR)
        if exitstatus == pytest.ExitCode.USAGE_ERROR and self.records:
            self.write_reports()  # a worker that replaced a dead one could not prepare the run
        if not broken and not self.config.option.collectonly:
            self._finish_run()
        else:
            self._abandon_reports()
        failed = bool(self.problems) and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        if failed:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        yield
        if failed:  # again: other plugins (syrupy) change the exit status
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        # Print what decides the exit code last, even in a quiet run.
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            for note in self.notes:
                print_line(reporter, f"toolcall: {note}")
            for problem in self.problems:
                print_line(reporter, f"toolcall: {problem}", "bad")

    def _abandon_reports(self) -> None:
        """Write no report: put earlier ones back, and end the watchdog."""
        if self.run.earlier_reports is not None:
            self.run.earlier_reports.restore_unreplaced()
        if self.run.watchdog is not None:
            self.run.watchdog.end_run()

    def write_reports(self) -> RunRecord:
        """Write the reports of the items that have run so far."""
        if self.run.watchdog is not None:
            self.run.watchdog.end_run()
        record = self.run_record = self._run_record()
        for path in self.run.settings.reports:
            try:
                files.write(record, path, self.run.corpus)
            except files.ReportError as error:
                self.problems.append(str(error))
            else:
                self.written_reports.append(path)
        if self.run.earlier_reports is not None:
            self.run.earlier_reports.restore_unreplaced()
        return record

    def _finish_run(self) -> None:
        """Write the reports and collect the problems of the whole run."""
        record = self.write_reports()
        if self.run.settings.known_failures_update:
            self._update_known_failures()
        if record.stale:
            # First, for readers of a single line.
            self.problems.append(f"this writes {self.run.known_failures.name} anew: {self._update_command()}")
        self.problems += [f"stale known failure: {sentence}" for sentence in record.stale]
        if record.stale[1:]:
            self.problems.append(
                "if you delete the lines by hand, start with the last one: then the other line numbers stay correct"
            )
        if not record.is_judged:
            self.problems.append(self._nothing_judged_reason())
        if self.run.corpus_state is not None and (changed := self.run.corpus_state.describe_change()):
            self.problems.append(changed)

    def _update_command(self) -> str:
        """The command of this run that updates the known failures."""
        beginning, words = run_command.command_words(self.config.invocation_params.args)
        return shlex.join([*beginning, "--toolcall-known-failures-update", *words])

    def _update_known_failures(self) -> None:
        """Write the known failures anew."""
        try:
            self.notes.append(baseline.update_file(self.run, self.records.values()))
        except KnownFailuresError as error:
            self.problems.append(str(error))

    def _run_record(self) -> RunRecord:
        order = {item.nodeid: index for index, item in enumerate(self.run.selected)}
        # A worker may have run what this process did not plan: such records come last.
        items = sorted(self.records.values(), key=lambda record: (order.get(record.nodeid, len(order)), record.nodeid))
        return RunRecord(
            header=timing.finish(self._header),
            items=items,
            not_applicable=self._not_applicable(),
            stale=baseline.stale_sentences(self.run, items),
            expected=len(self.expected),
            roots=find_root_causes(items, Harm.of(self.run.corpus)),
        )

    def _not_applicable(self) -> list[NotApplicable]:
        return [
            NotApplicable(item.nodeid, item.case.id, item.check, item.route.client, item.route.upstream)
            for item in self.run.not_applicable
        ]

    @cached_property
    def _header(self) -> dict[str, object]:
        run, driver = self.run, self.run.driver
        return {
            "tool": {"name": "toolcall-conformance", "version": metadata.version("toolcall-conformance")},
            "corpus": {"version": run.corpus.version, "private": [str(folder) for folder in run.settings.corpora]},
            # Only reports in JSON have it: it costs as much as a small run.
            **({"suite": fingerprint.suite(run.corpus)} if any(map(is_json, run.settings.reports)) else {}),
            "translator": translator_header(driver),
            **_comparison_header(run),
            **({"policy": dict(run.policy.raw)} if run.policy is not None else {}),
            **({"recordings": run.cassettes.to_json()} if run.cassettes is not None else {}),
            **({"pairs": run.pairs.to_json()} if run.pairs is not None else {}),
            "strict": run.settings.strict,
            "command": run.settings.rerun_base,
            "run": self._timing,
            "python": platform.python_version(),
            "pytest": pytest.__version__,
        }

    def _nothing_judged_reason(self) -> str:
        """Why nothing was judged."""
        if not self.run.selected:
            return f"nothing was judged: {nothing.explain_selection(self.run)}"
        if not self._collected:
            return f"nothing was judged: {nothing.explain_collection(self.config)}"
        if not self.expected:
            return "nothing was judged: every item was deselected (by -k, -m, --lf or --deselect)"
        if not self.records and self._unplayed_outcomes:
            return f"nothing was judged: {nothing.explain_outcomes(self._unplayed_outcomes)}"
        if not self.records:
            return "nothing was judged: the run ended before the first item"
        return f"nothing was judged: {nothing.explain_reasons(self.records.values())}"


def start_command(config: pytest.Config) -> str:
    """The command that started the run."""
    beginning, words = run_command.command_words(config.invocation_params.args)
    return shlex.join([*beginning, *words])


def translator_header(driver: Driver) -> dict[str, object]:
    """The judged translator in a report's header; for a shipped adapter with its mode."""
    mode = mode_of(driver.spec, driver.name)
    mode_entry = {} if mode is None else {"mode": mode}
    return {"spec": driver.spec, "name": driver.name, "version": driver.version, **mode_entry}


def _comparison_header(run: Run) -> dict[str, object]:
    """The entries of a report's header for ``--toolcall-against`` and ``--toolcall-fuzz``."""
    facts: dict[str, object] = {}
    if run.other_run is not None:
        driver = run.other_run.driver
        facts["against"] = {"spec": driver.spec, "name": driver.name, "version": driver.version}
    if (fuzz := run.settings.fuzz) is not None:
        facts["generated"] = {"conversations": fuzz.count, "seed": fuzz.seed, "renderer": fuzz.renderer}
    return facts
